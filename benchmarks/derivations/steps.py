"""Steps of a derivation: draw an operator and operands, apply the operator, check the result.

The module is algorithm 1 (and the premises of algorithm 2) of Meadows et al., with the details of
the released code.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from ...rewards.reading.expression.traversal import nodes_of
from ...rewards.reading.expression.tree import Expression, Symbol
from ..algebra.normal_form import UnusableFormulaError, is_whole
from ..hashed_random import HashedRandom
from .expressions.printing import latex, longest, plain
from .expressions.rewriting import (
    COMPOSED,
    BoundVariableError,
    CasesError,
    antiderivative,
    evaluate_derivatives,
    expand,
    substitute,
)
from .expressions.terms import (
    CONSTRUCTORS,
    EULER,
    ONE,
    UNARY,
    ZERO,
    add,
    apply,
    base_and_exponent,
    coefficient,
    derivative,
    divide,
    free,
    integral,
    is_applied,
    leads_with_minus,
    mul,
    name_of,
    names_of,
    negative,
    power,
    symbol,
)
from .options import VOCABULARY, Options

PREMISE, RENAMING = "premise", "renaming_premise"
EXPAND = "expand"
EVALUATE_DERIVATIVES, EVALUATE_INTEGRALS = "evaluate_derivatives", "evaluate_integrals"
ADDITION, MINUS, TIMES, DIVIDE, POWER = "add", "minus", "times", "divide", "power"
DIFFERENTIATE, INTEGRATE = "differentiate", "integrate"
LEFT_FOR_RIGHT, RIGHT_FOR_LEFT = "substitute_LHS_for_RHS", "substitute_RHS_for_LHS"

PREMISES = (PREMISE, RENAMING)
SUBSTITUTIONS = (LEFT_FOR_RIGHT, RIGHT_FOR_LEFT)
ARITHMETIC: dict[str, Callable[[Expression, Expression], Expression]] = {
    ADDITION: add,
    MINUS: lambda a, b: add(a, negative(b)),
    TIMES: mul,
    DIVIDE: divide,
    POWER: power,
}
CALCULUS: dict[str, Callable[[Expression, Expression], Expression]] = {
    DIFFERENTIATE: derivative,
    INTEGRATE: integral,
}
#: The 18 operators in the paper's order, by arity.
OPERATORS = (
    *PREMISES,
    *UNARY,
    EXPAND,
    EVALUATE_DERIVATIVES,
    EVALUATE_INTEGRALS,
    *ARITHMETIC,
    *CALCULUS,
    *SUBSTITUTIONS,
)


@dataclass(frozen=True, slots=True)
class DerivationEquation:
    """An equation of two expressions."""

    left: Expression
    right: Expression

    @property
    def swapped(self) -> DerivationEquation:
        return DerivationEquation(self.right, self.left)

    @property
    def latex(self) -> str:
        return f"{latex(self.left)} = {latex(self.right)}"

    def shows(self, term: Expression) -> bool:
        """Whether the plain text of a term is in the plain text of a side, as the released code
        asks.
        """
        text = plain(term)
        return any(text in plain(side) for side in (self.left, self.right))

    def is_shorter(self, length: int) -> bool:
        """Whether the LaTeX is shorter than ``length``; printed only if an upper bound does not
        decide.
        """
        bound = longest(self.left) + len(" = ") + longest(self.right)
        return bound < length or len(self.latex) < length


@dataclass(frozen=True, slots=True)
class Annotation:
    """An operator, equations (counted from 1), and a further operand."""

    operator: str
    equations: tuple[int, ...] = ()
    operand: Expression | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of integration: ``integral`` was evaluated as ``closed`` + ``letter``."""

    letter: str
    integral: Expression
    closed: Expression


@dataclass(frozen=True, slots=True)
class Step:
    """An equation with the annotation."""

    equation: DerivationEquation
    annotation: Annotation
    constants: tuple[Constant, ...] = ()


