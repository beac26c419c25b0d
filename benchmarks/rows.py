"""A row of somebody's table as a problem: columns renamed, formulas read, everything checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..rewards import ProblemError
from ..rewards.decision.integrand import Integrand, prepare
from ..rewards.expression.sympy_text import read_sympy
from ..rewards.expression.traversal import symbols_of
from ..rewards.latex import ReadError, read, to_latex
from .problem import Problem

#: What a row may hold; ``integrand`` is all that it must.
FIELDS = ("integrand", "variable", "antiderivative", "id", "subset", "assumptions", "metadata")
SYNTAXES = ("latex", "sympy")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is to be read: field -> column, where they differ, and the formulas' notation."""

    columns: Mapping[str, str] = field(default_factory=dict)
    syntax: str = "latex"

    def __post_init__(self) -> None:
        for name in self.columns:
            if name not in FIELDS:
                raise ValueError(f"no field {name!r} to take from a column; {_known()}")
        if self.syntax not in SYNTAXES:
            raise ValueError(f"unknown syntax {self.syntax!r}; known: {', '.join(SYNTAXES)}")


def problem_of(row: Any, layout: Layout, benchmark: str, number: int) -> Problem:
    """The problem in a row, `ValueError` if there is none.

    A row that says its ``task`` is a whole `Problem`. Otherwise all of the row's columns must be
    fields, unless the layout names columns: then the others are none of our business.
    """
    if not isinstance(row, Mapping):
        raise ValueError("not a JSON object")
    if "task" in row and not layout.columns:
        loose = {name: _mapping(row, name) for name in ("assumptions", "metadata")}
        problem = Problem.from_dict({**row, **loose})
        if problem.task == "integration":
            target = problem.target
            variable = str(target["variable"])
            prepared = prepare(str(target["integrand"]), variable, dict(problem.assumptions))
            _check_reference(target, prepared)
    else:
        problem = _integration(_fields(row, layout), layout, benchmark, number)
    try:
        json.dumps(problem.to_dict(), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise ValueError(f"{half!a} is half of a surrogate pair, and no character") from None
    return problem


def _fields(row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    found = {name: row[name] for name in FIELDS if name in row and row[name] not in (None, "")}
    for name, column in layout.columns.items():
        if column not in row:
            there = ", ".join(map(str, row))
            raise ValueError(f"no column {column!r}; there are {there}")
        found.pop(name, None)
        if row[column] not in (None, ""):
            found[name] = row[column]
    if "integrand" not in found:
        raise ValueError("no 'integrand'")
    unknown = [str(name) for name in row if name not in FIELDS]
    if unknown and not layout.columns:
        raise ValueError(f"unknown field {unknown[0]!r}; {_known()}")
    return found


def _integration(fields: Mapping[str, Any], layout: Layout, benchmark: str, number: int) -> Problem:
    assumptions = _mapping(fields, "assumptions")
    integrand = _formula(fields["integrand"], layout)
    variable = str(fields["variable"]) if "variable" in fields else None
    prepared = _prepared(integrand, variable, assumptions)
    if "\\int" in integrand:  # prompts ask for the integral of the integrand
        integrand = to_latex(prepared.expression)
    shown = {"integrand": integrand, "variable": prepared.variable}
    target = dict(shown)
    if "antiderivative" in fields:
        target["antiderivative"] = _formula(fields["antiderivative"], layout)
    _check_reference(target, prepared)
    return Problem(
        id=str(fields.get("id", f"{number:04}")),
        task="integration",
        benchmark=benchmark,
        subset=str(fields.get("subset", "problems")),
        inputs=shown,
        target=target,
        assumptions=assumptions,
        metadata=_mapping(fields, "metadata"),
    )


def _formula(value: Any, layout: Layout) -> str:
    if layout.syntax == "sympy":
        return to_latex(read_sympy(str(value)))
    return str(value)


def _prepared(text: str, variable: str | None, assumptions: Mapping[str, str]) -> Integrand:
    """With the variable that is named, or that the differential names, or else the only symbol;
    with several symbols, or none, it is x.
    """
    try:
        return prepare(text, variable, assumptions)
    except ProblemError as error:
        if variable is not None or not str(error).startswith("name the variable"):
            raise
    prepared = prepare(text, "x", assumptions)
    names = symbols_of(prepared.expression)
    if names and "x" not in names:
        raise ProblemError(f"name the variable: the symbols are {', '.join(sorted(names))}")
    return prepared


def _check_reference(target: Mapping[str, Any], prepared: Integrand) -> None:
    """That it can be read, if there is one; whether it is right is for `ls --validate`."""
    if "antiderivative" in target:
        text = str(target["antiderivative"])
        try:
            read(text, symbols=prepared.symbols)
        except ReadError as error:
            raise ValueError(f"unreadable antiderivative {text!r}: {error}") from None


def _mapping(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A mapping, which a table without structure (CSV) holds as JSON text."""
    value = fields.get(name) or {}
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, Mapping):
        raise ValueError(f"{name!r} must be a mapping")
    return {str(key): item for key, item in value.items() if item is not None}


def _known() -> str:
    return f"known: {', '.join(FIELDS)} (other columns by --columns integrand=COLUMN)"
