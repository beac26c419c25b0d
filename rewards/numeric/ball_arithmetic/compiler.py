"""Compiles expression trees to a `Tape`. Each distinct sub-expression gets an index, its slot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from flint import acb, fmpq

from ...reading.expression.build import add, neg, power
from ...reading.expression.formulas import definition_of
from ...reading.expression.traversal import (
    SLOW,
    additive_terms,
    fold,
    is_written_with,
    symbols_of,
    without_factor,
)
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import COMPARISONS, names
from ...reading.functions.record import (
    AT_INTEGERS,
    COSTLY,
    PRODUCT,
    RADICAL_SLOPE,
    TURNING,
    TWO_LOGARITHMS,
    WORKER,
    ZERO,
)
from . import jets
from .balls import USUAL, Branch, Break, Conventions, Tape, UnusableError, precision
from .functions import RULES, lambertw
from .jets import CONSTANTS, TEXTBOOK, Ball, Jet, Rule
from .ranges import may_have_pole

#: More slots than any realistic answer has; a deterministic bound on the work.
MAX_SLOTS = 12_000
#: Bits with which constants are tested for being real.
TESTED_BITS = 128
#: Branches of Lambert's W that are computed: those near the real ones, 0 and -1.
MAX_W_BRANCH = 64
#: Long numbers raise the working precision, up to this length in bits.
MAX_LITERAL_BITS = 704
#: Functions whose values show in ball arithmetic whether the argument is in their real domain, and
#: the compiler's own rules of that kind.
DOMAIN = names(lambda f: f.domain and f.cost != WORKER) | {"lgamma", "pow_rational", "power"}
#: Meromorphic functions. (The real part has no derivative; Ei and others of that cost branch at 0.)
_SINGLE = names(
    lambda f: bool(f.derivative) and f.cost != WORKER and not (f.domain or f.branch or f.breaks)
)
#: Functions that turn back where their argument touches 1 or -1. Derivatives of these, and of those
#: with a radical in the slope, change branch where their argument passes a special value (a double
#: zero, say), so agreement on one interval says nothing about the next.
TURNS = names(lambda function: function.branch == TURNING)
_BRANCHING = TURNS | names(lambda function: function.branch == RADICAL_SLOPE)
_LOGARITHMIC = names(lambda function: function.branch == TWO_LOGARITHMS)
#: Not analytic: their argument's zeros (or, for rounding, whole numbers) are breakpoints.
_BREAKS_AT_ZERO = names(lambda function: function.breaks == ZERO)
_BREAKS_AT_INTEGERS = names(lambda function: function.breaks == AT_INTEGERS)
#: Rules that take no longer than a few products.
_CHEAP = names(lambda function: function.cost == PRODUCT) | {"sub"}
#: Rules that take as long as ten elementary functions, and with many bits as a hundred. (Those of
#: `SLOW` take longer still; they run in a worker, whose processor time is limited.)
_COSTLY = names(lambda function: function.cost == COSTLY)
#: Powers up to this one take a few products.
MAX_CHEAP_POWER = 64
_COMPARISONS = frozenset(function.name for function in COMPARISONS)


def compile_tape(expression: Expression, variable: str, conventions: Conventions = USUAL) -> Tape:
    """Compile ``expression``, a function of ``variable``, to a `Tape`.

    If the expression cannot be compiled, `UnusableError` is raised. The recursion is as deep as the
    tree. The parser bounds this depth.
    """
    tape = Tape(variable, conventions)
    compiler = _Compiler(tape)
    terms = additive_terms(expression, variable)
    compiler.outermost = {id(without_factor(term, variable)) for term in terms}
    slots = [compiler.slot(term) for term in terms]
    tape.terms = [slot for slot in slots if tape._varying[slot]]
    tape.root = compiler.chain("add", slots)
    tape.longest = max(tape.longest, len(terms))
    if compiler.constant_branches:
        with precision(TESTED_BITS):
            if tape.has_complex_constants():
                tape.branches += compiler.constant_branches
    return tape


def _gather(rule: Rule, slots: Sequence[int]) -> Rule:
    """Make a rule that picks the values of ``slots`` from all values and applies ``rule``."""
    return lambda all_: rule(*(all_[slot] for slot in slots))


@lru_cache(maxsize=4096)
def _lengths(number: Number) -> tuple[int, float]:
    """Two bit lengths of a fraction: the length of its longer part, and the sum of both lengths."""
    numerator, denominator = abs(number.numerator), number.denominator
    total = math.log2(max(numerator, 1)) + math.log2(denominator)
    return max(numerator, denominator).bit_length(), total


class _Compiler:
    """Compiles expression trees. Equal sub-expressions share one slot (hash-consing)."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.slot_by_key: dict[Any, int] = {}
        # The slots of nodes that are done, by identity: equality of trees takes as long as they
        # are large. The nodes are kept, so that no other gets their identity.
        self._done: dict[int, tuple[Call, int]] = {}
        self._bases: dict[int, tuple[Call, Expression]] = {}
        self.outermost: set[int] = set()
        self.constant_branches: list[Branch] = []

    def slot(self, node: Expression) -> int:
        """Compile a node and return its slot. Repeated calls for a node return the same slot."""
        if isinstance(node, Number):
            return self._number(node)
        if isinstance(node, Symbol):
            return self._symbol(node.name)
        done = self._done.get(id(node))
        if done is None:
            done = self._done[id(node)] = node, self._compile(node)
        return done[1]

    def _compile(self, node: Call) -> int:
        special = _SPECIAL_FORMS.get(node.function)
        if special is not None:
            return special(self, node)
        if not node.args:
            return self.leaf(node.function, CONSTANTS[node.function])
        if node.function not in RULES:
            return self.slot(self._defined(node))
        slots = [self.slot(arg) for arg in node.args]
        if node.function in TEXTBOOK:
            self.tape.secants = True
        if node.function in _BRANCHING or node.function in SLOW:
            for i in range(len(slots)):
                self._branch(node, slots[i], at=i)
        elif node.function == "arg" and is_written_with(node, "i"):
            self._branch(node, slots[0], root=True, outermost=id(node) in self.outermost)
        elif node.function in _LOGARITHMIC and self.tape._varying[slots[0]]:
            self._logarithmic(node)
        return self.apply(node.function, slots)

    def _defined(self, node: Call) -> Expression:
        """Replace a function without a rule by its definition in terms of other functions."""
        definition = definition_of(node)
        if definition is None:
            raise UnusableError(f"no rule for {node.function}")
        return definition

    def _branch(
        self,
        node: Call,
        argument: int,
        *,
        root: bool = False,
        at: int = 0,
        outermost: bool = False,
    ) -> None:
        if not self.tape._varying[argument]:
            return
        inner = self._vanishing(node.args[at]) if root else node.args[at]
        turns = node.function in TURNS
        branch = Branch(node.args[at], self.slot(inner), root, turns, outermost)
        self.tape.branches.append(branch)

    def _vanishing(self, node: Expression) -> Expression:
        """A simpler expression with the same zeros as the node.

        A power with a positive exponent is replaced by its base. If the base is such a power too,
        the base is replaced in turn. Any other node is returned unchanged.
        """
        if not isinstance(node, Call) or node.function != "pow":
            return node
        cached = self._bases.get(id(node))
        if cached is None:
            raised = (fold(node.args[1]) or 0) > 0 and not is_written_with(node, "i")
            base = self._vanishing(node.args[0]) if raised else node
            cached = self._bases[id(node)] = node, base
        return cached[1]

    def _logarithmic(self, node: Call) -> None:
        """Record an inverse hyperbolic tangent or cotangent of u as a function with branches.

        The inverse hyperbolic tangent is half of ln((1 + u)/(1 - u)), and is real if |u| < 1. The
        inverse hyperbolic cotangent is real if |u| > 1.
        """
        argument = add(Number(1), neg(power(node.args[0], Number(2))))
        if id(node) in self.outermost:
            branch = Branch(argument, self.slot(argument), True, outermost=True)
            self.constant_branches.append(branch)
        else:
            self._branch(Call("ln", (argument,)), self.slot(argument), root=True)

    def chain(self, name: str, slots: Sequence[int]) -> int:
        """Fold slots by a function of two arguments, from left to right. Return the new slot."""
        result = slots[0]
        for slot in slots[1:]:
            result = self.emit(name, RULES[name], result, slot)
        return result

    def apply(self, name: str, slots: list[int], rule: Rule | None = None) -> int:
        """Compile a function whose arguments are compiled already, and return its slot.

        The method also records in the `Tape` what later checks must know about the function.
        """
        tape, argument = self.tape, slots[0]
        if rule is None:
            textbook = tape.conventions.textbook_secants and name in TEXTBOOK
            rule = TEXTBOOK[name] if textbook else RULES[name]
        tape.special |= name in SLOW
        if tape._varying[argument] or any(tape._varying[s] for s in slots):
            if name in _BREAKS_AT_ZERO:
                tape.breaks.append(Break(argument, "zero"))
            elif name in _BREAKS_AT_INTEGERS:
                tape.breaks.append(Break(argument, "integer"))
        if len(slots) == 1:
            slot = self.emit(name, rule, argument, -1)
        elif len(slots) == 2:
            slot = self.emit(name, rule, argument, slots[1])
        else:
            slot = self.emit_many(name, _gather(rule, slots), slots)
        if name in SLOW:
            tape.uncertain.add(slot)
        if tape._varying[slot] and name not in _SINGLE:
            (tape.domain if name in DOMAIN else tape.nonmeromorphic).append(slot)
        return slot

    def emit(self, key: Any, rule: Rule, a: int, b: int) -> int:
        signature = (key, a, b)
        slot = self.slot_by_key.get(signature)
        if slot is None:
            varying = self.tape._varying
            moves = varying[a] or (b >= 0 and varying[b])
            slot = self._new(signature, moves)
            self._weigh(key, slot)
            (self.tape._dynamic if moves else self.tape._static).append((slot, rule, a, b))
        return slot

    def _weigh(self, key: Any, slot: int) -> None:
        """Count a slot as elementary or costly if its computation takes longer than a product."""
        low_power = key[0] == "pow" and len(key) == 2 and abs(key[1]) <= MAX_CHEAP_POWER
        if low_power or key in _CHEAP or key in SLOW:
            return
        tape, costly = self.tape, key in _COSTLY
        if tape._varying[slot]:
            (tape.costly if costly else tape.elementary).append(slot)
        else:
            elementary, costliest = tape.constant
            tape.constant = (elementary + (not costly), costliest + costly)

    def emit_many(self, key: Any, rule: Rule, slots: Sequence[int]) -> int:
        signature = (key, *slots)
        slot = self.slot_by_key.get(signature)
        if slot is None:
            moves = any(self.tape._varying[s] for s in slots)
            slot = self._new(signature, moves)
            (self.tape._dynamic if moves else self.tape._static).append((slot, rule, 0, -2))
            self.tape._operands[slot] = tuple(slots)
        return slot

    def leaf(self, key: Any, constant: Callable[[], Ball]) -> int:
        slot = self.slot_by_key.get(key)
        if slot is None:
            slot = self._new(key, varying=False)
            self.tape._leaves.append((slot, constant))
        return slot

    def _new(self, key: Any, varying: bool) -> int:
        slot = len(self.tape._varying)
        if slot >= MAX_SLOTS:
            raise UnusableError(f"more than {MAX_SLOTS} distinct sub-expressions")
        self.slot_by_key[key] = slot
        self.tape._varying.append(varying)
        return slot

    def _number(self, node: Number) -> int:
        self._count_bits(node)
        if node.denominator == 1:
            return self.leaf(node, partial(acb, node.numerator))
        return self.leaf(node, lambda: acb(fmpq(node.numerator, node.denominator)))

    def _count_bits(self, node: Number, times: int = 1) -> None:
        """Record the bit length of a power of a number. The exponent is ``times``.

        A long number such as 10^{-40} needs a higher precision than 0.1.
        """
        bits, length = _lengths(node)
        self.tape.literal_bits = max(self.tape.literal_bits, min(bits * times, MAX_LITERAL_BITS))
        self.tape.literals[node, times] = math.ceil(Fraction(length) * times)  # 10^400 is no float

    def _symbol(self, name: str) -> int:
        slot = self.tape.symbols.get(name)
        if slot is None:
            slot = self.tape.symbols[name] = self._new(("symbol", name), varying=True)
        return slot

    # --- functions that are more than one rule ---

    def chained(self, node: Call) -> int:
        slots = [self.slot(arg) for arg in node.args]
        self.tape.longest = max(self.tape.longest, len(slots))
        if node.function in ("max", "min"):
            result = slots[0]
            for slot in slots[1:]:
                if slot != result:
                    self._break_between(result, slot)
                    result = self.emit(node.function, RULES[node.function], result, slot)
            return result
        return self.chain(node.function, slots)

    def _break_between(self, a: int, b: int) -> None:
        gap = self.emit("sub", jets.sub, a, b)
        if self.tape._varying[gap]:
            self.tape.breaks.append(Break(gap, "zero"))

    def power(self, node: Call) -> int:
        base, exponent = node.args
        if isinstance(base, Call) and base.function == "e":
            return self.apply("exp", [self.slot(exponent)])
        return self._power(node, fold(exponent), exponent)

    def nth_root(self, node: Call) -> int:
        exponent = Call("div", (Number(1), node.args[1]))
        return self._power(node, fold(exponent), exponent)

    def _power(self, node: Call, ratio: Fraction | None, exponent: Expression) -> int:
        base = self.slot(node.args[0])
        if ratio is None or ratio.denominator != 1:
            self._branch(node, base, root=True)
        if ratio is None:
            self.tape.pointwise |= fold(node.args[0]) == 0  # 0^u is 1 where u is 0
            return self.apply("power", [base, self.slot(exponent)], jets.power)
        p, q = ratio.numerator, ratio.denominator
        if q == 1:
            if isinstance(node.args[0], Number):
                self._count_bits(node.args[0], abs(p))
            return self.emit(("pow", p), jets.pow_integer(p), base, -1)
        if p == 1 and q == 2:
            return self._radical(self.apply("sqrt", [base]), 2, base)
        self._count_bits(Number(p, q))  # x^{2 + 10^{-60}} is not x^2
        tape = self.tape
        slot = self.emit(
            ("pow", p, q), jets.pow_rational(p, q, tape.conventions.real_roots), base, -1
        )
        if tape._varying[base]:
            tape.odd_roots |= q % 2 == 1
            tape.domain.append(slot)
        return self._radical(slot, q, base)

    def square_root(self, node: Call) -> int:
        base = self.slot(node.args[0])
        self._branch(node, base, root=True)
        return self._radical(self.apply("sqrt", [base]), 2, base)

    def _radical(self, slot: int, order: int, radicand: int) -> int:
        if self.tape._varying[slot] and (slot, order, radicand) not in self.tape.radicals:
            self.tape.radicals.append((slot, order, radicand))
        return slot

    def logarithm(self, node: Call) -> int:
        argument = node.args[0]
        if isinstance(argument, Call) and argument.function == "abs":
            inner = self.slot(argument.args[0])
            if self.tape._varying[inner]:
                self.tape.bars = True
                top = self.emit("ln_abs", jets.ln_abs, inner, self._symbol(self.tape.variable))
                self.tape.nonmeromorphic.append(top)
            else:
                top = self.emit("ln_size", jets.ln_size, inner, -1)
        else:
            inner = self.slot(argument)
            top = self.apply("ln", [inner])
            if id(node) in self.outermost and self.tape._varying[inner]:
                # Its branch adds an imaginary constant.
                self.constant_branches.append(Branch(argument, inner, True, outermost=True))
        if id(node) not in self.outermost:
            self._branch(node, inner, root=True)
        if node.function == "ln":
            return top
        base = self.apply("ln", [self.slot(node.args[1])])
        return self.emit("div", jets.div, top, base)

    def jumping(self, node: Call) -> int:
        """Compile an arc tangent or cotangent, which may jump at a pole of its argument."""
        argument = self.slot(node.args[0])
        if self.tape._varying[argument] and may_have_pole(node.args[0], self.tape.variable):
            self.tape.poles.append(argument)
            if id(node) not in self.outermost:
                self._branch(node, argument)
        return self.apply(node.function, [argument])

    def zeta(self, node: Call) -> int:
        name = "zeta" if len(node.args) == 1 else "hurwitz_zeta"
        return self.apply(name, [self.slot(arg) for arg in node.args])

    def lambertw(self, node: Call) -> int:
        branch = fold(node.args[1]) if len(node.args) == 2 else Fraction(0)
        if branch is None or branch.denominator != 1 or abs(branch) > MAX_W_BRANCH:
            return self.leaf("nan", lambda: jets.NAN)
        k = int(branch)
        slots = [self.slot(node.args[0]), *([self.slot(Number(k))] if k else [])]
        return self.apply("lambertw", slots, lambda u, *_: lambertw(k)(u))

    def piecewise(self, node: Call) -> int:
        """Compile a piecewise function, given as values and conditions.

        The compiled function has the value of the first true condition.
        """
        # A value need not be real where another one applies: what its parts add to the domain is
        # dropped, so a part that stands outside as well must be compiled there once more.
        real, outer_slots = len(self.tape.domain), self._done
        self._done = {}
        values = [self.slot(arg) for arg in node.args[::2]]
        del self.tape.domain[real:]
        self._done = outer_slots
        tests = [self._condition(arg) for arg in node.args[1::2]]

        def choose(all_: list[Jet]) -> Jet:
            for value, test in zip(values, tests, strict=False):
                holds = test(all_)
                if holds is None:
                    return jets.UNKNOWN
                if holds:
                    return all_[value]
            return all_[values[-1]] if len(values) > len(tests) else jets.UNKNOWN

        # The conditions' slots are in `choose`; slots of the values suffice as a key
        # together with the node, which is unique to these conditions.
        slot = self.slot_by_key.get(node)
        if slot is None:
            slot = self._new(node, varying=True)
            self.tape.nonmeromorphic.append(slot)
            self.tape._dynamic.append((slot, choose, 0, -2))
            self.tape._operands[slot] = tuple(values)
        return slot

    def _condition(self, node: Expression) -> Callable[[list[Jet]], bool | None]:
        if not isinstance(node, Call):
            raise UnusableError("a condition must be a comparison")
        if node.function in ("and", "or"):
            conditions = [self._condition(arg) for arg in node.args]
            return partial(_join, node.function == "and", conditions)
        if node.function not in _COMPARISONS:
            raise UnusableError(f"a condition must be a comparison, not {node.function}")
        a, b = (self.slot(arg) for arg in node.args)
        if node.function in ("eq", "ne") and self.tape.variable in symbols_of(node):
            self.tape.pointwise = True
        self._break_between(a, b)
        return partial(_holds, node.function, a, b)


