"""What the requests of a visitor may find of their session: its tables, and what its stages show."""
