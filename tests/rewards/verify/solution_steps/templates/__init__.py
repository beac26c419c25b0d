r"""Solutions as derivations: the content, line by line, before a voice writes the text.

Each template draws numbers from a generator and returns a derivation with right lines. Beside a
line stand wrong lines of students and models.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.rewards.verify.solution_steps.templates.by_parts import (
    cyclic,
    linear_inside,
    parts_exp,
    parts_log,
    parts_trig,
    parts_twice,
    u_log,
    u_power,
    u_trig,
)
from tests.rewards.verify.solution_steps.templates.derivations import Derivation
from tests.rewards.verify.solution_steps.templates.rewritten import (
    circle,
    division,
    exponential,
    fractions_,
    polynomial,
    root,
    sine_cubed,
    sine_squared,
    square_completed,
    tangent,
)

TEMPLATES: tuple[Callable[[Random], Derivation], ...] = (
    u_power,
    u_trig,
    u_log,
    linear_inside,
    parts_exp,
    parts_trig,
    parts_log,
    parts_twice,
    cyclic,
    fractions_,
    sine_squared,
    sine_cubed,
    circle,
    tangent,
    polynomial,
    square_completed,
    division,
    root,
    exponential,
)
