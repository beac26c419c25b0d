"""What a number of the verifier decides: verdicts and counted work with other values in its place.

    python tests/mutation/constants.py 'rewards/verify/agreement/searches.py:22:32=16,64' ...

An argument is FILE:LINE:NUMBER=VALUE,...: the first such number of the line is replaced in a copy
of `rewards`. Rows of the corpora (every fifth, and all of ``redteam.json``) are judged with each
value, or for a number of `rewards.reading` are only read, all of them. Printed are the rows whose
answer, status or proof changes, and the ratio of the counted work.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: File -> the field with the text, and which rows are judged.
CORPORA = {
    "redteam": ("completion", 1),
    "verdicts": ("completion", 5),
    "antiderivatives": ("answer", 5),
    "special_integrals": ("answer", 5),
    "responses": ("response", 5),
    "extraction": ("completion", 1),
}
Row = tuple[str, str, str]


def judge(reading: bool) -> None:
    """Judge, or only read, the rows with the package on the path; print rows and work as JSON."""
    from calculus_harness.rewards import verify_antiderivative
    from calculus_harness.rewards.numeric.outcome import Budget
    from calculus_harness.rewards.reading.extraction import extract

    work = 0
    spend = Budget.spend

    def counted(self: Budget, units: int) -> None:
        nonlocal work
        work += units
        spend(self, units)

    Budget.spend = counted  # type: ignore[method-assign]
    rows: list[Row] = []
    for name, (field, every) in CORPORA.items():
        cases = json.loads((ROOT / f"tests/rewards/cases/{name}.json").read_text("utf-8"))
        for n, case in enumerate(cases[:: 1 if reading else every]):
            if not isinstance(case[field], str):
                continue
            found = f"{name} {n}", repr(extract(case[field])), ""
            if "integrand" in case and not reading:
                try:
                    verdict = verify_antiderivative(case[field], case["integrand"])
                    found = *found[:2], f"{verdict.status} {verdict.evidence.proof}"
                except ValueError as error:
                    found = *found[:2], str(error)
            rows.append(found)
    print(json.dumps([rows, work]))


def judged(
    reading: bool, file: str = "", line: int = 0, old: str = "", new: str = ""
) -> tuple[list[Row], int]:
    """What a copy of the package says in which one number is another."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "calculus_harness"
        shutil.copytree(ROOT / "rewards", package / "rewards")
        (package / "__init__.py").touch()
        if file:
            path = package / file
            lines = path.read_text("utf-8").splitlines(keepends=True)
            pattern = rf"(?<![\w.]){re.escape(old)}(?![\w.])"
            lines[line - 1], count = re.subn(pattern, new, lines[line - 1], count=1)
            assert count, f"{file}:{line} has no {old}"
            path.write_text("".join(lines), "utf-8")
        done = subprocess.run(
            [sys.executable, __file__, "--read" if reading else "--judge"],
            env={"PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return [("failed", done.stderr.strip().splitlines()[-1], "")], 0
        rows, work = json.loads(done.stdout)
        return [tuple(row) for row in rows], work


def main(arguments: list[str]) -> None:
    bases: dict[bool, tuple[list[Row], int]] = {}
    for argument in arguments:
        place, values = argument.split("=")
        file, line, old = place.split(":")
        reading = file.startswith("rewards/reading/")
        if reading not in bases:
            bases[reading] = judged(reading)
        base, work = bases[reading]
        for value in values.split(","):
            rows, spent = judged(reading, file, int(line), old, value)
            changed = [a[0] for a, b in zip(base, rows, strict=False) if a != b]
            ratio = f", work x {spent / work:.3f}" if work else ""
            shown = ", ".join(changed[:6])
            print(
                f"{place} -> {value}: {len(changed)} of {len(base)} rows ({shown}){ratio}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:] in (["--judge"], ["--read"]):
        judge(reading=sys.argv[1] == "--read")
    else:
        main(sys.argv[1:])
