"""Reading people's files: from the bytes of a table to inputs and labels, each choice with its reason."""
