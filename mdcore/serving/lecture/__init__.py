"""The lecture: lessons as data, and the files made from them."""
