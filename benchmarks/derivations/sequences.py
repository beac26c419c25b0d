r"""Examples as a line of text, for classifiers and prompts.

The style ``published`` follows the released training script: the printed list of steps with doubled
brackets collapsed (which leaves them unbalanced), without quotes, ``\,``, ``\left`` and ``\right``.
The style ``clean`` keeps all brackets and the LaTeX.
"""

from __future__ import annotations

from ...rewards.errors import suggest
from .examples import StepExample
from .expressions.printing import latex
from .steps import Annotation, Step

SEPARATOR = " [SEP] "
PUBLISHED, CLEAN = "published", "clean"
STYLES = (PUBLISHED, CLEAN)


def annotation_text(annotation: Annotation) -> str:
    """An annotation as text, as ``[differentiate, 1, x]`` or ``premise``."""
    if not annotation.equations:
        return annotation.operator
    operand = [] if annotation.operand is None else [latex(annotation.operand)]
    return f"[{', '.join([annotation.operator, *map(str, annotation.equations), *operand])}]"


def sequence(example: StepExample, label: int, style: str = PUBLISHED) -> str:
    """An example with the right (1) or the wrong (0) last equation."""
    last_step = example.positive if label else example.negative
    return sequence_of(example.before, example.positive.annotation, last_step.equation.latex, style)


def sequence_of(
    earlier: tuple[Step, ...], annotation: Annotation, equation: str, style: str = PUBLISHED
) -> str:
    """Steps, and the annotation and equation of the last step, in a line."""
    steps = [f"[{annotation_text(s.annotation)}, {s.equation.latex}]" for s in earlier]
    if style == CLEAN:
        return SEPARATOR.join((", ".join(steps), annotation_text(annotation), equation))
    if style != PUBLISHED:
        raise ValueError(f"unknown style {style!r}; {suggest(style, STYLES)}")
    context = f"[{', '.join(steps)}]{SEPARATOR}{annotation_text(annotation)}"
    context = context.replace("[[", "[").replace("]]", "]")
    return without_sizes(context + SEPARATOR + equation)


def without_sizes(latex_: str) -> str:
    r"""LaTeX without ``\left``, ``\right`` and ``\,``."""
    return latex_.replace(r"\left", "").replace(r"\right", "").replace(r"\,", "")
