"""Models, through one door: `create("solver/sympy")`, then a stream of completions."""

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
