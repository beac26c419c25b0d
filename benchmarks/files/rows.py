"""Problems from the rows of a user's table: columns are mapped, formulas read and checked."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...rewards import ProblemError
from ...rewards.errors import suggest
from ...rewards.numeric.quadrature import prepare_definite
from ...rewards.numeric.sampling.integrand import Integrand, prepare
from ...rewards.questions import COURSE
from ...rewards.reading.expression.sympy_text import read_sympy
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.reading.latex import ReadError, read, to_latex
from ...rewards.reading.problem import integral_layout
from ..payloads import (
    DefiniteInputs,
    DefiniteTarget,
    IntegrationInputs,
    IntegrationTarget,
    QuestionInputs,
    QuestionTarget,
)
from ..problem import Problem

#: The fields of a row; only ``integrand`` is required.
FIELDS = ("integrand", "variable", "antiderivative", "id", "subset", "assumptions", "metadata")
SYNTAXES = ("latex", "sympy")
#: Published data sets, by characteristic columns -> the module whose `problem_from_row` reads a
#: row. The module declares a benchmark, and is imported at the first such row (as in
#: `benchmarks.registry`).
PUBLISHED = {("expr", "head"): "..hint.subsets"}


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How rows are read.

    Attributes:
        columns: field -> column, where the names differ.
        syntax: the notation of the formulas, ``latex`` or ``sympy``.

    """

    columns: Mapping[str, str] = field(default_factory=dict)
    syntax: str = "latex"

    def __post_init__(self) -> None:
        for name in self.columns:
            if name not in FIELDS:
                raise ValueError(f"no field {name!r} to take from a column; {_known_fields()}")
        if self.syntax not in SYNTAXES:
            raise ValueError(f"unknown syntax {self.syntax!r}; {suggest(self.syntax, SYNTAXES)}")


def problem_from_row(row: Any, row_format: RowFormat, benchmark: str, number: int) -> Problem:
    """The problem in a row.

    A row with a ``task`` but without an integral is a `Problem.to_dict` dictionary; a row with the
    columns of a `PUBLISHED` data set belongs to the data set; a row with a ``problem`` is a
    definite integral; a row with a ``task`` and a ``question`` is of the course. Any other row is
    an integration problem with the columns `FIELDS`; further columns become metadata.

    Args:
        row: the row, a mapping.
        row_format: the format of the row.
        benchmark: the problem's benchmark, unless stated in the row.
        number: the row's number, the id of a row without one.

    Raises:
        ValueError: the row is not a problem.

    """
    if not isinstance(row, Mapping):
        raise ValueError("not a JSON object")
    # Whole problems, known publishers and course questions are recognised by their columns. Named
    # columns override the recognition.
    if _is_whole(row) and not row_format.columns:
        loose = {name: _mapping(row, name) for name in ("assumptions", "metadata")}
        present = {name: value for name, value in row.items() if value is not None}
        problem = Problem.from_dict({"id": "", **present, **loose})
        if isinstance(target := problem.target, IntegrationTarget):
            prepared = prepare(target.integrand, target.variable, dict(problem.assumptions))
            _check_reference(target, prepared)
    elif (module := _publisher(row)) and not row_format.columns:
        problem = import_module(module, __package__).problem_from_row(row, benchmark)
    elif _is_of_course(row) and not row_format.columns:
        problem = _of_course(row, benchmark, number)
    elif _is_definite(row) and not row_format.columns:
        problem = _definite(row, benchmark, number)
    else:
        problem = _integration(_fields(row, row_format), row_format, benchmark, number)
    try:
        # Half a surrogate pair would fail only when the run is stored.
        json.dumps(problem.to_dict(), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise ValueError(f"{half!a} is half of a surrogate pair, not a character") from None
    return problem


def is_problem(row: Mapping[str, Any]) -> bool:
    """Whether a row describes itself: a complete problem of ours, or of a published set.

    Args:
        row: the row.

    """
    return _is_whole(row) or _publisher(row) is not None


def _is_whole(row: Mapping[str, Any]) -> bool:
    # Rows of training sets have a task, too, but also an integrand column.
    return "task" in row and not row.keys() & {"integrand", "problem", "question"}


def _is_of_course(row: Mapping[str, Any]) -> bool:
    return row.get("task") in COURSE and "question" in row and "target" not in row


def _of_course(row: Mapping[str, Any], benchmark: str, number: int) -> Problem:
    """A question of the course: ``task``, ``question``, and an ``answer`` if known."""
    text, task = str(row["question"]), COURSE[str(row["task"])]
    answer = None if row.get("answer") in (None, "") else str(row["answer"])
    used = {"task", "question", "answer", "request", "assumptions", "id", "subset"}
    return Problem(
        id=str(row.get("id") or f"{number:04}"),
        task=task.name,
        benchmark=benchmark,
        subset=str(row.get("subset") or "problems"),
        inputs=QuestionInputs(text, str(row.get("request") or task.summary)),
        target=QuestionTarget(text, answer),
        assumptions=_mapping(row, "assumptions"),
        metadata={name: value for name, value in row.items() if name not in used},
    )


def _is_definite(row: Mapping[str, Any]) -> bool:
    """Whether a row without an integrand has an integral with limits, or a value."""
    if "integrand" in row or "problem" not in row:
        return False
    values = ("symbolic_answer", "numerical_answer")
    return any(name in row for name in values) or _has_limits(str(row["problem"]))


def _has_limits(problem: str) -> bool:
    try:
        return bool(integral_layout(problem).marks)
    except ProblemError:
        return True  # the reader of definite integrals says what is wrong


def _definite(row: Mapping[str, Any], benchmark: str, number: int) -> Problem:
    """A definite integral: ``problem``, and ``value`` (as in published sets), if known."""
    integral = str(row["problem"])
    assumptions = _mapping(row, "assumptions")
    try:
        prepare_definite(integral, assumptions)
    except ProblemError as error:
        raise ValueError(str(error)) from None
    columns = {"value": "value", "symbolic_answer": "value", "numerical_answer": "decimal"}
    answers = {
        name: str(row[column])
        for column, name in columns.items()
        if row.get(column) not in (None, "")
    }
    used = {"problem", "assumptions", "id", "subset", *columns}
    return Problem(
        id=str(row.get("id") or f"{number:04}"),
        task="definite_integral",
        benchmark=benchmark,
        subset=str(row.get("subset") or "problems"),
        inputs=DefiniteInputs(integral),
        target=DefiniteTarget.read({"integral": integral, **answers}),
        assumptions=assumptions,
        metadata={name: value for name, value in row.items() if name not in used},
    )


def _publisher(row: Mapping[str, Any]) -> str | None:
    modules = (module for columns, module in PUBLISHED.items() if row.keys() >= set(columns))
    return next(modules, None)


def _fields(row: Mapping[str, Any], row_format: RowFormat) -> dict[str, Any]:
    fields = {name: row[name] for name in FIELDS if name in row and row[name] not in (None, "")}
    # Columns without a role are kept as metadata, so no data of the row are lost.
    used = set(row_format.columns.values())
    extra_columns = {
        str(name): row[name] for name in row if name not in FIELDS and name not in used
    }
    # Named columns win over columns with our own names.
    for name, column in row_format.columns.items():
        if column not in row:
            columns = ", ".join(map(str, row))
            raise ValueError(f"no column {column!r}; there are {columns}")
        fields.pop(name, None)
        if row[column] not in (None, ""):
            fields[name] = row[column]
    if "integrand" not in fields:
        raise ValueError(
            f"no 'integrand'; the columns are {', '.join(map(str, row))} (--columns "
            f"integrand={next(iter(extra_columns), 'COLUMN')} takes another)"
        )
    # A misspelt column would silently become metadata, and a needed field would be missing.
    for name in extra_columns:
        near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.85)
        if near and near[0] not in fields:
            raise ValueError(
                f"unknown column {name!r}; did you mean {near[0]!r}? (--columns {near[0]}={name})"
            )
    plain = {name: _plain(value) for name, value in extra_columns.items()}
    return fields | {"metadata": plain | _mapping(fields, "metadata")}


