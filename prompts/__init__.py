"""Prompt templates and their rendering.

A prompt is one file, ``prompts/library/NAME.jinja``, with a head and a Jinja template;
`prompts.templates` describes its format. A file of this form anywhere else is a prompt by its path.
There is no registry: a prompt is found by its file's name.

>>> from calculus_harness import prompts
>>> from calculus_harness.benchmarks import load
>>> problem, = load("drills/monomials", limit=1)
>>> print(prompts.load("bare").render(problem))
int 29 x^{4} dx =
"""

if __name__ == "prompts":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .rendering import Message, Rendered
from .templates import ANSWER, PictureError, Prompt, PromptError, load, names, parse

__all__ = [
    "ANSWER",
    "Message",
    "PictureError",
    "Prompt",
    "PromptError",
    "Rendered",
    "load",
    "names",
    "parse",
]
