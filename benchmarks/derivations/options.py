"""Every number and switch of the generator, and the named sets of them.

`CODE` is what made the published data (the released notebook) with its traps mended, and the
default; `PAPER` follows the paper's text where that differs; `ORIGINAL` is `CODE` as it was, traps
and all, and is there to be compared with: its examples are not proven.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

#: The letters of symbols and functions.
VOCABULARY = tuple(c for c in string.ascii_letters if c not in "iedO")
#: The letters of the perturbation VR, none of which is in the vocabulary.
GREEK = tuple(rf"\{name}" for name in "alpha beta gamma delta pi xi chi sigma psi omega".split())


@dataclass(frozen=True, slots=True)
class Options:
    """How derivations are drawn (Meadows et al., appendices D and E).

    The weights say how often an operator is in the list from which one is drawn. An equation r
    places before the newest has the weight 1 + (``history`` - 1 - r)^3. A step is taken if its
    LaTeX is shorter than ``max_length``. Steps are added until there are ``grown`` and the last is
    no premise; then the steps that the last one needs are kept, and must be ``kept`` in number; an
    item of s steps is the first s of them. Where ``kept`` is None they must be s, and ``grown`` is
    how many more than s are made.

    ``mended``: a function is not called like one of its arguments nor like anything else,
    constants of integration differ from each other and from functions, the last step of an example
    is no premise, and negatives have another annotation. ``proven``: every step is proven and every
    negative refuted (`proof`), or another one is drawn.
    """

    name: str = "code"
    history: int = 10
    arity_0: int = 5
    renaming: int = 100
    arity_1: int = 50
    expansion: int = 1
    evaluation: int = 50
    arity_2: int = 100
    calculus: int = 2
    substitution: int = 30
    complexity: int = 2
    max_length: int = 350
    grown: int = 6
    kept: int | None = 6
    mended: bool = True
    proven: bool = True


CODE = Options()
PAPER = replace(CODE, name="paper", max_length=250, grown=1, kept=None)
ORIGINAL = replace(CODE, name="original", mended=False, proven=False)

VARIANTS = {options.name: options for options in (CODE, PAPER, ORIGINAL)}

#: Draws that may fail before a derivation is begun anew: a bound on work, not on time.
MAX_FAILURES = 400
