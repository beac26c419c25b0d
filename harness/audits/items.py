"""Reads rows of tables, benchmarks and runs as items of an audit.

The role of each column and the task of each row are decided here; formulas are read in workers,
except for the first rows, by which columns are chosen. Every row becomes an item: the item of a
broken row has the reason in ``fault``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ...benchmarks.files.rows import RowFormat, is_problem, problem_from_row
from ...benchmarks.files.table import is_source, parse, rows_of
from ...benchmarks.payloads import (
    ArithmeticInputs,
    ArithmeticTarget,
    DefiniteTarget,
    IntegrationTarget,
    QuestionTarget,
)
from ...benchmarks.problem import Problem
from ...benchmarks.registry import resolve
from ...rewards import ProblemError
from ...rewards.reading.expression.build import div
from ...rewards.reading.latex import to_latex
from ...rewards.reading.problem import Conditions
from ...rewards.reading.problem.derivative import read_derivative
from ...rewards.reading.problem.differential_equation import read_differential_equation
from ...rewards.records import Record
from ..core.errors import UserError
from ..store.run import Run
from ..tasks import TASKS
from .reading import (
    Posed,
    UnreadError,
    answer_in,
    as_latex,
    asks_for_an_integral,
    conditions_in,
    posed,
    tree_of,
)

_REFERENCES = (
    *("antiderivative", "reference", "symbolicanswer", "finalanswer", "groundtruth"),
    *("expectedanswer", "expected", "answer", "value", "solution", "result", "target", "gold"),
    *("optimal", "output", "completion", "primitive"),
)
#: Usual names of columns by role, the preferred name first. A column fits if its name begins with
#: one of these names; case, spaces and punctuation do not count.
ROLES: dict[str, tuple[str, ...]] = {
    "problem": (
        *("integrand", "integral", "problem", "question", "challenge", "expression", "exercise"),
        *("query", "prompt", "input", "instruction", "function", "formula"),
    ),
    "reference": _REFERENCES,
    "alternative": (),
    "variable": ("variable", "var", "wrt"),
    "decimal": ("numericalanswer", "decimal", "numerical"),
    "id": ("id", "uid", "problemid", "index", "name"),
    "subset": ("subset", "category", "source", "type", "level", "split"),
    "assumptions": ("assumptions", "conditions", "condition", "domain", "note", "remark"),
}
#: Other names of roles in ``--columns``, from files of problems.
_ALSO = {"integrand": "problem", "antiderivative": "reference", "answer": "reference"}
#: The fault of a formula without an operator: a guess of the operator may refute a right reference.
_NOT_ASKED = (
    "problem: expected an operator (an integral sign, d/dx, a sum, a limit) that says what is "
    "asked for "
    "(--columns integrand=COLUMN says that it is an integrand)"
)
#: The number of rows by which columns are chosen where several names fit.
_TRIED = 40
#: The tasks of questions of the course begin with this word.
OF_COURSE = "course "
_LIMITS = re.compile(
    r"\\int(?:op)?(?:\\limits)?\s*[_^]|\b[iI]ntegra(?:te|l)\([^|]*\(\s*\w+\s*,[^()]*,"
)
_INTEGRAL = re.compile(r"\\i*nt(?:op)?(?![a-zA-Z])|∫|\b[iI]ntegra(?:te|l)\(")
#: Signs and words of tasks other than integrals; the first pattern that fits decides.
_TASK_PATTERNS = (
    (re.compile(r"\\lim(?![a-zA-Z])|\blim(?:it)?(?:_|\s+of\b)"), f"{OF_COURSE}limit"),
    (re.compile(r"\\sum(?![a-zA-Z])|∑"), f"{OF_COURSE}sum"),
    (re.compile(r"\b(?:Taylor|Maclaurin|radius of convergence)\b"), f"{OF_COURSE}sum"),
    (re.compile(r"\\prod(?![a-zA-Z])"), "value"),
    (
        re.compile(
            r"\\[dt]?frac\s*\{\s*(?:\\mathrm\s*\{?\s*)?(?:d|\\partial)(?![a-z]{2})|[A-Za-z)]\s*\^?\{?(?:'|\\prime)"
            r"|\\d{1,3}ot(?![A-Za-z])|(?<![A-Za-z\\])d\w?/d|[a-zA-Z]_\{?[xyzt]+\}?\s*\(|\b[Dd]ifferentia|\b[Dd]erivative\b"
        ),
        f"{OF_COURSE}derivative",
    ),
)


@dataclass(frozen=True, slots=True)
class AuditItem(Record):
    """A row to audit.

    Attributes:
        number: the number of the row among all rows, from 0.
        place: the position of the row in the table, as ``line 3``.
        id: the name of the row in the table.
        subset: the name of the row's subset.
        task: ``integration``, ``definite_integral``, ``value``, ``arithmetic``, or `OF_COURSE` and
            the name of a question of the course; empty without anything to audit.
        problem: the text of the problem.
        reference: the text of the reference.
        alternative: the reference in a second column, for an unreadable first reference.
        decimal: a decimal approximation of the reference.
        variable: the variable, if a column names it.
        assumptions: assumptions on symbols.
        note: conditions on symbols in words, as ``x > 0``.
        fault: the reason why the row cannot be audited.
        contradiction: a contradicting result of an exact recomputation; empty for an agreeing
            result, None without a recomputation.

    """

    number: int
    place: str
    id: str
    subset: str = ""
    task: str = ""
    problem: str = ""
    reference: str = ""
    alternative: str = ""
    decimal: str = ""
    variable: str | None = None
    assumptions: dict[str, str] = field(default_factory=dict)
    note: str = ""
    fault: str = ""
    contradiction: str | None = None


def kind_asked(name: str, problem: str) -> str:
    """The kind of a question. A text with derivatives may be a differential equation.

    Args:
        name: the kind that the signs in the text suggest.
        problem: the text of the question.

    """
    if name == "derivative":
        with suppress(ProblemError):
            read_derivative(problem)
            return name
        with suppress(ProblemError):
            read_differential_equation(problem)
            return "differential_equation"
    return name


def task_of(problem: str, column: str = "") -> str:
    r"""The task of a problem, by the operator or the name of the column.

    A differential equation counts as a derivative here; the judge reads the text and decides.

    >>> task_of(r"\int_0^1 x\,dx"), task_of("x", "integrand"), task_of(r"\frac{d}{dx} x^2")
    ('definite_integral', 'integration', 'course derivative')

    """
    if _LIMITS.search(problem):
        return "definite_integral"
    if _INTEGRAL.search(problem) or column == "integrand" or asks_for_an_integral(problem):
        return "integration"
    task = next((task for pattern, task in _TASK_PATTERNS if pattern.search(problem)), "")
    return task or ("value" if column in ("expression", "formula") else "")


def items_of(
    sources: Sequence[str], columns: Mapping[str, str], notes: list[str]
) -> Iterator[AuditItem]:
    """The items of all rows of the sources.

    Args:
        sources: tables, names of benchmarks, run directories.
        columns: role -> column, for roles that are not to be guessed.
        notes: for each table a line with the chosen columns is appended to this list.

    Yields:
        An item for each row.

    Raises:
        UserError: a table has no column of problems, or lacks a named column.

    """
    number = 0
    for source in sources:
        if is_source(source):
            table = parse(source)
            columns = {**table.row_format.columns, **columns}
            items = _of_rows(rows_of(table), columns, source, notes)
        elif Path(source).is_dir() and not (Path(source) / "manifest.json").is_file():
            raise UserError(f"{source} is a directory, and no run: it has no manifest.json")
        elif Path(source).is_dir():
            items = map(_of_problem, Run(source).problems.values())
        else:
            items = (_of_problem(p) for subset in resolve(source) for p in subset.problems(None, 0))
        for item in items:
            yield AuditItem.from_dict({**item.to_dict(), "number": number})
            number += 1


def _of_problem(problem: Problem) -> AuditItem:
    """The item of a benchmark's problem; arithmetic is recomputed here, exactly."""
    target = problem.target
    common: dict[str, Any] = {
        "number": 0,
        "place": problem.id,
        "id": f"{problem.name}/{problem.id}",
        "subset": problem.name,
        "assumptions": dict(problem.assumptions),
    }
    if isinstance(target, IntegrationTarget) and target.antiderivative is not None:
        common |= {"variable": target.variable, "reference": target.antiderivative}
        return AuditItem(task=problem.task, problem=target.integrand, **common)
    if isinstance(target, DefiniteTarget):
        common |= {"reference": target.value or "", "decimal": target.decimal or ""}
        task = problem.task if target.value or target.decimal else ""
        return AuditItem(task=task, problem=target.integral, **common)
    if isinstance(target, QuestionTarget) and target.answer is not None:
        common |= {"reference": target.answer}
        return AuditItem(task=f"{OF_COURSE}{problem.task}", problem=target.question, **common)
    if isinstance(target, ArithmeticTarget) and isinstance(problem.inputs, ArithmeticInputs):
        # Exact arithmetic needs no verifier.
        wrong = TASKS[problem.task].check(problem)
        task, text = ("" if wrong is None else problem.task), problem.inputs.expression
        reference = str(target.value)
        return AuditItem(
            task=task, problem=text, reference=reference, contradiction=wrong, **common
        )
    return AuditItem(**common)


