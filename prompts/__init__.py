"""Prompt templates and their rendering.

A prompt is a file, ``prompts/library/NAME.jinja``, with a head and a Jinja template;
`prompts.templates` describes the format. A file elsewhere is a prompt by its path. There is no
registry: the file's name is the prompt's name.

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
