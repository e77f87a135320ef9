"""The online learners: p-norm margins, one update at a time."""
