"""HTTP routes and middleware that need Starlette alone."""
