"""Models, through one door: `create("solver/sympy")`, then a stream of completions."""

from harness.models.base import Model, ask_each
from harness.models.registry import create, describe, register

__all__ = ["Model", "ask_each", "create", "describe", "register"]
