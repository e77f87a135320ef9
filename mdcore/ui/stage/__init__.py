"""The live stage: a request of the browser in, one binary message out."""
