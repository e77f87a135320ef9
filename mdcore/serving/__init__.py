"""What serves the pages and knows no Streamlit: jobs, the stage's messages, lectures, rooms, and HTTP routes."""
