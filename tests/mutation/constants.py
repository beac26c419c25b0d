"""What a number of the verifier decides: verdicts and counted work with other values in its place.

    python tests/mutation/constants.py 'rewards/verify/agreement/searches.py:22:32=16,64' ...

An argument is FILE:LINE:NUMBER=VALUE,...: the first such number of the line is replaced in a copy
of `rewards`. Rows of the corpora (every fifth, and all of ``redteam.json``) are judged with each
value. For a number of `rewards.reading` all rows are only read, and for a number of
`rewards.verify.solution_steps` the steps of all written solutions are judged. Printed are the rows
whose answer, status, proof or claims change, and the ratio of the counted work.
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
CASES = ROOT / "tests/rewards/cases"
#: File -> the field with the text, and which rows are judged.
CORPORA = {
    "redteam": ("completion", 1),
    "verdicts": ("completion", 5),
    "antiderivatives": ("answer", 5),
    "special_integrals": ("answer", 5),
    "responses": ("response", 5),
    "extraction": ("completion", 1),
}
#: The same of solutions, with the fields of the text and of the problem.
SOLUTIONS = {
    "course_solutions": ("response", "problem"),
    "course_steps": ("response", "problem"),
    "model_solutions": ("response", "integral"),
    "step_scopes": ("text", "problem"),
    "worked_solutions": ("text", "problem"),
}
Row = tuple[str, str, str]
#: How rows are treated, by the folder of the number.
MODES = {"rewards/reading/": "--read", "rewards/verify/solution_steps/": "--steps"}


def judge_steps() -> None:
    """Judge the steps of the solutions with the package on the path; print rows and work."""
    from calculus_harness.rewards import ProblemError, verify_solution
    from calculus_harness.rewards.verify.solution_steps.judging.work import Work

    work = 0
    spend = Work.spend

    def counted(self: Work, slots: int) -> None:
        nonlocal work
        work += slots
        spend(self, slots)

    Work.spend = counted  # type: ignore[method-assign]
    rows: list[Row] = []
    for name, (text, problem) in SOLUTIONS.items():
        for n, case in enumerate(json.loads((CASES / f"{name}.json").read_text("utf-8"))):
            try:
                solution = verify_solution(case[text], case[problem], task=case.get("kind", ""))
                claims = [f"{claim.judgement}" for claim in solution.claims]
                rows.append((f"{name} {n}", solution.outcome, ", ".join(claims)))
            except ProblemError as error:
                rows.append((f"{name} {n}", "", str(error)))
    print(json.dumps([rows, work]))


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
        cases = json.loads((CASES / f"{name}.json").read_text("utf-8"))
        for n, case in enumerate(cases[:: 1 if reading else every]):
            if not isinstance(case[field], str):
                continue
            row = f"{name} {n}", repr(extract(case[field])), ""
            if "integrand" in case and not reading:
                try:
                    verdict = verify_antiderivative(case[field], case["integrand"])
                    row = *row[:2], f"{verdict.status} {verdict.evidence.proof}"
                except ValueError as error:
                    row = *row[:2], str(error)
            rows.append(row)
    print(json.dumps([rows, work]))


def judged(
    mode: str, file: str = "", line: int = 0, old: str = "", new: str = ""
) -> tuple[list[Row], int]:
    """The result of a copy of the package with a single changed number."""
    with tempfile.TemporaryDirectory() as folder:
        # A separate process, as the package is imported only once per process.
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
            [sys.executable, __file__, mode],
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
    bases: dict[str, tuple[list[Row], int]] = {}
    for argument in arguments:
        constant, values = argument.split("=")
        file, line, old = constant.split(":")
        mode = next((m for folder, m in MODES.items() if file.startswith(folder)), "--judge")
        if mode not in bases:
            bases[mode] = judged(mode)
        base, work = bases[mode]
        for value in values.split(","):
            rows, spent = judged(mode, file, int(line), old, value)
            changed = [a[0] for a, b in zip(base, rows, strict=False) if a != b]
            ratio = f", work x {spent / work:.3f}" if work else ""
            sample = ", ".join(changed[:6])
            print(
                f"{constant} -> {value}: {len(changed)} of {len(base)} rows ({sample}){ratio}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["--steps"]:
        judge_steps()
    elif sys.argv[1:] in (["--judge"], ["--read"]):
        judge(reading=sys.argv[1] == "--read")
    else:
        main(sys.argv[1:])
