"""The Lecture page: a lesson on the stage."""
