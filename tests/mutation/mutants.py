"""Mutants of eight rooms, drawn by a seed, against the fast tests: the unnoticed changes.

``make mutants`` runs in a copy of the last commit. cosmic-ray changes operators and numbers of the
code, as many in each room. The coverage of each test is measured once: a mutant meets only the
tests of its statement. An interrupted run resumes, and ``--again`` repeats the mutants of a former
draw, found by text, after changes of the code.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
#: A room, and its folders.
ROOMS = {
    "decision": ("rewards/verify/decision", "rewards/verify/agreement"),
    "quadrature": ("rewards/numeric/quadrature",),
    "extraction": ("rewards/reading/extraction",),
    "stats": ("harness/stats",),
    "store": ("harness/store",),
    "run": ("harness/run",),
    "report": ("harness/report",),
    "benchmarks": ("benchmarks",),
}
#: Fast tests that are measured, and meet the mutants, of each package.
TESTS = {
    "rewards": "tests/rewards/verify tests/rewards/numeric tests/rewards/reading/extraction "
    "tests/rewards/test_cases.py",
    "harness": "tests/harness/stats tests/harness/store tests/harness/run tests/harness/report "
    "tests/harness/cli tests/harness/core tests/harness/tasks",
    "benchmarks": "tests/benchmarks",
}
#: Operators of cosmic-ray that change no behaviour that a test should hold (a cache without its
#: decorator), or need arguments.
LEFT_OUT = ("RemoveDecorator", "Variable", "Eq_Is", "NotEq_Is", "Is_Eq", "Is_NotEq", "IsNot_")
#: Seconds of tests, as measured with coverage, that a mutant meets at most.
SECONDS = 60
Mutant = dict[str, Any]


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--chosen", help="a file with the ids of the tests to run, in their order")
    parser.addoption("--durations-to", help="a file for the seconds of each test")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    if config.getoption("chosen"):
        rank = {
            id: n for n, id in enumerate(json.loads(Path(config.getoption("chosen")).read_text()))
        }
        items[:] = sorted((i for i in items if i.nodeid in rank), key=lambda i: rank[i.nodeid])


_SECONDS: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: Any) -> None:
    _SECONDS[report.nodeid] += report.duration if report.passed else 1e9


def pytest_sessionfinish(session: Any) -> None:
    if session.config.getoption("durations_to"):
        Path(session.config.getoption("durations_to")).write_text(json.dumps(_SECONDS))


def statements(source: str) -> Iterator[tuple[str, int, int]]:
    """The scope and the lines of each statement; of a compound statement, the head."""

    def walk(node: ast.AST, scope: str) -> Iterator[tuple[str, int, int]]:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.stmt | ast.excepthandler):
                body = getattr(child, "body", None)
                end = body[0].lineno - 1 if body else child.end_lineno
                start = min(
                    [child.lineno, *(d.lineno for d in getattr(child, "decorator_list", []))]
                )
                yield scope, start, max(child.lineno, end or 0)
                inner = f"{scope}.{child.name}" if hasattr(child, "name") else scope
            yield from walk(child, inner)

    yield from walk(ast.parse(source), "")


def annotations(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The beginning and end of annotations: a mutant of an annotation changes nothing."""
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            hint = getattr(node, name, None)
            if hint is not None:
                yield (hint.lineno, hint.col_offset), (hint.end_lineno, hint.end_col_offset)


