"""Entry point of `streamlit run app.py`: the frame with its pages, and the middleware around it with our routes."""

import streamlit as st

from mdcore.ui.web import LIFESPAN, MIDDLEWARE

app = st.App("frame.py", middleware=MIDDLEWARE, lifespan=LIFESPAN)
