"""Guess the encoding of a text file that is not UTF-8.

The charset-normalizer package distinguishes scripts. Among the encodings of Latin letters, a table of a few names and
many numbers gives it too little evidence; there, the criterion is whether the accented letters belong to one language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a mark",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16, little end first",
    "utf-16-be": "UTF-16, big end first",
    "cp1252": "Windows-1252, Western European",
    "latin-1": "Latin-1, Western European",
    "cp1250": "Windows-1250, Central European",
    "iso8859-2": "Latin-2, Central European",
    "cp1254": "Windows-1254, Turkish",
    "cp1257": "Windows-1257, Baltic",
    "cp1251": "Windows-1251, Cyrillic",
    "koi8-r": "KOI8-R, Cyrillic",
    "cp866": "DOS 866, Cyrillic",
    "iso8859-5": "ISO 8859-5, Cyrillic",
    "cp1253": "Windows-1253, Greek",
    "cp932": "Shift JIS, Japanese",
    "euc-jp": "EUC-JP, Japanese",
    "iso2022-jp": "ISO-2022-JP, Japanese",
    "gb18030": "GB 18030, Chinese",
    "big5": "Big5, Chinese",
    "cp949": "Windows-949, Korean",
}
_WESTERN = (  # one line per language or two: German, French, Spanish, Portuguese, Italian, Scandinavian and others
    "äöüß",
    "àâæçéèêëîïôœùûüÿ",
    "áéíñóúü",
    "ãáàâçéêíõóôúü",
    "àèéìíîòóùú",
    "åäöéü",
    "æøåéòô",
    "áéíóúëïöüèê",
    "áðéíóúýþæö",
    "àçèéíïòóúü",
    "äöõüšž",
)
_CENTRAL = ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_ACCENTED = {  # likelier encodings first
    "cp1252": _WESTERN,
    "latin-1": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": ("çğıİöşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
}
_SIGNS = "µªº"  # Python counts them as letters
_OTHER_SCRIPTS = {
    name.replace("-", "_"): name
    for name, title in ENCODINGS.items()
    if title.endswith(("Cyrillic", "Greek", "Japanese", "Chinese", "Korean"))
}
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_NO_TEXT = re.compile("[\x80-\x9f\ufffd]")
_MISPLACED_SIGN = re.compile(r"[¹²³¼½¾®¯±¦¢£¥¤¬¶¸¨´×÷](?=[^\W\d_])")  # signs directly before a letter
MOST_WORDS = 2000
MOSTLY = 0.8  # smallest share of accented letters that belong to one language, if the alphabet is Latin
SELDOM = 0.5  # largest share of accented letters in words, if the alphabet is Latin


def guess_encoding(sample: bytes, content: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the likeliest encoding of a file that is not UTF-8, from a sample of lines, and equally likely others."""
    words = [word for word in dict.fromkeys(_WORD.findall(sample)) if not word.isascii()][:MOST_WORDS]
    shares = {name: _share_in_language(words, name) for name in _ACCENTED}
    latin = sorted(_ACCENTED, key=lambda name: -shares[name])
    other_script = shares[latin[0]] < MOSTLY and _accented(words) > SELDOM
    ranked = [*_by_script(sample), *latin] if other_script else latin
    found = next(name for name in ranked if _decodes(content, name))  # Latin-1 decodes any bytes
    equal = ranked[: -len(latin)] if other_script else [name for name in latin if shares[name] == shares[found]]
    return found, tuple(_distinct_readings(sample, found, equal))


def _distinct_readings(sample: bytes, found: str, others: list[str]) -> Iterator[str]:
    """Yield the other encodings that decode the sample to a different text without errors."""
    seen = {sample.decode(found, "replace")}
    for name in others:
        text = sample.decode(name, "replace")
        if text not in seen and "\ufffd" not in text:
            seen.add(text)
            yield name


def _share_in_language(words: list[bytes], encoding: str) -> float:
    """Return the share of accented letters that belong to the single language that fits best."""
    text = b" ".join(words).decode(encoding, "replace")
    letters = [letter for letter in text if letter.isalpha() and not letter.isascii() and letter not in _SIGNS]
    wrong = len(_MISPLACED_SIGN.findall(text)) + len(_NO_TEXT.findall(text))
    if not letters:
        return 0.0 if wrong else 1.0
    best = max(sum(letter in own or letter.lower() in own for letter in letters) for own in _ACCENTED[encoding])
    return best / (len(letters) + wrong)


def _accented(words: list[bytes]) -> float:
    """Return the share of non-ASCII bytes in words of at least two bytes."""
    long = b"".join(word for word in words if len(word) > 1)
    return sum(byte > 127 for byte in long) / len(long) if long else 0.0


def _by_script(sample: bytes) -> Iterator[str]:
    from charset_normalizer import from_bytes

    for match in from_bytes(sample, cp_isolation=list(_OTHER_SCRIPTS), enable_fallback=False):
        if match.encoding in _OTHER_SCRIPTS:
            yield _OTHER_SCRIPTS[match.encoding]


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