def _plain(value: Any) -> Any:
    """A value in a JSON-serialisable form."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return str(value)


def _integration(
    fields: Mapping[str, Any], row_format: RowFormat, benchmark: str, number: int
) -> Problem:
    assumptions = _mapping(fields, "assumptions")
    integrand = _formula(fields["integrand"], row_format)
    variable = str(fields["variable"]) if "variable" in fields else None
    prepared = _prepared(integrand, variable, assumptions)
    if integral_layout(integrand).has_sign:  # a prompt shows the integrand only
        integrand = to_latex(prepared.expression)
    reference = fields.get("antiderivative")
    target = IntegrationTarget(
        integrand,
        prepared.variable,
        None if reference is None else _formula(reference, row_format),
    )
    _check_reference(target, prepared)
    return Problem(
        id=str(fields.get("id", f"{number:04}")),
        task="integration",
        benchmark=benchmark,
        subset=str(fields.get("subset", "problems")),
        inputs=IntegrationInputs(integrand, prepared.variable),
        target=target,
        assumptions=assumptions,
        metadata=_mapping(fields, "metadata"),
    )


def _formula(value: Any, row_format: RowFormat) -> str:
    if row_format.syntax == "sympy":
        return to_latex(read_sympy(str(value)))
    return str(value)


def _prepared(text: str, variable: str | None, assumptions: Mapping[str, str]) -> Integrand:
    """The integrand in the verifier's reading.

    The variable is the given variable, else from the differential, else the only symbol, else x.
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


def _check_reference(target: IntegrationTarget, prepared: Integrand) -> None:
    """Raise `ValueError` if the reference cannot be read. (`ls --validate` proves references.)"""
    if (text := target.antiderivative) is not None:
        try:
            read(text, symbols=prepared.symbols)
        except ReadError as error:
            raise ValueError(f"unreadable antiderivative {text!r}: {error}") from None


#: An example of each field that is an object.
_MAPPINGS = {"assumptions": '{"a": "negative"}', "metadata": '{"source": "a book"}'}


def _mapping(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A mapping field; in CSV the field is JSON text."""
    value = fields.get(name) or {}
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be an object such as {_MAPPINGS[name]}, not {value!r}")
    return {str(key): item for key, item in value.items() if item is not None}


def _known_fields() -> str:
    return f"known: {', '.join(FIELDS)} (other columns by --columns integrand=COLUMN)"
