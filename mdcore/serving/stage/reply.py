"""The reply to a stage that is mounted without a server: its requests come as messages of a notebook."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mdcore.data import OwnSource
from mdcore.serving.stage.scene import answer
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.stage.validation import read_last, read_request


def reply(asked: Any, page: StagePage = PLAYGROUND, own: Collection[OwnSource] = ()) -> bytes:
    """Return the message for a request as line/kernel.js sends it; raise ValueError if no stage has sent it.

    Nothing is remembered between two requests: each brings what its picture takes over from the last one.
    """
    request = read_request(asked, own)
    return answer(request, read_last(asked.get("last")), page)[0]
