"""The data before a comparison: what the best column does alone, the rows in a plane, checks, every column."""

from __future__ import annotations

import streamlit as st

from mdcore.figures import data_headline, data_picture_html
from mdcore.serving.comparisons.sample import Sample
from mdcore.study.data_picture import DataPicture, data_picture
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.shared.drawing import draw
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.words import plain

PICTURE = CONTROLS.key("data picture")


def show_data_headline(sample: Sample | None) -> None:
    with st.container(key="headline"):
        if sample is None:
            st.markdown("**Choose data: the answer appears here.**")
            return
        told = "Press Compare for an answer." if sample.own else "The first results appear in a moment."
        st.markdown(f"**{plain(data_headline(_picture(sample)))}** {plain(f'{sample.title}. {told}')}")


def show_data(sample: Sample | None) -> None:
    """Show the picture of the data; nothing without data, as the form then says what to choose."""
    if sample is not None:
        draw(data_picture_html(_picture(sample)), CONTROLS.key("picture of the data"))


def _picture(sample: Sample) -> DataPicture:
    found: DataPicture = cached_for(PICTURE, (sample.facts, sample.code), lambda: data_picture(sample.data))
    return found
