"""Seeds that a user names: formulas, files of them, the integrands of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ....benchmarks.algebra.formulas import parse
from ....benchmarks.payloads import IntegrationTarget
from ....rewards.reading.latex import ReadError
from ...core.errors import UserError
from ...run.problems import problems_of
from .formulas import NormalForms, UnusableError, text


def seeds_of(given: Sequence[str], benchmark: str | None, limit: int) -> tuple[str, ...]:
    """Formulas in SymPy's notation.

    Args:
        given: formulas, or names of files with one a line, where ``#`` begins a remark.
        benchmark: a benchmark whose integrands are seeds, too.
        limit: of that, so many problems.

    Returns:
        The formulas.

    Raises:
        UserError: a file or a problem cannot be read, or is no integrand in x.

    >>> seeds_of(["x + 1"], "drills/monomials", 1)
    ('x + 1', '29*x**4')

    """
    seeds: list[str] = []
    for one in given:
        seeds += _in_file(Path(one)) if _is_file(one) else [one]
    if benchmark is None:
        return tuple(seeds)
    for problem in problems_of([benchmark], limit, 0):
        target = problem.target
        if not isinstance(target, IntegrationTarget) or target.variable != "x":
            raise UserError(f"{problem.id}: seeds are integrands in x")
        try:
            seeds.append(text(NormalForms().of(parse(target.integrand))))
        except (ReadError, UnusableError) as error:
            raise UserError(f"{problem.id} cannot be a seed: {error}") from None
    return tuple(seeds)


def _is_file(given: str) -> bool:
    """Whether this names a file, which may be missing; a formula ends in no such suffix."""
    path = Path(given)
    return bool(path.suffix and path.is_file()) or bool(re.fullmatch(r".*\w\.[a-z]{2,}", given))


def _in_file(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"cannot read the seeds in {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"cannot read the seeds in {path}: {error}") from None
    formulas = [line.partition("#")[0].strip() for line in lines]
    if not any(formulas):
        raise UserError(f"{path} has no formula: seeds are one a line")
    return [formula for formula in formulas if formula]