def draw(seed: int, number: int) -> list[Mutant]:
    """Mutants, as many in each room: first a place in the code, then a change at the place."""
    names = [n for n in plugins.operator_names() if not any(word in n for word in LEFT_OUT)]
    operators = {name: plugins.get_operator(name)() for name in sorted(names)}
    mutants: list[Mutant] = []
    # Rooms have equal shares, however large they are; within a room every place in the code is
    # equally likely, however many operators apply there.
    for room, folders in ROOMS.items():
        occurrences: dict[tuple[str, Any], list[tuple[str, int]]] = defaultdict(list)
        paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
        for path in paths:
            source = path.read_text("utf-8")
            skipped = list(annotations(source))
            nodes = list(ast_nodes(get_ast(source)))
            for name, operator in operators.items():
                spans = [span for node in nodes for span in operator.mutation_positions(node)]
                for occurrence, (start, _) in enumerate(spans):
                    if not any(a <= start < b for a, b in skipped):
                        key = str(path.relative_to(ROOT)), start
                        occurrences[key].append((name, occurrence))
        rng = random.Random(f"{seed} {room}")
        for key in rng.sample(sorted(occurrences), number // len(ROOMS)):
            name, occurrence = rng.choice(occurrences[key])
            source = (ROOT / key[0]).read_text("utf-8")
            changed = mutate_code(source, operators[name], occurrence)
            mutants.append({"room": room, "operator": name} | described(key[0], source, changed))
    return mutants


def described(module: str, source: str, changed: str) -> Mutant:
    """A mutant by its text, to find the mutant again after the lines around have moved."""
    old, new = source.splitlines(keepends=True), changed.splitlines(keepends=True)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    edits = [code for code in codes if code[0] != "equal"]
    (_, i, _, j, _), (_, _, k, _, m) = edits[0], edits[-1]
    scopes = [(b - a, scope) for scope, a, b in statements(source) if a <= i + 1 <= b]
    old_text = "".join(old[i:k])
    return {
        "module": module,
        "scope": min(scopes)[1] if scopes else "",
        "line": i + 1,
        "before": old_text,
        "after": "".join(new[j:m]),
        "nth": "".join(old[:i]).count(old_text),
    }


def applied(mutant: Mutant, source: str) -> tuple[str, int] | None:
    """The changed source and the number of the line; None if the text is gone."""
    old_text, lines = mutant["before"], source.splitlines(keepends=True)
    size = old_text.count("\n")
    at = [n for n in range(len(lines)) if "".join(lines[n : n + size]) == old_text]
    scoped = {
        n for n in at for scope, a, b in statements(source)
        if a <= n + 1 <= b and scope == mutant["scope"]
    }  # fmt: skip
    if not scoped:
        return None
    line = (
        at[mutant["nth"]]
        if mutant["nth"] < len(at) and at[mutant["nth"]] in scoped
        else min(scoped)
    )
    return "".join([*lines[:line], mutant["after"], *lines[line + size :]]), line + 1


class Copy:
    """A copy of the last commit, with the tests of every line."""

    def __init__(self, out: Path) -> None:
        self.out, self.root = out.resolve(), out.resolve() / "copy"
        if not self.root.exists():
            subprocess.run(["git", "clone", "--quiet", ROOT, self.root], check=True)
        self._seconds: dict[str, dict[str, float]] = {}
        self._lines: dict[str, dict[int, set[str]]] = {}

    def pytest(self, *arguments: str, timeout: float | None = None) -> int:
        """Run pytest in the copy. The status is 124 after a timeout."""
        folder = Path(__file__).parent
        paths = {"PYTHONPATH": f"{self.root}{os.pathsep}{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
        paths["PYTHONUNBUFFERED"] = ""  # or a mutant that forgets to flush would survive
        command = [sys.executable, "-m", "pytest", "-p", "mutants", "-p", "no:cacheprovider"]
        with (self.out / "pytest.log").open("w") as log:
            process = subprocess.Popen(
                [*command, "-q", "-n", "0", *arguments], cwd=self.root, env=os.environ | paths,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return 124

    def seconds(self, package: str) -> dict[str, float]:
        """Seconds of each test of a package. The tests run once with coverage, each a context."""
        written = self.out / f"{package}.json"
        if not written.exists():
            settings = self.out / f"{package}.ini"
            folders = "".join(f"\n    {self.root}/{f}/*" for room in ROOMS.values() for f in room)
            data = self.out / f"{package}.coverage"
            settings.write_text(f"[run]\ndata_file = {data}\ninclude ={folders}\n")
            self.pytest(
                "--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=",
                "-m", "not slow and not perf", f"--durations-to={written}", *TESTS[package].split(),
            )  # fmt: skip
        if package not in self._seconds:
            self._seconds[package] = json.loads(written.read_text())
        return self._seconds[package]

    def lines(self, module: str) -> dict[int, set[str]]:
        """Passed tests by the lines of a module in their execution."""
        if module in self._lines:
            return self._lines[module]
        package = module.partition("/")[0]
        seconds = self.seconds(package)
        data = CoverageData(str(self.out / f"{package}.coverage"))
        data.read()
        file = next((f for f in data.measured_files() if f.endswith("/copy/" + module)), "")
        contexts = data.contexts_by_lineno(file)
        ids = {n: {context.rpartition("|")[0] for context in met} for n, met in contexts.items()}
        passed = {n: {id for id in met if seconds.get(id, 1e9) < 1e9} for n, met in ids.items()}
        return self._lines.setdefault(module, passed)

    def tests(self, module: str, line: int) -> list[str]:
        """Tests that execute a statement, the fastest of each function first.

        For a statement of an import or another process: tests of the module.
        """
        source = (self.root / module).read_text("utf-8")
        heads = [(b - a, a, b) for _, a, b in statements(source) if a <= line <= b]
        _, start, stop = min(heads, default=(0, line, line))
        lines, seconds = self.lines(module), self.seconds(module.partition("/")[0])
        chosen = set[str]().union(*(lines.get(n, ()) for n in range(start, stop + 1)))
        chosen = chosen or set[str]().union(*lines.values())
        order: list[tuple[int, float, str]] = []
        count: Counter[str] = Counter()
        for id in sorted(chosen, key=lambda id: (seconds[id], id)):
            function = id.partition("[")[0]
            order.append((count[function], seconds[id], id))
            count[function] += 1
        return [id for _, _, id in sorted(order)]

    def judge(self, mutant: Mutant, limit: float) -> Mutant:
        """Run the tests of a mutant until a test fails."""
        path = self.root / mutant["module"]
        source = path.read_text("utf-8")
        mutated = applied(mutant, source)
        if mutated is None:
            return mutant | {"result": "gone"}
        changed, line = mutated
        # The fastest tests come first, up to the time limit: most mutants die at once.
        chosen, total = [], 0.0
        seconds = self.seconds(mutant["module"].partition("/")[0])
        for id in self.tests(mutant["module"], line):
            total += seconds[id]
            if chosen and total > limit:
                break
            chosen.append(id)
        result: Mutant = {"tests": len(chosen), "line": line}
        if not chosen:
            return mutant | result | {"result": "survived"}
        listed = self.out / "chosen.json"
        listed.write_text(json.dumps(chosen))
        files = sorted({id.partition("::")[0] for id in chosen})
        try:
            # The copy is always restored, as the next mutant starts from the original.
            path.write_text(changed, "utf-8")
            code = self.pytest(
                "-x", f"--chosen={listed}", "-m", "", *files, timeout=90 + 4 * min(total, limit)
            )
        finally:
            path.write_text(source, "utf-8")
        text = (self.out / "pytest.log").read_text("utf-8", "replace")
        failed = [row for row in text.splitlines() if row.startswith(("FAILED", "ERROR"))]
        by = "time limit" if code == 124 else failed[0] if failed else f"exit {code}"
        return (
            mutant | result | ({"result": "killed", "by": by} if code else {"result": "survived"})
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--out", type=Path, default=ROOT / "build/mutants")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests, for each mutant")
    parser.add_argument("--again", type=Path, help="the results of a former draw, to meet again")
    parser.add_argument("--only", default="", help="with --again: only mutants with this result")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results_file = (
        options.out / f"results-{options.again.stem if options.again else options.seed}.json"
    )
    if results_file.exists():
        results = json.loads(results_file.read_text())
    else:
        former = json.loads(options.again.read_text()) if options.again else None
        results = draw(options.seed, options.number) if former is None else former
        results = [r for r in results if not options.only or r["result"] == options.only]
        results = [
            {k: v for k, v in r.items() if k not in ("result", "by", "tests")} for r in results
        ]
    copy = Copy(options.out)
    for n, mutant in enumerate(results):
        if "result" not in mutant:
            results[n] = copy.judge(mutant, options.seconds)
            results_file.write_text(json.dumps(results, indent=1))
            row = results[n]
            where = f"{row['module']}:{row['line']} {row['scope']}"
            print(f"{n + 1}/{len(results)} {row['result']} {where} {row.get('by', '')}", flush=True)
            if row["result"] == "survived":
                print(f"  - {row['before'].strip()}\n  + {row['after'].strip()}", flush=True)
    for room in ROOMS:
        print(room, dict(Counter(r["result"] for r in results if r["room"] == room)))
    count = Counter(r["result"] for r in results)
    print(f"killed {count['killed']} of {count['killed'] + count['survived']}", dict(count))


if __name__ == "__main__":
    main()
