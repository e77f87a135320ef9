"""Decode a text file, once: in UTF-8 if all its bytes are valid, otherwise in the likeliest encoding.

The charset-normalizer package distinguishes scripts. Among the encodings of Latin letters, a table of a few names and
many numbers gives it too little evidence; there, the criterion is whether the accented letters belong to one language.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from mdcore.data.tables.detection import Finding
from mdcore.data.tables.problems import DataProblem

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a byte order mark",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16, little-endian",
    "utf-16-be": "UTF-16, big-endian",
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
    for name in (
        *("cp1251", "koi8-r", "cp866", "iso8859-5"),
        *("cp1253", "cp932", "euc-jp", "iso2022-jp", "gb18030", "big5", "cp949"),
    )
}
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_NO_TEXT = re.compile("[\x80-\x9f\ufffd]")
_MISPLACED_SIGN = re.compile(r"[¹²³¼½¾®¯±¦¢£¥¤¬¶¸¨´×÷](?=[^\W\d_])")  # signs directly before a letter
_NOT_FOR_FILES = ("undefined", "punycode", "idna", "unicode-escape", "raw-unicode-escape")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SIGNATURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "an Excel workbook or another ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"PAR1", "a Parquet file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"[{", "a JSON file"),
    (b'{"', "a JSON file"),
    (b"<!", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
    (b"@relation", "an ARFF file"),
    (b"@RELATION", "an ARFF file"),
)
SAMPLE_BYTES = 2**18
LONGEST_LETTER = 4  # bytes
MOST_OTHERS = 3
MOST_WORDS = 2000
MOSTLY = 0.8  # smallest share of accented letters that belong to one language, if the alphabet is Latin
SELDOM = 0.5  # largest share of accented letters in words, if the alphabet is Latin


def decode(content: bytes, name: str, encoding: str | None = None) -> tuple[str, Finding[str]]:
    """Return the text of a file and its encoding, given or found; raise DataProblem if the bytes are not text."""
    text, found = _decoded_as(content, name, encoding) if encoding else _found(content, name)
    if "\0" in text:
        raise DataProblem("zero bytes", name, encoding=found.value)
    return text, found


def _found(content: bytes, name: str) -> tuple[str, Finding[str]]:
    for signature, what in _SIGNATURES:
        if content.startswith(signature):
            raise DataProblem("another kind of file", name, kind=what)
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return _decoded_as(content, name, encoding, "byte order mark")
    head = content[:SAMPLE_BYTES]
    even, odd = (bytes(half).count(0) / max(len(half), 1) for half in (head[::2], head[1::2]))
    if max(even, odd) > 0.4 and min(even, odd) < 0.1:
        return _decoded_as(content, name, "utf-16-le" if odd > even else "utf-16-be", "zero bytes")
    _refuse_binary(head, name)
    if b"\x1b$" in head and content.isascii():
        return _decoded_as(content, name, "iso2022-jp", "escape sequences")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _in_older_encoding(content, error.start)
    return text, Finding("utf-8", "ASCII" if text.isascii() else "valid UTF-8")


def _decoded_as(content: bytes, name: str, encoding: str, kind: str = "chosen") -> tuple[str, Finding[str]]:
    try:
        return content.decode(_known(encoding)), Finding(encoding, kind)
    except LookupError:
        raise DataProblem("unknown encoding", name, encoding=encoding, known=list(ENCODINGS)) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataProblem(
            "invalid byte", f"{name}, line {line}", byte=content[error.start], encoding=encoding
        ) from None


def _in_older_encoding(content: bytes, first: int) -> tuple[str, Finding[str]]:
    """Return the text of a file that is not UTF-8, as its byte number `first` shows."""
    begin = content.rfind(b"\n", 0, first) + 1
    sample = content[begin if first >= SAMPLE_BYTES else 0 :][:SAMPLE_BYTES]
    text, encoding, others = _guessed(sample[: sample.rfind(b"\n") + 1] or sample, content)
    before, line = content[begin:first], content[begin : first + LONGEST_LETTER]
    letter = line.decode(encoding, "ignore")[len(before.decode(encoding, "ignore")) :][:1]
    figures = {
        "byte": content[first],
        "line": content.count(b"\n", 0, first) + 1,
        "letter": letter,
        "encoding": ENCODINGS[encoding],
        "others": [ENCODINGS[other] for other in others[:MOST_OTHERS]],
    }
    return text, Finding(encoding, "not UTF-8", figures)


def _refuse_binary(head: bytes, name: str) -> None:
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    if head.count(0) or controls > 0.01 * len(head):
        raise DataProblem("control characters", name, number=controls, read=len(head))


def _known(encoding: str) -> str:
    """Return the codec's name; raise LookupError if there is none or it is not for text files, such as idna."""
    if not encoding.isprintable() or (codec := codecs.lookup(encoding)).name in _NOT_FOR_FILES:
        raise LookupError(encoding)
    return codec.name


def _guessed(sample: bytes, content: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Return the text of a file that is not UTF-8, its likeliest encoding, judged by a sample of lines, and equally
    likely others."""
    words = [word for word in dict.fromkeys(_WORD.findall(sample)) if not word.isascii()][:MOST_WORDS]
    shares = {name: _share_in_language(words, name) for name in _ACCENTED}
    latin = sorted(_ACCENTED, key=lambda name: -shares[name])
    other_script = shares[latin[0]] < MOSTLY and _accented(words) > SELDOM
    ranked = [*_by_script(sample), *latin] if other_script else latin
    found, text = next((name, text) for name in ranked if (text := _decoded(content, name)) is not None)
    equal = ranked[: -len(latin)] if other_script else [name for name in latin if shares[name] == shares[found]]
    return text, found, tuple(_distinct_readings(sample, found, equal))


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


def _decoded(content: bytes, encoding: str) -> str | None:
    """Return the text, or None if some bytes are not valid; Latin-1 decodes any."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None
