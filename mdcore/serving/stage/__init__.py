"""The stage's pictures: from a request of the browser to one binary message."""
