"""A HINT expression as a problem, and the check of one against the semantics."""

from __future__ import annotations

from ..problem import JSON, Problem
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
    """What results are broken down by: those of the paper's figure A5, and the largest value."""
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
    """The problem that asks for an expression's value; ``about`` is added to its metadata."""
    concepts = concepts_in(expression.text)
    inputs: dict[str, JSON] = {"expression": expression.text}
    target: dict[str, JSON] = {"value": expression.value}
    if concepts:
        inputs["concept"] = concepts
    else:
        target["ordinary"] = ordinary_answer(expression)
    return Problem(
        id=name,
        task="arithmetic",
        benchmark=benchmark,
        subset=subset,
        inputs=inputs,
        target=target,
        metadata={**features(expression), **about},
    )


def is_hint(problem: Problem) -> bool:
    """Whether a problem is HINT's, and no other arithmetic: also from a file of another name."""
    return (
        problem.benchmark == "hint" or "ordinary" in problem.target or "concept" in problem.inputs
    )


def contradiction(problem: Problem) -> str | None:
    """What in a problem contradicts HINT's semantics; None if nothing does."""
    text = str(problem.inputs.get("expression", ""))
    try:
        expected = problem_of(problem.id, problem.benchmark, problem.subset, parse(text), {})
    except GrammarError as error:
        return f"expression: {error}"
    for name, value in expected.target.items():
        if problem.target.get(name, value) != value or "value" not in problem.target:
            return f"{name} is {problem.target.get(name)!r}, not {value!r}"
    return None
