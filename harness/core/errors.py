"""A user's mistakes: each is one clear line that says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Something that the user can mend; the command line prints it and exits with status 2."""


class UnknownNameError(UserError):
    """A name that is in no registry."""


class RunError(UserError):
    """A run directory that cannot be used as asked; nothing in it was touched."""


class ModelError(UserError):
    """A model that cannot be reached or set up as asked."""


def suggest(wanted: str, known: Iterable[str]) -> str:
    """The near misses of a mistyped name, or else all that is known."""
    known = sorted(known)
    near = difflib.get_close_matches(wanted, known, n=3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"known: {', '.join(known)}"