# --- premises ---


def premise(
    rng: HashedRandom, options: Options, used: Set[str] = frozenset()
) -> DerivationEquation:
    """An equation that defines a function (algorithm 2) with a name outside ``used``."""
    right, letters_drawn = _premise_expression(rng, options)
    mine = names_of(right) if options.corrected else letters_drawn
    names = [name for name in VOCABULARY if name not in used and name not in mine]
    return _definition(rng.choice(names), right, rng)


def premise_expression(rng: HashedRandom, options: Options) -> Expression:
    """The right side of a premise: operators applied to letters."""
    return _premise_expression(rng, options)[0]


def _premise_expression(rng: HashedRandom, options: Options) -> tuple[Expression, set[str]]:
    """The right side of a premise, and the first drawn letters."""
    letters = [symbol(name) for name in VOCABULARY]
    while True:
        try:
            drawn_letter = rng.choice(letters)
            letters_drawn = {name_of(drawn_letter)}
            # A function of a letter or an operation on two letters, extended up to the chosen
            # complexity.
            if rng.below(2):
                term = CONSTRUCTORS[rng.choice(UNARY)](drawn_letter)
            else:
                second = rng.choice([letter for letter in letters if letter != drawn_letter])
                letters_drawn.add(name_of(second))
                term = ARITHMETIC[rng.choice(tuple(ARITHMETIC))](drawn_letter, second)
            for _ in range(rng.below(options.complexity)):
                term = _extended(term, letters, rng)
        except UnusableFormulaError:
            continue
        # Evaluation may leave a constant, such as x - x, which defines nothing.
        if free(term):
            return term, letters_drawn


def _extended(term: Expression, letters: Sequence[Expression], rng: HashedRandom) -> Expression:
    if rng.below(2):
        return CONSTRUCTORS[rng.choice(UNARY)](term)
    operator = rng.choice((*ARITHMETIC, *CALCULUS))
    if operator in CALCULUS:
        return CALCULUS[operator](term, symbol(rng.choice(sorted(free(term)))))
    return ARITHMETIC[operator](term, rng.choice(letters))


def _definition(name: str, right: Expression, rng: HashedRandom) -> DerivationEquation:
    """name(free symbols) = right, the symbols in random order."""
    args = tuple(symbol(argument) for argument in rng.shuffled(sorted(free(right))))
    return DerivationEquation(apply(name, *args), right)


# --- steps ---


