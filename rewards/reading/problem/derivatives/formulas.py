r"""Reads derivatives in every spelling: ``\frac{d^2y}{dx^2}``, ``y''``, ``\dot x``, ``u_{xy}``.

The LaTeX reader can read closed forms only. Some functions have no formula, such as y in y''.
Before the LaTeX reader is called, this module replaces derivatives of the functions by new
symbols. If an operator such as d/dx precedes a formula, the formula is differentiated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ....errors import ProblemError
from ...expression.build import ZERO, add, mul
from ...expression.derivative import differentiate
from ...expression.traversal import substitute, symbols_of
from ...expression.tree import Call, Expression, Symbol
from ...latex import ReadError, read
from ...latex.tokens.pattern import FONT
from ...latex.tokens.roles import IN_PROBLEM
from ..layout import opening
from ..marks import refuse_long
from .quotients import HIGHEST, POWER, ROMAN, D, name_of, operand, operators

#: The most derivatives in one formula. Textbooks have up to 6.
MAX_DERIVATIVES: Final = 40
#: Nodes of a derivative. Those of textbooks have some hundred; a tenth derivative of a product of
#: five factors has a hundred thousand.
LARGEST: Final = 20_000
#: Functions of trees that are not computed here: a derivative by a symbol, a value at a point.
DERIVATIVE: Final = "derivative"
VALUE_AT: Final = "value_at"
#: What makes a function of a letter the inverse function; behind f(x), the same is a power.
POWER_MINUS_ONE: Final = r"\s*\^\s*\{?\s*-\s*1\s*\}?"


class Jet(NamedTuple):
    """A derivative of a function without a formula.

    Attributes:
        function: the name of the function.
        by: the variables of differentiation, sorted. Empty for the function itself.
        at: the arguments, as 0 in ``y'(0)``. Empty if the arguments are the function's variables.

    >>> Jet("y", ("x", "x")).order
    2

    """

    function: str
    by: tuple[str, ...] = ()
    at: tuple[Expression, ...] = ()

    @property
    def order(self) -> int:
        """The order of the derivative: how often the function is differentiated."""
        return len(self.by)


@dataclass(slots=True)
class Jets:
    """The symbols for derivatives of functions. Equal derivatives have equal symbols.

    Attributes:
        variables: the variables of each function without a formula.
        symbols: the symbol of each derivative that was read so far.
        written: whether derivatives are left as calls of `DERIVATIVE`, for another program.
        applied: the functions after which parentheses hold arguments. For such a function f, f'(2x)
            is not a product.

    """

    variables: Mapping[str, tuple[str, ...]]
    symbols: dict[Jet, str] = field(default_factory=dict)
    written: bool = False
    applied: Collection[str] = ()

    def symbol(self, jet: Jet) -> str:
        """The symbol for a derivative. A function itself keeps the name."""
        if not jet.by and not jet.at:
            return jet.function
        if jet.order > HIGHEST:
            raise ProblemError(f"a derivative of an order above {HIGHEST}")
        if jet not in self.symbols:
            if len(self.symbols) >= MAX_DERIVATIVES:
                raise ProblemError(f"more than {MAX_DERIVATIVES} derivatives")
            self.symbols[jet] = f"Q_{len(self.symbols) + 1}"
        return self.symbols[jet]

    @property
    def names(self) -> dict[str, Jet]:
        """Map each symbol to the derivative that it stands for."""
        return {name: jet for jet, name in self.symbols.items()}

    def differentiated(self, tree: Expression, variable: str) -> Expression:
        """The total derivative of a tree.

        Raises:
            ProblemError: the tree has a function whose derivative is not known.

        """
        if self.written and symbols_of(tree).isdisjoint({*self.variables, *self.names}):
            depends = variable in symbols_of(tree)
            return Call(DERIVATIVE, (tree, Symbol(variable))) if depends else ZERO
        try:
            terms = [differentiate(tree, variable)]
            jet_by_symbol = self.names
            for name in sorted(symbols_of(tree)):
                jet = jet_by_symbol.get(name) or Jet(name)
                if jet.at or variable not in self.variables.get(jet.function, ()):
                    continue
                raised = Jet(jet.function, tuple(sorted((*jet.by, variable))))
                terms.append(mul(differentiate(tree, name), Symbol(self.symbol(raised))))
        except ValueError as error:
            raise ProblemError(str(error)) from None
        return bounded(add(*[term for term in terms if term != ZERO]) if terms else ZERO)


def bounded(tree: Expression) -> Expression:
    """Check the size of a tree, and return the tree unchanged.

    Raises:
        ProblemError: the tree has more than `LARGEST` nodes.

    """
    nodes = [tree]
    for node in nodes:
        nodes += node.args
        if len(nodes) > LARGEST:
            raise ProblemError(f"the derivative has more than {LARGEST} terms")
    return tree


_SPACING: Final = re.compile(r"(?<!\\)\\(?:[,;:!> ]|displaystyle(?![A-Za-z])|limits(?![A-Za-z]))|~")
_SIZES: Final = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?")
_UPRIGHT_D: Final = re.compile(
    rf"\\{FONT}(?:\s*\{{\s*d\s*\}}|\s+d)|\{{\s*\\rm\s+d\s*\}}|\\(?:dd|differentialD|diff)(?![A-Za-z])|[ⅆ𝑑]"
)
#: ``D_x`` before a bracket.
_NAMED_OPERATOR: Final = re.compile(r"(?<![A-Za-z\\])D_\{?([a-z])\}?(?=\s*[(\[\\])")
_PRIMES: Final = re.compile(r"\^\s*(?:\{\s*((?:\\prime\s*|'\s*)+)\}|(\\prime))|[’′]|″|\\prime")
#: A function with dots, which mark derivatives by the time.
DOTTED: Final = re.compile(r"\\(d{1,3})ot\s*(?:\{\s*(\\?[A-Za-z]+)\s*\}|(\\[A-Za-z]+|[A-Za-z]))")
#: SymPy writes ``f{\left(x \right)}``, and ``f^{2}{\left(x \right)}`` for a power of f(x).
_BRACED_ARGUMENT: Final = re.compile(r"(?<=[A-Za-z0-9}'])\{\s*(\([^(){}]*\))\s*\}")
EXPONENT: Final = r"\s*\^\s*(?:\{\s*\d+\s*\}|\d)"
#: Behind the name of a function: a derivative from one side, of a general order, of the inverse.
#: The letters i and v are Roman numerals.
_NOT_READ: Final = (
    rf"'+\s*_|\^\s*\{{\s*\(\s*(?!(?:{'|'.join(ROMAN)})\W)[a-z]\s*\)\s*\}}"
    r"|\^\s*\{\s*-\s*1\s*\}\s*\)\s*'"
)
_GROUP_PRIMES: Final = re.compile(r"[)\]]\s*('+)(?!\s*\()")  # not at a point, as (fg)'(1)
SYMBOL: Final = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_LETTERS_BEFORE: Final = re.compile(r"\\?[A-Za-z]+\Z")


def normal(text: str) -> str:
    r"""Write the derivatives in a text with uniform spelling, and remove sizes and spacing.

    Args:
        text: LaTeX.

    Returns:
        The text. Primes are spelt ``'``. The d of a differential is spelt ``d``. Fractions are
        spelt ``\frac``.

    Raises:
        ProblemError: the text is longer than `marks.LONGEST`.

    >>> normal(r"\dfrac{\mathrm{d}y}{\mathrm{d}x} = y^{\prime\prime}")
    "\\frac{dy}{dx} = y''"

    """
    refuse_long(text)
    text = _SIZES.sub(" ", _SPACING.sub(" ", text))
    text = _NAMED_OPERATOR.sub(r"\\frac{d}{d\1}", _UPRIGHT_D.sub("d", text))
    text = text.replace("″", "''")
    text = _PRIMES.sub(
        lambda m: "'" * max(1, (m[1] or "").count("'") + (m[1] or "").count("\\")), text
    )
    return _BRACED_ARGUMENT.sub(r"\1", re.sub(r"\\[dtc]frac(?![A-Za-z])", r"\\frac", text))


def with_symbols(text: str, jets: Jets, *, values: bool = False) -> str:
    """Replace the derivatives and the values of functions by symbols.

    Args:
        text: a result of `normal`.
        jets: the functions. The new symbols are added to the object.
        values: whether ``y(0)`` is a value of y. If not, ``y(0)`` is a product.

    Returns:
        The text with symbols. Operators before formulas, such as d/dx, are not replaced.

    """
    text = DOTTED.sub(lambda dots: _dotted(dots, jets), text)
    for function in jets.variables:
        text = _with_primes(text, function, jets, values)
    return text


def read_tree(
    text: str, jets: Jets, symbols: Collection[str], *, values: bool = False
) -> Expression:
    r"""Read a formula with derivatives.

    Args:
        text: a result of `normal`.
        jets: the functions. The symbols of derivatives are added to the object.
        symbols: further names in the formula.
        values: as for `with_symbols`.

    Returns:
        The tree. If an operator such as d/dx precedes a formula, the tree has the derivative.

    Raises:
        ProblemError: the text cannot be read, or the derivative of a function is not known.

    >>> jets = Jets({"y": ("x",)})
    >>> read_tree("y'' + y", jets, ["x"]).function, sorted(jets.names.values())
    ('add', [Jet(function='y', by=('x', 'x'), at=())])

    """
    text = with_symbols(text, jets, values=values)
    trees: dict[str, Expression] = {}
    for _ in range(MAX_DERIVATIVES):
        operator = max(operators(text), default=None)
        if operator is None:
            break
        start, end, of, by = operator
        remainder = text[end:]
        if of.strip():
            inner = of
        else:
            inner, remainder = operand(remainder)
        tree = _read(inner, jets, symbols, trees)
        for variable in by:
            tree = jets.differentiated(tree, variable)
        text = text[:start] + _placed(tree, trees) + remainder
    while (group := _GROUP_PRIMES.search(text)) is not None:
        if (start := opening(text, group.start())) < 0:
            raise ProblemError("a bracket that is not opened")
        tree = _read(text[start + 1 : group.start()], jets, symbols, trees)
        variable = _sole(jets, tree)
        for _ in group[1]:
            tree = jets.differentiated(tree, variable)
        text = text[:start] + _placed(tree, trees) + text[group.end() :]
    return _read(text, jets, symbols, trees)


def _sole(jets: Jets, tree: Expression) -> str:
    """The only variable of the functions in ``jets``. Without functions, the tree's only symbol."""
    variables = {variable for names in jets.variables.values() for variable in names}
    variables = variables or symbols_of(tree)
    if len(variables) != 1:
        raise ProblemError("a prime does not say by which variable")
    return variables.pop()


