r"""Examples as one line of text, for classifiers and prompts.

``published`` is what the released training script makes: the printed list of steps with doubled
brackets collapsed (which leaves them unbalanced), without quotes, ``\,``, ``\left`` and ``\right``.
``clean`` is the same with all brackets, and LaTeX as it is.
"""

from __future__ import annotations

from .examples import Example
from .expressions.printing import latex
from .steps import Annotation, Step

SEPARATOR = " [SEP] "
PUBLISHED, CLEAN = "published", "clean"
STYLES = (PUBLISHED, CLEAN)


def annotation_text(annotation: Annotation) -> str:
    """As in ``[differentiate, 1, x]``; ``premise`` stands alone."""
    if not annotation.equations:
        return annotation.operator
    operand = [] if annotation.operand is None else [latex(annotation.operand)]
    return f"[{', '.join([annotation.operator, *map(str, annotation.equations), *operand])}]"


def sequence(one: Example, label: int, style: str = PUBLISHED) -> str:
    """An example with its right (1) or its wrong (0) last equation."""
    last = one.positive if label else one.negative
    return sequence_of(one.before, one.positive.annotation, last.equation.latex, style)


def sequence_of(
    before: tuple[Step, ...], annotation: Annotation, equation: str, style: str = PUBLISHED
) -> str:
    """Steps, the annotation of the last, and its equation, in one line."""
    steps = [f"[{annotation_text(s.annotation)}, {s.equation.latex}]" for s in before]
    if style == CLEAN:
        return SEPARATOR.join((", ".join(steps), annotation_text(annotation), equation))
    if style != PUBLISHED:
        raise ValueError(f"unknown style {style!r}; known: {', '.join(STYLES)}")
    context = f"[{', '.join(steps)}]{SEPARATOR}{annotation_text(annotation)}"
    context = context.replace("[[", "[").replace("]]", "]")
    return without_sizes(context + SEPARATOR + equation)


def without_sizes(latex_: str) -> str:
    r"""Without ``\left``, ``\right`` and ``\,``."""
    return latex_.replace(r"\left", "").replace(r"\right", "").replace(r"\,", "")