class Derivation:
    """The steps of a derivation, with cached values."""

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self.steps: list[Step] = []
        self.elements: dict[Expression, None] = {}
        self._own: list[dict[Expression, None]] = []
        self._substituted: dict[tuple[str, int, int], DerivationEquation | None] = {}
        self._seen: set[DerivationEquation] = set()
        for step in steps:
            self.append(step)

    def append(self, step: Step) -> None:
        self.steps.append(step)
        sides = step.equation
        self._own.append(dict.fromkeys(chain(nodes_of(sides.left), nodes_of(sides.right))))
        self.elements |= self._own[-1]
        self._seen |= {sides, sides.swapped}

    def __len__(self) -> int:
        return len(self.steps)

    def equation(self, index: int) -> DerivationEquation:
        """The equation with a number, counted from 1."""
        return self.steps[index - 1].equation

    def elements_of(self, index: int) -> dict[Expression, None]:
        return self._own[index - 1]

    def contains(self, equation: DerivationEquation) -> bool:
        """Whether the equation, or the equation with swapped sides, occurs."""
        return equation in self._seen

    @property
    def letters(self) -> set[str]:
        """The symbols in the derivation."""
        return {term.name for term in self.elements if isinstance(term, Symbol)}

    @property
    def functions(self) -> set[str]:
        """The names of functions in the derivation."""
        return {term.function for term in self.elements if is_applied(term)}

    def substitutions(self, operator: str) -> list[tuple[int, int]]:
        """The pairs (i, j) with a change of equation i by the substitution."""
        count = len(self.steps)
        return [
            (i, j)
            for i in range(1, count + 1)
            for j in range(1, count + 1)
            if i != j and self.substituted(operator, i, j) is not None
        ]

    def substituted(self, operator: str, i: int, j: int) -> DerivationEquation | None:
        """Equation i with a side of equation j replaced by the other side."""
        key = operator, i, j
        if key not in self._substituted:
            self._substituted[key] = self._substitute(operator, i, j)
        return self._substituted[key]

    def _substitute(self, operator: str, i: int, j: int) -> DerivationEquation | None:
        source = self.equation(j)
        # Substituting 0 or 1 would rewrite unrelated numbers.
        if {source.left, source.right} & {ZERO, ONE}:
            return None
        old, new = source.left, source.right
        if operator == RIGHT_FOR_LEFT:
            old, new = new, old
        occurs = old in self.elements_of(i)
        if not occurs and old.function not in COMPOSED:
            return None
        target = self.equation(i)
        try:
            new_left, new_right = (
                substitute(side, old, new) for side in (target.left, target.right)
            )
        except (BoundVariableError, UnusableFormulaError):
            return None
        result = DerivationEquation(new_left, new_right)
        # An unchanged equation or a truth value is no new equation.
        if result == target or is_decided(result):
            return None
        return result if (occurs and _stands_whole(old)) or target.shows(old) else None


def _stands_whole(term: Expression) -> bool:
    """Whether the plain text of a term is part of every containing text: not so for -x in y - x."""
    signs = map(leads_with_minus, (term, base_and_exponent(term)[1]))
    return term.function != "number" and not any(signs)


def is_decided(equation: DerivationEquation) -> bool:
    """Whether SymPy evaluates the equation to True or False."""
    if equation.left == equation.right:
        return True
    gap = add(equation.left, negative(equation.right))
    if gap.function == "number":
        return True
    return ZERO in (equation.left, equation.right) and gap.function == "exp"


def next_step(derivation: Derivation, rng: HashedRandom, options: Options) -> Step | None:
    """Draw a step; None if undefined or without a new equation."""
    arity = _weighted(rng, (options.arity_0, options.arity_1, options.arity_2))
    try:
        step = (_without_operand, _unary, _binary)[arity](derivation, rng, options)
    except (UnusableFormulaError, CasesError, BoundVariableError):
        return None
    if step is None or is_decided(step.equation) or derivation.contains(step.equation):
        return None
    return step if step.equation.is_shorter(options.max_length) else None


def _weighted(rng: HashedRandom, weights: Sequence[int]) -> int:
    ticket = rng.below(sum(weights))
    for index, weight in enumerate(weights):
        ticket -= weight
        if ticket < 0:
            return index
    raise AssertionError("weights are positive")


def _any_equation(derivation: Derivation, rng: HashedRandom, options: Options) -> int:
    """The number of a random equation; weights grow with the cube of recency."""
    count, recent = len(derivation), options.history - 1
    weights = [1 + max(recent - (count - i), 0) ** 3 for i in range(1, count + 1)]
    return _weighted(rng, weights) + 1


def _without_operand(derivation: Derivation, rng: HashedRandom, options: Options) -> Step | None:
    if _weighted(rng, (1, options.renaming)) == 0:
        used = derivation.functions | (derivation.letters if options.corrected else set())
        return Step(premise(rng, options, used), Annotation(PREMISE))
    candidates = [t for t in derivation.elements if free(t) and t.function != "symbol"]
    if not candidates:
        return None
    right = rng.choice(candidates)
    used = derivation.functions | derivation.letters if options.corrected else set(free(right))
    equation = _definition(
        rng.choice([name for name in VOCABULARY if name not in used]), right, rng
    )
    if equation.left in derivation.elements:
        return None
    return Step(equation, Annotation(RENAMING))