def _join(
    every: bool, conditions: list[Callable[[list[Jet]], bool | None]], all_: list[Jet]
) -> bool | None:
    results = [condition(all_) for condition in conditions]
    if (False in results) if every else (True in results):
        return not every
    return None if None in results else every


def _holds(name: str, a: int, b: int, all_: list[Jet]) -> bool | None:
    order = jets.compare(all_[a], all_[b])
    if order is None:
        return None
    return {
        "lt": order < 0,
        "le": order <= 0,
        "gt": order > 0,
        "ge": order >= 0,
        "eq": order == 0,
        "ne": order != 0,
    }[name]


_SPECIAL_FORMS: dict[str, Callable[[_Compiler, Call], int]] = {
    "add": _Compiler.chained,
    "mul": _Compiler.chained,
    "max": _Compiler.chained,
    "min": _Compiler.chained,
    "pow": _Compiler.power,
    "root": _Compiler.nth_root,
    "sqrt": _Compiler.square_root,
    "ln": _Compiler.logarithm,
    "log": _Compiler.logarithm,
    "zeta": _Compiler.zeta,
    "atan": _Compiler.jumping,
    "acot": _Compiler.jumping,
    "lambertw": _Compiler.lambertw,
    "piecewise": _Compiler.piecewise,
}
