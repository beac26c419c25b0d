r"""The scorer of "Symbolic Brittleness in Sequence Models" (2022): ``method="welleck"``.

The paper's released code, for a candidate F and an integrand f:

1. F goes through Lample and Charton's reader, where x is real and not 0, and `simplify`. If their
   check rejects it (`rewards.verify.baselines.readable`, or i in the result), F is taken as it
   stands, with a plain x. An unreadable F is wrong.
2. d = simplify(F'), then D = simplify(f - d) with one and the same plain x on both sides.
3. D = 0, or nsimplify(D, tolerance=0.001) = 0, is **correct**.
4. More than a second, or any exception in between, is **correct** too.

So a verdict of "correct" means "not refuted"; the flags ``timeout_is_correct`` and
``exception_is_correct`` mark verdicts of step 4; without them, the result is the paper's variant in
which a timeout does not count.

Differences here: our extraction and LaTeX reader are used (theirs reads the model's tokens). The
plain x comes from replacing the symbol in the tree, where their code prints the formula and
evaluates the text. Model output is never evaluated as code. The limit is that of their primitives
and compositions, per candidate; for validation problems they allow 10 s for decoding and all
candidates together: `harness.studies.brittleness.validation`.

This module imports SymPy, and uses it once, when it is imported: in a worker, before the clock
starts.
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
    """A packed verdict (`rewards.workers.verdicts.pack`); unbounded in time.

    ``options`` are those of `rewards.verify_antiderivative`. This scorer ignores domains and
    kinds of parameters.
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
    """Steps 1 to 3; raises whatever SymPy raises."""
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
