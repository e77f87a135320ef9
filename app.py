"""What `streamlit run app.py` serves: the frame with its pages, routes of our own, what stands before them all."""

import streamlit as st

from mdcore.ui.web import LIFESPAN, MIDDLEWARE, ROUTES

app = st.App("frame.py", routes=ROUTES, middleware=MIDDLEWARE, lifespan=LIFESPAN)
