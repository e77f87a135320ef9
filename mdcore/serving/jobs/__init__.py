"""Long work in the background and short answers in turn, within the limits of the server."""
