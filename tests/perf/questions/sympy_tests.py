"""Questions with answers from SymPy's own tests, beside SymPy's own functions.

``python tests/perf/questions/sympy_tests.py equations|limits|sums [--seconds 5] [--list STATUS]``
takes the tests of the installed SymPy, prints each question and each answer by `sympy.latex`, and
judges the answer. The rival gets the same question as an expression, and is stopped after
``--seconds`` of processor time. ``--list`` prints the questions with one of the counted results.

* equations: the examples of `sympy.solvers.ode.tests.test_single`; the rival is `checkodesol`.
  Examples with several solutions list parts of the general solution, so that "not general" is no
  fault there.
* limits, sums: what the assertions of the test modules compare with ``==`` or ``is``, such as
  ``limit(sin(x)/x, x, 0) == 1``; the rivals compute the limit or the sum anew.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import sympy
from sympy.solvers.ode import checkodesol

from calculus_harness.rewards import (
    ProblemError,
    verify_differential_equation,
    verify_limit,
    verify_sum,
)

#: The test modules of each kind of question.
MODULES = {
    "equations": ("solvers.ode.tests.test_single",),
    "limits": tuple(f"series.tests.test_{name}" for name in ("limits", "gruntz", "demidovich")),
    "sums": ("concrete.tests.test_sums_products", "concrete.tests.test_gosper"),
}


class Case(NamedTuple):
    """A question of SymPy's tests as an unevaluated expression, with the answer."""

    question: sympy.Basic
    answer: sympy.Basic


class _StoppedError(Exception):
    pass


def _equations(module: ModuleType) -> Iterator[Case]:
    for name in dir(module):
        if name.startswith("_get_examples_ode"):
            for example in getattr(module, name):
                equation, solutions = example["eq"], example["sol"]
                if isinstance(equation, sympy.Basic):
                    yield from (Case(equation, s) for s in solutions if isinstance(s, sympy.Eq))


def _question_of(call: ast.expr, names: dict[str, Any]) -> sympy.Basic | None:
    """The limit or the sum on a side of an assertion, if any."""
    if not isinstance(call, ast.Call):
        return None
    function, arguments = call.func, call.args
    class_name = {"limit": "Limit", "gruntz": "Limit", "summation": "Sum"}.get(
        function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    )
    if isinstance(function, ast.Attribute) and function.attr == "doit":  # Sum(..).doit()
        value = eval(compile(ast.Expression(function.value), "", "eval"), names)
        return value if isinstance(value, sympy.Limit | sympy.Sum) else None
    if class_name is None:
        return None
    if isinstance(function, ast.Attribute):  # f.limit(x, 0)
        arguments = [function.value, *arguments]
    built = ast.Call(ast.Name(class_name, ast.Load()), arguments, call.keywords)
    expression = ast.fix_missing_locations(ast.Expression(built))
    return eval(compile(expression, "", "eval"), names)  # type: ignore[no-any-return]


def _asserted(module: ModuleType) -> Iterator[Case]:
    """Run the tests of a module without the assertions, which are read."""
    for test in ast.parse(inspect.getsource(module)).body:
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
            continue
        names = dict(vars(module), Limit=sympy.Limit, Sum=sympy.Sum)
        for statement in test.body:
            with suppress(Exception):  # tests also run what is expected to fail
                if not isinstance(statement, ast.Assert):
                    exec(compile(ast.Module([statement], []), "", "exec"), names)
                elif isinstance(compared := statement.test, ast.Compare) and isinstance(
                    compared.ops[0], ast.Eq | ast.Is
                ):
                    question = _question_of(compared.left, names)
                    right = compile(ast.Expression(compared.comparators[0]), "", "eval")
                    if question is not None:
                        yield Case(question, sympy.sympify(eval(right, names)))


def _timed(call: Callable[[], str]) -> tuple[str, float]:
    start = time.process_time()
    try:
        result = call()
    except _StoppedError:
        result = "stopped"
    except Exception as error:  # the rival raises many kinds
        result = type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return result, time.process_time() - start


def _printed(case: Case) -> tuple[str, str]:
    written = sympy.latex(case.question)
    is_expression = isinstance(case.question, sympy.Eq | sympy.Limit | sympy.Sum)
    question = written if is_expression else f"{written} = 0"
    return rf"\boxed{{{sympy.latex(case.answer)}}}", question


def _judged(task: str, answer: str, question: str) -> str:
    verify = {"limits": verify_limit, "sums": verify_sum}.get(task, verify_differential_equation)
    try:
        verdict = verify(answer, question)
    except ProblemError:
        return "question not read"
    partial = "constants of integration" in verdict.evidence.detail
    return "not general" if partial else verdict.status.value


def _by_rival(case: Case, seconds: float) -> str:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    if isinstance(case.question, sympy.Limit | sympy.Sum):
        is_same = case.question.doit() == case.answer
    else:
        is_same = checkodesol(case.question, case.answer)[0] is True
    return "correct" if is_same else "not shown"


def _stop(number: int, frame: FrameType | None) -> None:
    raise _StoppedError


def _line(name: str, results: list[tuple[str, float]]) -> str:
    times = sorted(seconds for _, seconds in results)
    p50, p99 = (1e3 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.99))
    counts = ", ".join(f"{n} {word}" for word, n in Counter(r for r, _ in results).most_common())
    return f"{name:14} {sum(times):7.1f} s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms: {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(MODULES))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--list", default="", help="a result whose questions are printed")
    options = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _stop)
    cases_of = _equations if options.kind == "equations" else _asserted
    modules = [importlib.import_module(f"sympy.{name}") for name in MODULES[options.kind]]
    cases = [case for module in modules for case in cases_of(module)]
    texts = [_printed(case) for case in cases]
    ours = [_timed(lambda text=text: _judged(options.kind, *text)) for text in texts]  # type: ignore[misc]
    for (answer, question), (result, _) in zip(texts, ours, strict=True):
        if result == options.list:
            print(question, answer, sep="\n    ")
    rival = [
        _timed(lambda case=case: _by_rival(case, options.seconds))  # type: ignore[misc]
        for case in cases
    ]
    print(f"{len(cases)} {options.kind} of SymPy {sympy.__version__}")
    print(_line("this verifier", ours))
    print(_line("SymPy", rival))
    ratio = sum(seconds for _, seconds in rival) / sum(seconds for _, seconds in ours)
    print(f"processor time, SymPy / this verifier: {ratio:.1f}")


if __name__ == "__main__":
    main()
