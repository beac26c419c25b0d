"""Seeds from a user: formulas, files of formulas, the integrands of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ....benchmarks.algebra.formulas import parse
from ....benchmarks.payloads import IntegrationTarget
from ....rewards.reading.latex import ReadError
from ...core.errors import UserError
from ...run.problems import problems_of
from .formulas import NoProblemError, NormalForms, text


def seeds_of(arguments: Sequence[str], benchmark: str | None, limit: int) -> tuple[str, ...]:
    """Collect seed formulas in SymPy's notation.

    Args:
        arguments: formulas, or names of files. A file has a formula per line. ``#`` begins a
            remark.
        benchmark: the name of a benchmark. Its integrands become seeds, too.
        limit: the number of problems taken from the benchmark.

    Returns:
        The formulas.

    Raises:
        UserError: a file or a problem is unreadable, or is not an integrand in x.

    >>> seeds_of(["x + 1"], "drills/monomials", 1)
    ('x + 1', '29*x**4')

    """
    seeds: list[str] = []
    for argument in arguments:
        seeds += _in_file(Path(argument)) if _is_file(argument) else [argument]
    if benchmark is None:
        return tuple(seeds)
    for problem in problems_of([benchmark], limit, 0):
        target = problem.target
        if not isinstance(target, IntegrationTarget) or target.variable != "x":
            raise UserError(f"{problem.id}: seeds are integrands in x")
        try:
            seeds.append(text(NormalForms().of(parse(target.integrand))))
        except (ReadError, NoProblemError) as error:
            raise UserError(f"{problem.id} cannot be a seed: {error}") from None
    return tuple(seeds)


def _is_file(argument: str) -> bool:
    """Whether the argument names a file. The file may be missing.

    An argument with a suffix such as ``.txt`` names a file, because formulas have no suffix.
    """
    path = Path(argument)
    return bool(path.suffix and path.is_file()) or bool(re.fullmatch(r".*\w\.[a-z]{2,}", argument))


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
