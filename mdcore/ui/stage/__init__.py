"""The live stage: it receives requests from the browser and answers each with one binary message."""
