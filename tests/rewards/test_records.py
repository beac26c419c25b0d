"""A stored record is read back as an equal record."""

from __future__ import annotations

import json
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.problem import TASKS, Parent, Problem
from calculus_harness.harness.core.requests import Completion, FinishReason, Sampling
from calculus_harness.rewards.questions import COURSE
from calculus_harness.rewards.records import Record
from calculus_harness.rewards.verdict import Evidence, Status, Verdict, Witness

TEXT = st.text(max_size=8)
NUMBER = st.floats(allow_nan=False)
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
LEAF = st.none() | st.booleans() | st.integers() | NUMBER | TEXT
VALUE = st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner))
OBJECT = st.dictionaries(TEXT, VALUE, max_size=2)

VERDICTS = st.builds(
    Verdict,
    st.sampled_from(Status),
    NUMBER,
    st.none() | TEXT,
    st.builds(
        Evidence,
        digits=NUMBER,
        coverage=st.none() | NUMBER,
        witness=st.none() | st.builds(Witness, TEXT, TEXT, TEXT),
        flags=TEXTS,
        offset=st.none() | st.integers(0, 9),
        rules=TEXTS,
    ),
)
#: The inputs and the target of a problem of each task.
PAYLOADS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "integration": ({"integrand": "x", "variable": "x"}, {"integrand": "x", "variable": "x"}),
    "definite_integral": ({"integral": "x"}, {"integral": "x", "value": "1"}),
    "derivation_step": ({"sequence": "x"}, {"label": 1}),
    "calculus_step": ({}, {"label": "0"}),
    "arithmetic": ({"expression": "1/0", "concept": "x"}, {"value": 3, "ordinary": None}),
    **{
        name: ({"question": "x", "request": "y"}, {"question": "x", "answer": "1"})
        for name in COURSE
    },
}
PROBLEMS = st.builds(
    lambda name, task, inputs, target, **options: Problem(
        name,
        task,
        inputs={**inputs, **PAYLOADS[task][0]},
        target={**target, **PAYLOADS[task][1]},
        **options,
    ),
    st.text(min_size=1, max_size=8),
    st.sampled_from(sorted(TASKS)),
    OBJECT,
    OBJECT,
    benchmark=TEXT,
    subset=TEXT,
    assumptions=st.dictionaries(TEXT, TEXT, max_size=2),
    parents=st.lists(st.builds(Parent, TEXT, TEXT), max_size=2).map(tuple),
    metadata=OBJECT,
)
COMPLETIONS = st.builds(
    Completion,
    finish_reason=st.sampled_from(FinishReason),
    score=st.none() | NUMBER,
    latency=NUMBER,
    extra=OBJECT,
)
SAMPLINGS = st.builds(Sampling, temperature=st.floats(0, 2), stop=TEXTS)


@given(VERDICTS | PROBLEMS | COMPLETIONS | SAMPLINGS)
def test_a_record_is_read_back_as_it_was(record: Record) -> None:
    row = record.to_dict()
    assert type(record).from_dict(json.loads(json.dumps(row))) == record
    names = [item.name for item in fields(record)]  # type: ignore[arg-type]
    assert [name for name in row if name in names] == [name for name in names if name in row]
    for name in record.computed:
        assert row[name] == getattr(record, name)


def test_the_stored_form_of_a_verdict() -> None:
    witness = Witness("x=1", "2", "3")
    verdict = Verdict(Status.INCORRECT, 0.0, "x", Evidence(witness=witness, flags=("a", "b")))
    assert json.dumps(verdict.to_dict()) == (
        '{"status": "incorrect", "reward": 0.0, "answer": "x", "evidence": {"method": "balls", '
        '"reading": "", "points": 0, "digits": 0.0, "coverage": null, "witness": {"point": "x=1", '
        '"expected": "2", "got": "3", "difference": ""}, "flags": ["a", "b"], "detail": "", '
        '"offset": null, "extracted_by": "", "seconds": 0.0, "proof": "", "rules": []}, '
        '"correct": false}'
    )
