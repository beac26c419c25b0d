"""Every verdict, with the evidence, equals the record: any change raises `VERSION`.

``python tests/rewards/test_recorded.py`` records anew and prints changed rows. The rows come from
the corpora (large corpora in part) and from each generator of the standing search.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from calculus_harness.harness.studies.redteam import GENERATORS, case_at
from calculus_harness.rewards import ProblemError
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.extraction import extract
from calculus_harness.rewards.verdict import VERSION

CASES = Path(__file__).parent / "cases"
RECORD = CASES / "recorded.json"
#: Corpus -> the fields with the problem and the text, and which rows are judged.
JUDGED = {
    "redteam": ("integrand", "completion", 1),
    "verdicts": ("integrand", "completion", 6),
    "antiderivatives": ("integrand", "answer", 20),
    "special_integrals": ("integrand", "answer", 6),
    "definite": ("integral", "answer", 1),
}
#: Corpora whose texts are read for an answer, all of them.
READ = {"extraction": "completion", "responses": "response", "verdicts": "completion"}
#: Cases of each generator.
DRAWN = 14


def judged(task: str, problem: str, text: str, **options: Any) -> str:
    """A verdict in a line, without the time and the digits that depend on the version of Arb."""
    try:
        verdict = QUESTIONS.get(task, QUESTIONS["antiderivative"]).verify(text, problem, **options)
    except ProblemError:
        return "problem error"
    e = verdict.evidence
    point = "" if e.witness is None else e.witness.point
    fields = (verdict.status, e.proof, e.points, e.digits, e.coverage, *e.flags, e.detail, point)
    return " ".join(map(str, fields))


def rows(name: str) -> Iterator[tuple[str, str]]:
    """Rows of a part of the record: a name, and today's verdict."""
    if name == "generated":
        for maker in GENERATORS:
            for index in range(DRAWN):
                case = case_at(maker, 36, index)
                options = {"assumptions": case.assumptions} if case.assumptions else {}
                verdict = judged(case.task, case.integrand, case.completion, **options)
                yield f"{maker} {index}", verdict
        return
    corpus, _, reading = name.partition(" ")
    cases = json.loads((CASES / f"{corpus}.json").read_text("utf-8"))
    for n, case in enumerate(cases):
        if reading:
            text = case[READ[corpus]]
            if isinstance(text, str):
                yield f"{corpus} {n}", repr(extract(text))
        elif n % JUDGED[corpus][2] == 0:
            problem, text, _ = JUDGED[corpus]
            options = dict(case.get("options", {}))
            if "variable" in case:
                options["variable"] = case["variable"]
            if isinstance(case[text], str):
                yield f"{corpus} {n}", judged(corpus, case[problem], case[text], **options)


SETS = ("generated", *JUDGED, *(f"{name} read" for name in READ))


def digests(verdicts: dict[str, str]) -> list[str]:
    return [f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}" for text in verdicts.values()]


@pytest.mark.parametrize("name", SETS)
def test_verdicts_are_the_recorded_ones(name: str) -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    verdicts = dict(rows(name))
    new = digests(verdicts)
    old = record["rows"][name].split()
    changed = [
        f"{row}: {verdicts[row]}" for row, a, b in zip(verdicts, old, new, strict=True) if a != b
    ]
    assert not changed, (
        f"{len(changed)} verdicts of version {record['version']} have changed; if they may, raise "
        "VERSION, and record them: python tests/rewards/test_recorded.py\n" + "\n".join(changed[:9])
    )
    assert record["version"] == VERSION, "record again: python tests/rewards/test_recorded.py"


def record() -> None:
    old = json.loads(RECORD.read_text("utf-8"))["rows"] if RECORD.exists() else {}
    new = {}
    for name in SETS:
        texts = dict(rows(name))
        current = digests(texts)
        former = old.get(name, "").split() or current
        for row, a, b in zip(texts, former, current, strict=False):
            if a != b:
                print(f"{row}: {texts[row]}")
        new[name] = " ".join(current)
    RECORD.write_text(json.dumps({"version": VERSION, "rows": new}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(record())
