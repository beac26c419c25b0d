"""Files of released pairs as problems: ``lample_charton/FILE`` is a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...rewards.reading.latex import to_latex
from ..algebra.normal_form import readable
from ..payloads import IntegrationInputs, IntegrationTarget, QuestionInputs, QuestionTarget
from ..problem import Problem
from .codec.equations import equation_latex, equation_tree, solution_tree
from .codec.prefix import PrefixError, from_prefix, is_equation
from .codec.released import CountedPair, ReleasedFileError, numbered_lines, parse
from .problems import NAME


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any] | ValueError]]:
    """Each line's location, and the problem as a dictionary or the error of a broken line.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not text.

    """
    for number, text in numbered_lines(path):
        where = f"line {number}"
        try:
            yield where, _problem(parse(text, where), path, number).to_dict()
        except ReleasedFileError as error:
            yield where, ValueError(str(error).removeprefix(f"{where}: "))
        except PrefixError as error:
            yield where, error


def _problem(pair: CountedPair, path: Path, number: int) -> Problem:
    if is_equation(pair.integrand):
        return _equation(pair, path, number)
    integrand, antiderivative = (
        to_latex(readable(from_prefix(tokens))) for tokens in (pair.integrand, pair.antiderivative)
    )
    return Problem(
        id=f"{path.name}-{number}",
        task="integration",
        benchmark=NAME,
        subset=path.name,
        inputs=IntegrationInputs(integrand, "x"),
        target=IntegrationTarget(integrand, "x", antiderivative),
        metadata={
            "prefix": " ".join(pair.integrand),
            "antiderivative_prefix": " ".join(pair.antiderivative),
            "count": pair.count,
        },
    )


def _equation(pair: CountedPair, path: Path, number: int) -> Problem:
    text = equation_latex(readable(equation_tree(pair.integrand)))
    answer = f"y = {to_latex(readable(solution_tree(pair.antiderivative)))}"
    request = "Solve the differential equation."
    return Problem(
        id=f"{path.name}-{number}",
        task="differential_equation",
        benchmark=NAME,
        subset=path.name,
        inputs=QuestionInputs(text, request),
        target=QuestionTarget(text, answer),
        metadata={
            "prefix": " ".join(pair.integrand),
            "solution_prefix": " ".join(pair.antiderivative),
            "count": pair.count,
        },
    )