def _placed(tree: Expression, trees: dict[str, Expression]) -> str:
    """Store a tree under a new symbol, and return the LaTeX of the symbol."""
    if len(trees) >= MAX_DERIVATIVES:
        raise ProblemError(f"more than {MAX_DERIVATIVES} derivatives")
    name = f"Z_{len(trees) + 1}"
    trees[name] = tree
    return f" {{Z_{{{len(trees)}}}}} "


def _read(
    text: str, jets: Jets, symbols: Collection[str], trees: Mapping[str, Expression]
) -> Expression:
    names = {IN_PROBLEM, *symbols, *jets.variables, *jets.symbols.values(), *trees}
    names |= {variable for variables in jets.variables.values() for variable in variables}
    try:
        tree = read(text, symbols=names)[0].expression
    except ReadError as error:
        raise ProblemError(f"unreadable formula {text.strip()!r}: {error}") from None
    for name in list(trees)[::-1]:
        if name in symbols_of(tree):
            tree = substitute(tree, name, trees[name])
    return tree


def _dotted(dots: re.Match[str], jets: Jets) -> str:
    function = name_of(dots[2] or dots[3])
    if function not in jets.variables or len(jets.variables[function]) != 1:
        return dots[0]
    return f" {dots[2] or dots[3]}{len(dots[1]) * chr(39)}"


