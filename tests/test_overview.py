"""The overview of the methods: a card for each, with margins of several classes for multi-class methods."""

from __future__ import annotations

import re

import pytest

from mdcore.methods import METHODS
from mdcore.ui.pages.overview import margin_picture
from mdcore.ui.pages.reference import effect_of


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_a_picture_of_its_margins(key: str) -> None:
    picture = margin_picture(key)
    method = METHODS[key]
    outlines = re.findall(r'<path d="(M[^"]+Z)"', picture)
    assert len(outlines) == (1 if key == "svm" or method.multiclass else 2)
    assert method.color in picture
    assert "nan" not in picture
    assert ("blobs-k" in effect_of(method)[0]) == method.multiclass
