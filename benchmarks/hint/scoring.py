"""Two scorers for HINT with different measures.

`hint_answer` compares a prediction with HINT's answer. `notebook_arithmetic` produced the GPT-3
rows of table 3 (Li et al. 2023; released notebooks) and compares the truncated prediction with the
truncated value in ordinary arithmetic, where minus may be negative and division is exact.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from .semantics import CONCEPTS, Expression, operations


def read_prediction(completion: str) -> float | None:
    """The number in the notebooks' reading: the last float among the tokens between spaces.

    Spaces and full stops are taken off both ends, line breaks count as spaces. ``1,234`` and
    ``20/135`` are no floats; ``inf``, ``nan`` and ``1_000`` are, as in Python.

    >>> read_prediction(" 4 apples, or 12."), read_prediction(" 20/135.")
    (12.0, None)
    """
    for token in reversed(completion.strip(" .").replace("\n", " ").split(" ")):
        try:
            return float(token)
        except ValueError:
            continue
    return None


def ordinary_value(expression: Expression) -> int | float | None:
    """The value in Python's arithmetic, with negative numbers and true division.

    Args:
        expression: An expression without few-shot concepts.

    Returns:
        The value; None for a division by zero or a number beyond the floats, at which the notebooks
        would have stopped.

    Raises:
        ValueError: If the expression holds a few-shot concept.

    """
    if any(symbol in CONCEPTS for symbol in expression.text):
        raise ValueError(f"{expression.text[:60]} holds a concept that ordinary arithmetic lacks")
    values = [int(symbol) if symbol.isdigit() else 0.0 for symbol in expression.text]
    try:
        for node, left, right in operations(expression):
            values[node] = _PYTHON[expression.text[node]](values[left], values[right])
    except (ZeroDivisionError, OverflowError):
        return None
    return values[expression.root]


_PYTHON: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def ordinary_answer(expression: Expression) -> int | None:
    """The truncated `ordinary_value`, the answer in the notebooks."""
    value = ordinary_value(expression)
    return None if value is None or not math.isfinite(value) else int(value)


def hint_answer(completion: str, expression: Expression) -> bool:
    """Whether the prediction is HINT's answer."""
    prediction = read_prediction(completion)
    return prediction is not None and prediction == expression.value


def counted_right(prediction: float | None, ordinary: int | None) -> bool:
    """Whether the notebooks would have counted a prediction as right.

    The prediction is truncated (5.9 is 5, -0.5 is 0), and a prediction of exactly 0 is wrong
    whatever the answer. Where the notebooks would have stopped with an error (``nan``, ``inf``,
    a division by zero) it is wrong.

    Args:
        prediction: What `read_prediction` read.
        ordinary: The `ordinary_answer`.

    """
    if not prediction or not math.isfinite(prediction):
        return False
    return int(prediction) == ordinary


def notebook_arithmetic(completion: str, expression: Expression) -> bool:
    """Whether the notebooks would have counted the completion as right (`counted_right`)."""
    return counted_right(read_prediction(completion), ordinary_answer(expression))
