"""Prompt templates as files, and their rendering: `load("antiderivbench").render(problem)`."""

if __name__ == "prompts":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .rendering import Message, Rendered
from .templates import ANSWER, Prompt, PromptError, default_for, load, names, parse

__all__ = [
    "ANSWER",
    "Message",
    "Prompt",
    "PromptError",
    "Rendered",
    "default_for",
    "load",
    "names",
    "parse",
]
