"""Messages of every page as JavaScript, which tsc checks against the types made from header.py in `make lint`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE

MESSAGES: dict[str, tuple[StagePage, str]] = {
    "two features": (PLAYGROUND, "data=moons&n=40&methods=svm,ldm,msvmav&view.pin1=data%3Dmoons%26n%3D40&view.probe=3"),
    "many features": (PLAYGROUND, "data=breast-cancer&methods=ldm"),
    "three classes": (PLAYGROUND, "data=iris&keep=all&methods=mcodm"),
    "cannot be fitted": (PLAYGROUND, "data=moons&n=40&methods=ldm&ldm.C=inf"),
    "refused": (PLAYGROUND, "data=nowhere"),
    "several classes": (MULTICLASS, "data=blobs-k&each=12&classes=3&methods=mcodm,ovo"),
    "online": (ONLINE, "data=blobs&n=20&kernel=linear&methods=pumma,romma&step=9"),
    "online, no learner": (ONLINE, "data=blobs&n=20&methods=svm"),
}


def main(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(_message, MESSAGES, MESSAGES.values())), encoding="utf-8")


def _message(name: str, asked: tuple[StagePage, str]) -> str:
    opening, query = asked
    known = "" if query == next(iter(MESSAGES.values()))[1] else catalog()[0]
    header, arrays = decode(answer(Request(query, have=known), None, opening)[0])
    return f"\n// {name}\n/** @type {{Message}} */\nexport const {_variable(name)} = {_literal(header, arrays)};\n"


def _variable(name: str) -> str:
    return name.replace(" ", "_").replace(",", "")


def _literal(header: dict[str, Any], arrays: dict[str, Any]) -> str:
    names = (f"{json.dumps(name)}: new {array.dtype.name.capitalize()}Array()" for name, array in arrays.items())
    typed = ", ".join(names)
    return json.dumps(header, indent=1)[:-2] + f',\n "arrays": {{{typed}}}\n}}'


if __name__ == "__main__":
    main(Path(sys.argv[1]))
