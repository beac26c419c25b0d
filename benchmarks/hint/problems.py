"""A HINT expression as a problem, and the check of a problem against the semantics."""

from __future__ import annotations

from msgspec import UNSET

from ..payloads import JSON, ArithmeticInputs, ArithmeticTarget
from ..problem import Problem
from .scoring import ordinary_answer
from .semantics import CONCEPTS, Expression, GrammarError, parse

#: The operators' names as tags.
TAGS = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divide",
    "a": "maximum",
    "b": "minimum",
    "c": "arithmetic mean",
    "d": "harmonic mean",
}


def concepts_in(text: str) -> str:
    """The few-shot concepts in an expression.

    >>> concepts_in("3+x*x")
    'x'
    """
    return "".join(symbol for symbol in CONCEPTS if symbol in text)


def features(expression: Expression) -> dict[str, JSON]:
    """Properties for breakdowns of results: the properties of figure A5, and the largest value."""
    operators = expression.operators
    return {
        "operators": len(operators),
        "length": len(expression.text),
        "depth": expression.depth,
        "dependency": expression.dependency,
        "largest": expression.largest,
        "result": expression.value,
        "tags": [name for symbol, name in TAGS.items() if symbol in operators],
        "difficulty": len(operators),
    }


def problem_of(
    name: str, benchmark: str, subset: str, expression: Expression, about: dict[str, JSON]
) -> Problem:
    """The problem of an expression's value; ``about`` is added to the metadata."""
    concepts = concepts_in(expression.text)
    if expression.value is None:
        raise ValueError(f"{expression.text} has no value")
    return Problem(
        id=name,
        task="arithmetic",
        benchmark=benchmark,
        subset=subset,
        inputs=ArithmeticInputs(expression.text, concepts or None),
        target=ArithmeticTarget(
            expression.value, UNSET if concepts else ordinary_answer(expression)
        ),
        metadata={**features(expression), **about},
    )


def is_hint(problem: Problem) -> bool:
    """Whether a problem is HINT's, and no other arithmetic: also from a file of another name."""
    inputs, target = problem.inputs, problem.target
    return (
        problem.benchmark == "hint"
        or (isinstance(target, ArithmeticTarget) and target.ordinary is not UNSET)
        or (isinstance(inputs, ArithmeticInputs) and inputs.concept is not None)
    )


def contradiction(problem: Problem) -> str | None:
    """The contradiction of a problem to HINT's semantics; None without a contradiction."""
    inputs, target = problem.inputs, problem.target_as(ArithmeticTarget)
    text = inputs.expression if isinstance(inputs, ArithmeticInputs) else ""
    try:
        expression = parse(text)
    except GrammarError as error:
        return f"expression: {error}"
    if target.value != expression.value:
        return f"value is {target.value!r}, not {expression.value!r}"
    if target.ordinary is UNSET or concepts_in(text):
        return None
    if target.ordinary != (ordinary := ordinary_answer(expression)):
        return f"ordinary is {target.ordinary!r}, not {ordinary!r}"
    return None