def _of_rows(
    rows: Iterable[tuple[str, Any]], columns: Mapping[str, str], source: str, notes: list[str]
) -> Iterator[AuditItem]:
    rows = iter(rows)
    head = list(islice(rows, _TRIED))
    samples = [row for _, row in head if isinstance(row, Mapping)]
    if samples and all(map(is_problem, samples)):
        roles: dict[str, str] = {}
        notes.append(f"{source}: rows are problems of ours")
    else:
        roles = roles_of(samples, columns, source)
        pairs = ", ".join(
            f"{role} = {column!r}" for role, column in roles.items() if role != "antiderivative"
        )
        none = "no row can be read" if head else "there are no rows"
        notes.append(f"{source}: {pairs if samples else none}")
    for number, (place, row) in enumerate(chain(head, rows), 1):
        yield _item(place, row, roles, number)


def roles_of(
    samples: Sequence[Mapping[str, Any]], columns: Mapping[str, str], source: str
) -> dict[str, str]:
    """The column of each role.

    Args:
        samples: the first rows.
        columns: the caller's choice, by role or by a field of problem files.
        source: the table, for messages.

    Raises:
        UserError: no column fits the problem, or a named column is missing.

    """
    names = list(dict.fromkeys(name for row in samples for name in row if isinstance(name, str)))
    named = {_ALSO.get(role, role): column for role, column in columns.items()}
    for role, column in named.items():
        if role not in ROLES:
            raise UserError(f"--columns: no role {role!r}; there are {', '.join(ROLES)}")
        if samples and column not in names:
            raise UserError(f"{source} has no column {column!r}; there are {', '.join(names)}")
    chosen = dict(named)
    if columns.keys() & {"integrand", "antiderivative"}:
        chosen["antiderivative"] = chosen.get("reference", "")
    for role in ROLES:
        free = [name for name in names if name not in chosen.values()]
        fitting = [name for name in ranked(free, ROLES[role]) if _has_values(samples, name)]
        if role in chosen or not fitting:
            continue
        if role in ("problem", "reference"):  # the names alone do not tell LaTeX from prose
            fitting.sort(key=lambda name: -_readable(samples, name))
        chosen[role] = fitting[0]
    if "reference" in chosen and "reference" not in named:
        free = [name for name in names if name not in chosen.values()]
        fitting = [name for name in ranked(free, _REFERENCES) if _has_values(samples, name)]
        chosen |= {"alternative": fitting[0]} if fitting else {}
    if _plain(chosen.get("reference", "")).startswith(("antiderivative", "primitive")):
        chosen["antiderivative"] = chosen["reference"]
    if samples and "problem" not in chosen:
        raise UserError(
            f"{source}: no column looks like a problem; there are {', '.join(names)} "
            "(--columns problem=COLUMN,reference=COLUMN)"
        )
    return chosen


