"""The data in a page: JSON, compressed, in base64. A chunk is unpacked for display."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import msgspec

from .mathml import to_mathml

#: Rows in a chunk; `data.js` has the same number.
CHUNK = 128
#: Characters of a formula in an index, for finding it, and where it is shown whole.
WORDS, LONGEST = 160, 20_000
#: Compression: level 6 takes twice as long, for a page that is 8 % smaller.
LEVEL = 3

#: A formula as text, and as MathML where it can be shown so.
Formula = tuple[str, Any]


def pack(value: Any) -> str:
    """A value as JSON, compressed, in base64: no character can end the surrounding element."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a surrogate pair, which a model's server may send
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace")
    return base64.b64encode(gzip.compress(data, LEVEL, mtime=0)).decode()


def formula(text: str) -> Formula:
    """A complete formula for the page."""
    return shortened_formula(text, LONGEST) if len(text) > LONGEST else (text, to_mathml(text))


def shortened_formula(text: str, longest: int) -> Formula:
    """The beginning of a formula, as text."""
    if len(text) <= longest:
        return text, None
    return f"{text[:longest]} [... {len(text) - longest} characters]", None


def shortened(text: str, head: int, tail: int) -> list[Any]:
    """The beginning of a text, the number of characters left out, and the end."""
    if len(text) <= head + tail + 200 and head:
        return [text, 0, ""]
    return [text[:head], max(0, len(text) - head - tail), text[len(text) - tail :] if tail else ""]
