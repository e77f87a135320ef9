"""The online learners, which maximise p-norm margins one update at a time."""