def ranked(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """Fitting names: first names equal to a word, then names with a word as the beginning."""
    plain = {name: _plain(name) for name in names}
    equal = [name for word in words for name in names if plain[name] == word]
    long = [word for word in words if len(word) > 3]  # "var" and "id" begin many a name
    begun = [name for word in long for name in names if plain[name].startswith(word)]
    return list(dict.fromkeys([*equal, *begun]))


def _plain(name: str) -> str:
    """A column's name in small letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _has_values(samples: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(row.get(name) not in (None, "") for row in samples)


def _readable(samples: Sequence[Mapping[str, Any]], name: str) -> int:
    """The share of readable values in tenths, to ignore small differences."""
    values = [row[name] for row in samples if row.get(name) not in (None, "")]
    good = sum(map(_can_be_read, map(str, values)))
    return round(10 * good / len(values))


def _can_be_read(text: str) -> bool:
    if task_of(text):
        return True
    try:
        tree_of(text)
    except UnreadError:
        return False
    return True


def _item(place: str, row: Any, roles: Mapping[str, str], number: int) -> AuditItem:
    # A broken row is an item with a fault: an audit counts all rows of a table.
    common: dict[str, Any] = {"number": 0, "place": place, "id": place}
    if not isinstance(row, Mapping):
        fault = str(row) if isinstance(row, ValueError) else "not an object of columns"
        return AuditItem(**common, fault=f"the row is broken: {fault}")
    if not roles or is_problem(row):
        try:
            return _of_problem(problem_from_row(row, RowFormat(), "table", number))
        except (ValueError, KeyError, TypeError) as error:
            return AuditItem(**common, fault=f"the row is no problem: {error}")
    # Other tables have columns with roles, recognised by `items_of`.
    texts = {
        role: "" if (value := row.get(column)) is None else str(value).strip()
        for role, column in roles.items()
        if role not in ("antiderivative", "assumptions")
    }
    common |= {**texts, "id": texts.get("id") or place, "variable": texts.get("variable") or None}
    conditions = row.get(roles["assumptions"]) if "assumptions" in roles else None
    stated = conditions if isinstance(conditions, Mapping) else {}
    common["note"] = conditions if isinstance(conditions, str) else ""
    common["assumptions"] = {
        str(name): str(assumption) for name, assumption in stated.items() if assumption
    }
    # A row without a reference has nothing to audit, and is no fault.
    if not texts["problem"]:
        return AuditItem(**common, fault=f"the column {roles['problem']!r} is empty")
    if not texts.get("reference") and not texts.get("decimal"):
        return AuditItem(**common)
    column = "integrand" if "antiderivative" in roles else _plain(roles["problem"])
    task = task_of(texts["problem"], column)
    return AuditItem(task=task, **common, fault="" if task else _NOT_ASKED)


def stated_reference(item: AuditItem, factor: str = "") -> str:
    """The reference in LaTeX, divided by the factor before the integral sign of the problem."""
    try:
        text = as_latex(answer_in(item.reference), item.problem)
        if not factor:
            return text
        divisor = re.sub(r"\\(?:cdot|times)\s*$|\*\s*$", "", factor)
        return to_latex(div(tree_of(text), tree_of(divisor)))
    except UnreadError as error:
        raise UnreadError(f"reference: {error}", error.offset) from None


def stated_problem(item: AuditItem) -> tuple[Posed, dict[str, str]]:
    """The problem with all conditions of the row, and the assumptions on the symbols."""
    try:
        problem, noted = posed(item.problem), conditions_in(item.note)
    except UnreadError as error:
        raise UnreadError(f"problem: {error}", error.offset) from None
    stated = problem.conditions
    comparisons = (*stated.comparisons, *noted.comparisons)
    assumptions = dict(stated.assumptions) | dict(noted.assumptions) | item.assumptions
    return replace(
        problem, conditions=Conditions(tuple(assumptions.items()), comparisons)
    ), assumptions
