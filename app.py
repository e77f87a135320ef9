"""Entry point of `streamlit run app.py`: the frame with its pages, the HTTP routes, and the middleware around both."""

import streamlit as st

from mdcore.ui.web import LIFESPAN, MIDDLEWARE, ROUTES

app = st.App("frame.py", routes=ROUTES, middleware=MIDDLEWARE, lifespan=LIFESPAN)
