"""Prompt templates as files, and their rendering: `load("antiderivbench").render(problem)`."""

from prompts.rendering import Message, Rendered
from prompts.templates import ANSWER, Prompt, PromptError, default_for, load, names, parse

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
