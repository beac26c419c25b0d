"""Models: `create("solver/sympy")` returns a model; `Model.complete` answers requests."""

from .base import Capability, Continuation, Model, Scored, ask_each
from .registry import create, describe, register

__all__ = [
    "Capability",
    "Continuation",
    "Model",
    "Scored",
    "ask_each",
    "create",
    "describe",
    "register",
]