def _unary(derivation: Derivation, rng: HashedRandom, options: Options) -> Step | None:
    names = (*UNARY, EXPAND, EVALUATE_DERIVATIVES, EVALUATE_INTEGRALS)
    many = options.evaluation
    operator = names[_weighted(rng, (1, 1, 1, 1, options.expansion, many, many))]
    index = _any_equation(derivation, rng, options)
    annotation = Annotation(operator, (index,))
    equation = derivation.equation(index)
    if operator == EVALUATE_INTEGRALS:
        if any(annotation == step.annotation for step in derivation.steps):
            return None
        return _integrals_evaluated(derivation, annotation, rng, options)
    simple = {EXPAND: expand, EVALUATE_DERIVATIVES: evaluate_derivatives}
    change = simple.get(operator) or CONSTRUCTORS[operator]
    return Step(DerivationEquation(change(equation.left), change(equation.right)), annotation)


def _integrals_evaluated(
    derivation: Derivation, annotation: Annotation, rng: HashedRandom, options: Options
) -> Step | None:
    equation = derivation.equation(annotation.equations[0])
    elements = derivation.elements_of(annotation.equations[0])
    integrals = [t for t in elements if t.function == "integral"]
    if any(len(term.args) > 2 for term in integrals):
        return None
    # The released code may take a function's name for a constant of integration, and the same
    # letter twice; the corrected version does neither.
    names_in_use = derivation.letters | (derivation.functions if options.corrected else set())
    letters = [name for name in VOCABULARY if name not in names_in_use]
    left_side, right_side = equation.left, equation.right
    constants: list[Constant] = []
    for term in integrals:
        closed = antiderivative(*term.args)
        if closed is None:
            continue
        letter = rng.choice(letters)
        if options.corrected:
            letters.remove(letter)
        constants.append(Constant(letter, term, closed))
        value = add(closed, symbol(letter))
        left_side, right_side = (substitute(side, term, value) for side in (left_side, right_side))
    return Step(DerivationEquation(left_side, right_side), annotation, tuple(constants))


def _binary(derivation: Derivation, rng: HashedRandom, options: Options) -> Step | None:
    names = (*ARITHMETIC, *CALCULUS, *SUBSTITUTIONS)
    # Substitutions need a second equation.
    weights = [1] * 5 + [options.calculus] * 2
    if len(derivation) > 1:
        weights += [options.substitution] * 2
    operator = names[_weighted(rng, weights)]
    if operator in SUBSTITUTIONS:
        pairs = derivation.substitutions(operator)
        if not pairs:
            return None
        i, j = rng.choice(pairs)
        result = derivation.substituted(operator, i, j)
        assert result is not None
        return Step(result, Annotation(operator, (i, j)))
    index = _any_equation(derivation, rng, options)
    equation = derivation.equation(index)
    candidates = _operands(operator, derivation, index)
    if not candidates:
        return None
    operand = rng.choice(candidates)
    apply_ = (ARITHMETIC | CALCULUS)[operator]
    result = DerivationEquation(apply_(equation.left, operand), apply_(equation.right, operand))
    return Step(result, Annotation(operator, (index,), operand))


def _operands(operator: str, derivation: Derivation, index: int) -> list[Expression]:
    if operator in CALCULUS:
        return [t for t in derivation.elements_of(index) if t.function == "symbol"]
    if operator == POWER:
        return list(filter(_is_short, derivation.elements_of(index)))
    return [t for t in derivation.elements if not is_whole(t) or plain(t) not in string.digits]


def _is_short(term: Expression) -> bool:
    """Whether the plain text has at most two characters, as -x and 10."""
    value, core = coefficient(term)
    if core == ONE:
        return is_whole(term) and -10 < value < 100
    return abs(value) == 1 and (core.function == "symbol" or core == EULER)