def _shown(symbol: str) -> str:
    """Write a symbol as LaTeX. Braces and spaces separate the symbol from adjacent letters."""
    name, _, index = symbol.partition("_")
    return f" {{{name}_{{{index}}}}} " if index else f" {{{name}}} "


def _with_primes(text: str, function: str, jets: Jets, values: bool) -> str:
    """Replace a function's derivatives by symbols. Primes or a subscript mark a derivative."""
    own = jets.variables[function]
    letter = r"\\?" + re.escape(function) if len(function) > 1 else re.escape(function)
    if "_" in function:
        head, _, index = function.partition("_")
        letter = rf"\\?{re.escape(head)}_\{{?{re.escape(index)}\}}?"
    pattern = re.compile(
        rf"(?<!\\){letter}(?![A-Za-z]|_\{{?\d)"
        r"(?:(?P<primes>'+)|\^\s*\{\s*\(\s*(?P<order>\d+|[iv]+)\s*\)\s*\}"
        r"|_\s*(?:\{\s*(?P<below>[A-Za-z\\ ]+)\s*\}|(?P<letter>[A-Za-z]))(?![A-Za-z]))?"
    )
    if unread := re.search(rf"(?<![\\A-Za-z]){letter}\s*(?:{_NOT_READ})", text):
        raise ProblemError(f"{unread[0]!r} is not read")
    varying = {*jets.variables, *(name for names in jets.variables.values() for name in names)}
    pieces, position = list[str](), 0
    for match in pattern.finditer(text):
        if match.start() < position:
            continue
        if _is_in_operator(text, match.start()):  # as the y(x) of \frac{dy(x)}{dx}
            end, arguments = arguments_at(text, match.end())
            if arguments is not None and tuple(map(name_of, arguments)) == own:
                pieces.append(text[position : match.end()])
                position = end
            continue
        letters_before = _LETTERS_BEFORE.search(text[max(0, match.start() - 24) : match.start()])
        if letters_before and (
            letters_before[0].startswith("\\") or not (match["primes"] or match["order"])
        ):
            continue  # a command's name, or a product that the LaTeX reader splits
        by = _by(match, own)
        if by is None:
            continue
        exponent = re.compile(EXPONENT).match(text, match.end()) if not by else None
        end, arguments = arguments_at(text, exponent.end() if exponent else match.end())
        if exponent and (arguments is None or tuple(map(name_of, arguments)) != own):
            exponent, end, arguments = None, match.end(), None
        at: tuple[Expression, ...] = ()
        if arguments is not None:
            letters = {name_of(letter) for value in arguments for letter in SYMBOL.findall(value)}
            if tuple(map(name_of, arguments)) == own:
                pass
            elif values and len(arguments) == len(own) and varying.isdisjoint(letters):
                at = tuple(_read(argument, Jets({}), (), {}) for argument in arguments)
            elif function in jets.applied:
                raise ProblemError(f"{text[match.start() : end]!r} is not read")
            else:  # a factor in parentheses
                end = match.end()
        pieces += [text[position : match.start()], _shown(jets.symbol(Jet(function, by, at)))]
        pieces += [exponent[0]] if exponent else []
        position = end
    return "".join((*pieces, text[position:]))


