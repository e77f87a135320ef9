"""LaTeX converted to MathML, which browsers render without a network."""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

from latex2mathml.converter import convert

SPACE = "{http://www.w3.org/1998/Math/MathML}"
ELEMENT = re.compile(
    "math|mrow|mi|mn|mo|ms|mtext|mspace|mfrac|msqrt|mroot|mstyle|mpadded|mphantom|menclose|mfenced|msub|msup|msubsup|"
    "munder|mover|munderover|mmultiscripts|mtable|mtr|mtd"
)
ATTRIBUTE = re.compile(
    "display|stretchy|fence|form|largeop|movablelimits|separator|accent|accentunder|width|height|depth|linethickness|"
    "mathvariant|columnalign|rowspacing|columnspacing|displaystyle|scriptlevel|minsize|maxsize|lspace|rspace|notation"
)

COMMAND = re.compile(r"\\[A-Za-z]+")


class Unreadable(ValueError):
    """LaTeX that cannot be converted to MathML."""


@lru_cache(maxsize=512)
def mathml(latex: str) -> str:
    """Return the MathML of a formula; raise Unreadable if it has an unknown command or other markup.

    The library copies text verbatim, including any markup, so the result is restricted to known elements and
    attributes.
    """
    try:
        made = ElementTree.fromstring(convert(latex, display="block"))
    except Exception as error:  # the library's parser raises errors of any kind
        raise Unreadable(f"this LaTeX cannot be read ({type(error).__name__}).") from None
    for element in made.iter():
        name = element.tag.removeprefix(SPACE)
        if not element.tag.startswith(SPACE) or not ELEMENT.fullmatch(name):
            raise Unreadable(f"this LaTeX cannot be read: there is markup in it, {name!r}.")
        if COMMAND.fullmatch(element.text or ""):  # the library copies unknown commands verbatim
            raise Unreadable(f"this LaTeX cannot be read: {element.text} is unknown.")
        element.attrib = {key: value for key, value in element.attrib.items() if ATTRIBUTE.fullmatch(key)}
    ElementTree.register_namespace("", SPACE.strip("{}"))
    return ElementTree.tostring(made, encoding="unicode")
