"""The case table of the reader: the reading of each text, with the reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from calculus_harness.rewards.reading import latex
from calculus_harness.rewards.reading.latex import (
    ReadError,
    ambiguities,
    read,
    readings,
    to_latex,
)
from tests.rewards.reading.latex.support import spelled

TABLE = json.loads((Path(__file__).parents[2] / "cases" / "latex.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TABLE["readings"], ids=lambda row: row["latex"])
def test_reads_as_the_table_says(row):
    results = read(row["latex"], symbols=row.get("symbols", ["x"]))
    assert [spelled(reading.expression) for reading in results] == row["readings"], row["reason"]


@pytest.mark.parametrize("row", TABLE["errors"], ids=lambda row: row["latex"])
def test_refuses_as_the_table_says(row):
    with pytest.raises(ReadError) as caught:
        read(row["latex"], symbols=row.get("symbols", ["x"]))
    error = caught.value
    assert type(error) is getattr(latex, row["error"]), row["reason"]
    assert (error.offset, error.expected) == (row["offset"], row["expected"])


@pytest.mark.parametrize("row", TABLE["readings"], ids=lambda row: row["latex"])
def test_printing_reads_back_to_the_same_tree(row):
    symbols = row.get("symbols", ["x"])
    if "e" in symbols:
        pytest.skip("the printer writes e for Euler's number")
    for reading in read(row["latex"], symbols=symbols):
        names = {*symbols, *_names(reading.expression)}
        text = to_latex(reading.expression)
        back = [again.expression for again in read(text, symbols=names)]
        assert spelled(back[0]) == spelled(reading.expression), text


def _names(node):
    if hasattr(node, "name"):
        return {node.name}
    return set().union(*(_names(arg) for arg in getattr(node, "args", ())))


def test_the_table_has_no_duplicates():
    for rows in TABLE.values():
        counts = Counter((row["latex"], tuple(row.get("symbols", ()))) for row in rows)
        assert [key for key, count in counts.items() if count > 1] == []


def test_every_custom_is_shown_in_both_ways():
    names = set()
    for row in TABLE["readings"]:
        for reading in read(row["latex"], symbols=row.get("symbols", ["x"])):
            names.update(reading.ambiguities)
    for ambiguity in ambiguities.AMBIGUITIES:
        assert {ambiguity.name, ambiguity.name + ":second"} <= names


def test_the_first_reading_names_no_second_choice():
    (reading, *alternatives) = read(r"\log(2x)^2", symbols="x")
    assert reading.ambiguities == ("call_power",)
    assert [item.ambiguities for item in alternatives] == [("call_power:second",)]


def test_readings_are_made_on_demand():
    results = readings(r"\log(2x)^2 + x/2a", symbols="x")
    assert spelled(next(results).expression).startswith("(add (pow")


def test_never_more_than_eight_readings():
    text = r"\log(2x)^2 + x/2a + \sin x/2 + \sin x(x+1) + x^10 + e^2x"
    results = read(text, symbols="x")
    assert len(results) == 8
    assert len({spelled(reading.expression) for reading in results}) == 8


def test_one_unreadable_custom_does_not_spoil_the_rest():
    assert len(read(r"\ln|x|\ln|x+1|\ln|x+2|", symbols="x")) == 1
