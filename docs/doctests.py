"""An extension of griffe: a doctest in a docstring is shown as code, not as quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: A line with a prompt, and the lines after it up to an empty one.
_DOCTEST = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Put every doctest into a fenced block."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """Change the docstring of an object that was read."""
        if not obj.is_alias and obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """A docstring with its doctests in fenced blocks."""

    def block(match: re.Match[str]) -> str:
        indent, lines = match[1], match[0]
        return f"{indent}```pycon\n{lines}\n{indent}```"

    return _DOCTEST.sub(block, docstring)
