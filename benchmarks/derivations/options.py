"""The options of the generator of derivations, and its named variants.

`CODE`, the default, is the released notebook, which made the published data, with its defects
corrected. `PAPER` follows the paper's text in case of differences. `ORIGINAL` is the notebook
without corrections, for comparison; its examples are not proven.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

#: The letters of symbols and functions.
VOCABULARY = tuple(c for c in string.ascii_letters if c not in "iedO")
#: The letters of the perturbation VR.
GREEK = tuple(rf"\{name}" for name in "alpha beta gamma delta pi xi chi sigma psi omega".split())


@dataclass(frozen=True, slots=True)
class Options:
    """Options of drawing derivations (Meadows et al., appendices D and E).

    Attributes:
        name: the variant's name.
        history: the equation r places before the newest has the weight 1 + (``history`` - 1 - r)^3.
        arity_0: weight of operators without an equation; ``arity_1`` and ``arity_2`` likewise.
        renaming: weight of renaming premises, where other premises have 1.
        expansion: weight of ``expand``, where the functions have 1.
        evaluation: weight of evaluating derivatives, and of evaluating integrals.
        calculus: weight of differentiation, and of integration, where arithmetic has 1.
        substitution: weight of each substitution, where arithmetic has 1.
        complexity: the upper bound of additional operators in a premise, not included.
        max_length: the upper bound of the length of a step's LaTeX, not included.
        grown: the smallest number of drawn steps. The last step must not be a premise.
        kept: the number of dependencies of the last step, itself included; an example of s steps is
            the first s of them. None: there must be s dependencies, and s + ``grown`` steps are
            drawn.
        corrected: whether names of functions and constants are distinct, the last step of an
            example is not a premise, and negatives have another annotation.
        proven: whether every step is proven and every negative refuted (`proof`).

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
    corrected: bool = True
    proven: bool = True


CODE = Options()
PAPER = replace(CODE, name="paper", max_length=250, grown=1, kept=None)
ORIGINAL = replace(CODE, name="original", corrected=False, proven=False)

VARIANTS = {options.name: options for options in (CODE, PAPER, ORIGINAL)}

#: The number of failed draws after which a derivation is given up: a bound without a time limit.
MAX_FAILURES = 400
