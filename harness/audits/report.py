"""The report of an audit: sections for the terminal and the page, and a Markdown file to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..report.numbers import percent
from ..report.sections import Section, as_markdown, write_sections
from ..store.atomic import write_output
from .auditing import Audit
from .corrections.systems import with_corrections
from .effects import Effects
from .findings import DISPUTED, REFUTED, STATUSES, SUSPECT, UNDECIDED, UNREAD

#: The largest number of rows of a status in a report; the log has all rows.
MAX_ROWS = 200
#: The largest number of refuted rows about which computer algebra systems are asked.
MAX_CORRECTIONS = 40
_WORDS = {
    "proved": "an identity, or a value that is enclosed",
    "agreed": "to many digits wherever it was looked at",
    "refuted": "wrong, and a second computation confirms it",
    "suspect": "right in part, in another reading or under a condition",
    "disputed": "refuted, and a second computation contradicts: a fault of ours",
    "undecided": "neither proved nor refuted",
    "unread": "the row, problem or reference cannot be read",
    "without a reference": "nothing to audit",
}


def sections_of(audit: Audit, effects: Effects | None = None) -> list[Section]:
    """The tables of an audit.

    Args:
        audit: the audit.
        effects: what the errors did to scores, if responses were at hand.

    Returns:
        Sections for the terminal, the page and the Markdown file.

    """
    rows = tuple(
        (status, _WORDS[status], str(audit.counts[status]))
        for status in STATUSES
        if audit.counts[status] or status == REFUTED
    )
    title, remarks = f"References of {', '.join(audit.sources)}", (*audit.columns, *_rate(audit))
    sections = [Section(title, ("status", "meaning", "rows"), rows, remarks, names=2)]
    if audit.kinds:
        slips = tuple((status, slip, str(n)) for (status, slip), n in audit.kinds.most_common())
        sections.append(Section("What is wrong", ("status", "kind", "rows"), slips, names=2))
    subsets = sorted({name for name, _ in audit.by_subset})
    if len(subsets) > 1:
        seen = [status for status in STATUSES if audit.counts[status]]
        cells = tuple(
            (name, *(str(audit.by_subset[name, status]) for status in seen)) for name in subsets
        )
        sections.append(Section("By subset", ("subset", *seen), cells, folded=len(subsets) > 20))
    return [*sections, *(effects.sections() if effects else ())]


def _rate(audit: Audit) -> list[str]:
    rate = audit.error_rate
    if rate is None:
        return []
    share, low, high = map(percent, rate)
    if audit.sampled is not None:
        drawn = f"of a sample of {audit.sampled} of {audit.rows_of_sources} rows"
        return [f"Refuted: {share} % [{low}, {high}] {drawn} (95 %, Clopper and Pearson)."]
    upper = f"; at most {high} %, as not all are decided" if audit.undecided else ""
    return [f"Refuted: {share} % of the rows that were read{upper}."]


def write_report(audit: Audit, effects: Effects | None = None) -> Path:
    """Write ``report.md`` and ``report.html`` of an audit into the audit's directory.

    Args:
        audit: the audit.
        effects: what the errors did to scores.

    Returns:
        The Markdown file.

    """
    # Corrections take long: systems are asked only about the rows of the report.
    refuted = list(with_corrections(list(islice(audit.rows(REFUTED), MAX_ROWS)), MAX_CORRECTIONS))
    tables = sections_of(audit, effects)
    closing = [
        _listed(f"{status.capitalize()} rows", list(islice(audit.rows(status), MAX_ROWS)), columns)
        for status, columns in (
            (SUSPECT, ("kind", "reason")),
            (DISPUTED, ("reason", "point", "expected", "got")),
            (UNDECIDED, ("reason",)),
            (UNREAD, ("reason",)),
        )
        if audit.counts[status]
    ]
    groups = audit.duplicates(MAX_ROWS)
    if groups:
        cells = tuple((", ".join(_name(row) for row in group), str(len(group))) for group in groups)
        remark = "Integrals are equal up to a constant factor and the names of symbols."
        closing.append(Section("Problems that are the same", ("rows", "number"), cells, (remark,)))
    text = as_markdown(tables) + "\n" + "".join(map(as_entry, refuted)) + as_markdown(closing)
    path = audit.path
    write_output(path / "report.md", text.encode())
    entries = [_entry_section(row) for row in refuted]
    subtitle = ", ".join(audit.sources)
    write_sections(
        path / "report.html", "Audit of references", subtitle, [*tables, *entries, *closing]
    )
    return path / "report.md"


def _name(row: Mapping[str, Any]) -> str:
    position, name = str(row["place"]), str(row.get("id", ""))
    return position if name in ("", position) else f"{name} ({position})"


def _listed(title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Section:
    headings = ("row", "problem", "reference", *columns)
    cells = tuple(
        (
            _name(row),
            *(_code(row.get(name, "")) for name in ("problem", "reference")),
            *(str(row.get(name, "")) for name in columns),
        )
        for row in rows
    )
    return Section(title, headings, cells, names=len(headings))


def _code(text: object, longest: int = 200) -> str:
    """A formula as code, cut if too long for a table."""
    line = " ".join(str(text).split()).replace("`", "'")
    return f"`{line[:longest]}{'...' if len(line) > longest else ''}`" if line else ""


def _facts(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts about a refuted row, by name."""
    slope = row.get("task") == "integration"
    got = "derivative of the reference there" if slope else "reference there"
    facts = [
        ("problem", _code(row.get("problem", ""), 2000)),
        ("reference", _code(row.get("reference", ""), 2000)),
        ("point", row.get("point", "")),
        ("value of the problem there", row.get("expected", "")),
        (got, row.get("got", "")),
        ("kind", row.get("kind", "")),
        ("corrected", _code(row.get("correction", ""), 2000)),
        ("corrected by", row.get("corrected_by", "")),
        ("confirmed by", ", ".join(row.get("confirmed_by", ()))),
        ("because", row.get("reason", "")),
    ]
    return [(name, str(value)) for name, value in facts if value]


def as_entry(row: Mapping[str, Any]) -> str:
    """A refuted row in Markdown, with the program for the refutation.

    Args:
        row: a row of the log.

    """
    lines = [f"### {_name(row)}\n", *(f"- {name}: {value}" for name, value in _facts(row))]
    if row.get("program"):
        lines += ["", "```python", row["program"].rstrip("\n"), "```"]
    return "\n".join(lines) + "\n\n"


def as_line(row: Mapping[str, Any]) -> str:
    """A row without an accepted reference, in one line.

    Args:
        row: a row of the log.

    """
    words = {"kind": "", "point": "at ", "expected": "expected ", "got": "got ", "reason": ""}
    phrases = (f"{word}{row[name]}" for name, word in words.items() if row.get(name))
    return f"{_name(row)}: {row['status']}: {', '.join(phrases)}"


def _entry_section(row: Mapping[str, Any]) -> Section:
    facts = tuple((name, value.strip("`")) for name, value in _facts(row))
    programs = {"A program that shows it": row["program"]} if row.get("program") else {}
    return Section(_name(row), ("", "refuted"), facts, names=2, programs=programs)
