"""Who may ask for pictures: a page gets a signed token when its stage is mounted, and sends it with each request.

All processes of a server share the key, so any of them can check a token. Tables of one's own are found only where the
session lives, and only with the token of that session.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from weakref import WeakValueDictionary

from itsdangerous import BadSignature, URLSafeTimedSerializer

from mdcore.data import OwnSource
from mdcore.experiment import Experiment

VARIABLE = "MARGIN_LAB_KEY"
DEFAULT = Path("~/.cache/margin-lab/key")
KEY_BYTES = 32
MAX_AGE = 12 * 3600  # seconds for which a token is good


@dataclass
class OwnSources:
    """The data sources of a session's tables.

    `chosen` holds, by origin, the source with the latest choices. `known` holds, by key and weakly, these and earlier
    sources still used by a picture or a sweep.
    """

    chosen: dict[str, OwnSource] = field(default_factory=dict)
    known: WeakValueDictionary[str, OwnSource] = field(default_factory=WeakValueDictionary)

    def all(self) -> tuple[OwnSource, ...]:
        """Return every source, while other threads may add one."""
        return tuple(source for reference in self.known.valuerefs() if (source := reference()))

    def keep(self, origin: str, source: OwnSource) -> OwnSource:
        self.chosen[origin] = self.known[source.key] = source
        return source


@dataclass
class Stages:
    """The state of every stage, by its key: the experiment that it last showed, and its query, which has the view, too.

    `sent_by` is the key of the stage from which the visitor opened Compare.
    """

    drawn: dict[str, Experiment] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    sent_by: str = ""


@dataclass(frozen=True, eq=False)
class Visit:
    """What the stages of a session share with requests that are answered outside of it."""

    key: str
    stages: Stages
    tables: OwnSources


# Those of the sessions that live in this process.
VISITS: WeakValueDictionary[str, Visit] = WeakValueDictionary()


def token_for(key: str) -> str:
    """Return the token with which the page of a visit sends its requests.

    Each is another one, also within a second: Streamlit does not call a component that has the same data already.
    """
    return str(_serializer().dumps([key, secrets.token_hex(4)]))


def read_token(token: str) -> str | None:
    """Return the key of the visit for which the token was made; None if it is not ours or too old."""
    try:
        return str(_serializer().loads(token, max_age=MAX_AGE)[0])
    except BadSignature:
        return None


@cache
def _serializer() -> URLSafeTimedSerializer:
    path = Path(os.environ.get(VARIABLE) or DEFAULT).expanduser()
    return URLSafeTimedSerializer(shared_key(path), "stage", signer_kwargs={"digest_method": hashlib.sha256})


def shared_key(path: Path) -> bytes:
    """Return the key in a file, which the first process makes; a key of this process alone if that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=path.parent) as made:  # readable by its owner only
                made.write(secrets.token_bytes(KEY_BYTES))
                made.flush()
                _name(made.name, path)
        key = path.read_bytes()
    except OSError as error:
        logging.getLogger(__name__).warning("no key shared with other processes: %s", error)
        return secrets.token_bytes(KEY_BYTES)
    if len(key) < KEY_BYTES:
        raise ValueError(f"{VARIABLE} must name a file of at least {KEY_BYTES} random bytes; {path} has {len(key)}.")
    return key


def _name(made: str, path: Path) -> None:
    """Give a complete file its name, unless another process was first."""
    try:
        os.link(made, path)
    except FileExistsError:
        return
