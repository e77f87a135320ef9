"""The shapes and colours of the classes, shared by the stage, the figures and the reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClassMark:
    """A shape, by Plotly's name of the filled marker, and an Okabe-Ito colour, with a lighter one for dark pages."""

    shape: str
    light: str
    dark: str


CLASS_MARKS = (
    ClassMark("circle", "#0072B2", "#4CB3EC"),
    ClassMark("triangle-up", "#D55E00", "#FF8A3D"),
    ClassMark("square", "#009E73", "#2CCB9B"),
    ClassMark("diamond", "#CC79A7", "#E59CC6"),
    ClassMark("x", "#E69F00", "#F5B93C"),
    ClassMark("star", "#56B4E9", "#A9D8F7"),
    ClassMark("hexagon", "#F0E442", "#F7EF7A"),
    ClassMark("cross", "#000000", "#FFFFFF"),
)
COLOR_SHIFT = 3  # from the ninth class on, shapes are reused in other colours


def class_mark(code: int) -> ClassMark:
    """Return the mark of the class with number `code`."""
    size = len(CLASS_MARKS)
    shape, colors = CLASS_MARKS[code % size].shape, CLASS_MARKS[(code + COLOR_SHIFT * (code // size)) % size]
    return ClassMark(shape, colors.light, colors.dark)
