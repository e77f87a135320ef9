"""Reading users' files: from the bytes of a table to inputs and labels, with a reason for every choice made."""
