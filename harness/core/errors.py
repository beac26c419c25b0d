"""Errors that a user can fix; the whole tree is in `rewards.errors`."""

from __future__ import annotations

from ...rewards.errors import UnknownNameError, UserError, suggest

__all__ = ["ModelError", "RunError", "UnknownNameError", "UserError", "suggest"]


class RunError(UserError):
    """A run directory that cannot be used as asked; nothing in it was touched."""


class ModelError(UserError):
    """A model that cannot be reached or set up as asked."""
