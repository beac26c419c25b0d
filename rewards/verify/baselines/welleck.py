"""The scorer of "Symbolic Brittleness in Sequence Models" (2022): ``method="welleck"``.

The steps of the paper's released code for a candidate F and an integrand f are:

1. Lample and Charton's reader reads F, with an x that is real and not 0. Then `simplify` simplifies
  F. The reader checks F (`rewards.verify.baselines.readable`). If the check fails, or if the
  simplified F contains i, F is used unchanged. In this case, x has no assumptions. An unreadable F
  is wrong.
2. d = simplify(F'), then D = simplify(f - d). In f and d, x has no assumptions.
3. D = 0, or nsimplify(D, tolerance=0.001) = 0, is **correct**.
4. If this takes more than a second, or raises an exception, the verdict is **correct**, too.

A verdict of "correct" therefore means "not refuted". The flags ``timeout_is_correct`` and
``exception_is_correct`` mark verdicts of step 4. The paper also has a variant in which these
verdicts do not count as correct.

There are three differences. First, our extraction and our LaTeX reader are used; the paper's reader
reads the model's tokens. Second, the symbol x is replaced in the tree; the paper's code prints the
formula and evaluates the text, but here model output is never evaluated as code. Third, each
candidate has the time limit that the paper uses for primitives and compositions. For validation
problems the paper allows 10 s for decoding and all candidates together
(`harness.studies.brittleness.validation`).

On import, this module also imports SymPy and uses SymPy once. In a worker, the start of SymPy
therefore does not count against the time limit.
"""

from __future__ import annotations

from typing import Any

import sympy

from ...numeric.sampling.integrand import prepare
from ...reading.expression.sympy_bridge import to_sympy
from ...reading.expression.tree import Call, Expression, Symbol
from ...verdict import Status
from ...workers.verdicts import pack
from ..answers import AnswerOptions, find_answer, read_answer
from .readable import MAX_NESTED, finite_somewhere, nested_exponentials

TOLERANCE = 0.001


def judge(completion: str, integrand: str, options: dict[str, Any]) -> list[Any]:
    """Judge a completion without a time limit.

    The result is a verdict that `rewards.workers.verdicts.pack` has packed. ``options`` are the
    options of `rewards.verify_antiderivative`. This scorer ignores assumptions on parameters. It
    also ignores domains.
    """
    variable = options.get("variable")
    problem = prepare(integrand, variable, options.get("assumptions"))
    answer = find_answer(completion, AnswerOptions.of(options), method="welleck")
    read_answer(answer, problem.symbols)
    if answer.status is not None:
        return pack(answer.verdict(answer.status))
    reading = next(iter(answer.readings))
    try:
        right = correct(reading.expression, problem.expression, problem.variable)
    except UnreadableError as error:
        return pack(answer.verdict(Status.UNPARSEABLE, detail=str(error)))
    except MemoryError:
        raise
    except Exception as error:  # any failure of SymPy
        detail = f"{type(error).__name__}: {error}"[:200]
        return pack(answer.verdict(Status.CORRECT, detail=detail, flags=("exception_is_correct",)))
    detail = "f - F' simplifies to 0" if right else "f - F' does not simplify to 0"
    return pack(answer.verdict(Status.CORRECT if right else Status.INCORRECT, detail=detail))


class UnreadableError(ValueError):
    """SymPy has no function for a part of the candidate."""


def correct(candidate: Expression, integrand: Expression, variable: str = "x") -> bool:
    """Whether steps 1 to 3 of the scorer accept the candidate. SymPy may raise exceptions."""
    x = sympy.Symbol(variable)
    f = to_sympy(integrand)
    try:
        plain = to_sympy(candidate)
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    real = sympy.Symbol(variable, real=True, nonzero=True)
    if nested_exponentials(candidate) < MAX_NESTED and finite_somewhere(candidate):
        simplified = sympy.simplify(plain.xreplace({x: real}))
        if not simplified.has(sympy.I, sympy.AccumBounds):
            return _vanishes(f - sympy.simplify(sympy.diff(simplified, real)), {real: x})
    return _vanishes(f - sympy.simplify(sympy.diff(plain, x)), {})


def _vanishes(difference: Any, renamed: dict[Any, Any]) -> bool:
    remainder = sympy.simplify(difference.xreplace(renamed))
    return bool(remainder == 0 or sympy.nsimplify(remainder, tolerance=TOLERANCE) == 0)


# SymPy imports parts of itself when they are first used.
correct(Call("exp", (Symbol("x"),)), Call("sin", (Symbol("x"),)))
