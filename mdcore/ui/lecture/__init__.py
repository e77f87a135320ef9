"""The lecture: lessons as data, the room in which an audience answers, what is taken home."""