def _is_in_operator(text: str, start: int) -> bool:
    r"""Whether the letter at ``start`` follows a d, as the y of ``\frac{dy}{dx}`` does."""
    return (
        re.search(rf"(?<![A-Za-z\\]){D}\s*{POWER}\s*\Z", text[max(0, start - 24) : start])
        is not None
    )


def _by(match: re.Match[str], own: tuple[str, ...]) -> tuple[str, ...] | None:
    """The variables of differentiation, by primes or a subscript.

    The result is None if a subscript does not denote a derivative.
    """
    subscript = match["below"] or match["letter"]
    if subscript:
        names = tuple(map(name_of, SYMBOL.findall(subscript)))
        return tuple(sorted(names)) if set(names) <= set(own) and len(own) > 1 else None
    order = len(match["primes"] or "")
    if match["order"]:
        order = ROMAN.get(match["order"]) or (
            int(match["order"]) if match["order"].isdigit() else 0
        )
    if order and len(own) != 1:
        raise ProblemError("a prime does not say by which variable")
    if order > HIGHEST:
        raise ProblemError(f"a derivative of an order above {HIGHEST}")
    return own * order if order else ()


def arguments_at(text: str, start: int) -> tuple[int, list[str] | None]:
    """Split the text in the parentheses at ``start`` into arguments.

    Return the offset after the parentheses, and the arguments. If no parentheses begin at
    ``start``, return ``start`` and None.
    """
    opened = re.compile(r"\s*\(").match(text, start)
    if opened is None:
        return start, None
    pieces: list[str] = []
    level, begin = 1, opened.end()
    for position in range(opened.end(), len(text)):
        level += (text[position] in "([{") - (text[position] in ")]}")
        if level == 0:
            return position + 1, [*pieces, text[begin:position]]
        if level == 1 and text[position] == ",":
            pieces.append(text[begin:position])
            begin = position + 1
    return start, None
