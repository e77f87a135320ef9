"""What is particular to one page."""
