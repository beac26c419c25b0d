"""The core of the reader: a Pratt parser over tokens with uniform spelling (canonical tokens).

Operators bind as in print: sums, then products and quotients (with the implicit product), then
powers and other postfixes. A table (`rewards.reading.latex.grammar`) has a handler for every token
that begins an operand, and an argument for the handler. The handler is called with the parser, this
argument and the nesting depth.

The parser never looks further than one token ahead, and never goes back. Every recursion begins an
operand, and there the parser checks the nesting depth. The length of the text therefore bounds the
time, and `Limits.depth` bounds the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..expression.build import IMAGINARY, PI, E, decimal, product, quotient
from ..expression.traversal import is_constant
from ..expression.tree import Call, Expression, Number, Symbol
from .ambiguities import Ambiguity
from .errors import ReadError, TooBigError
from .limits import Limits
from .tokens.expected import expected_closing, expected_end, expected_operand
from .tokens.roles import BAR, INFIX, POSTFIX, SLASH, STOP, TAIL, TIMES

Handler = Callable[["Parser", Any, int], Expression]

_DEGREE: Final = Call("div", (PI, Number(180)))  # in radians
_UNITS: Final[dict[str, Expression]] = {"°": _DEGREE, "\\%": Number(1, 100)}
_CONSTANT_LETTERS: Final = frozenset("CcKk")
_SIGNS: Final = frozenset("+-")
_GROUPS: Final = frozenset(("(", "[", "{", "\\frac", "\\{"))


@dataclass(slots=True, kw_only=True, eq=False)
class Parser:
    """A parser for a reading of a token list.

    ``flipped`` has the bits of the ambiguities with the second reading.
    """

    tokens: list[str]
    atoms: Mapping[str, Expression]
    prefix: Mapping[str, tuple[Handler, Any]]
    symbols: frozenset[str]
    limits: Limits
    locate: Callable[[int], int]  # the offset of a token in the text
    flipped: int = 0
    pos: int = 0
    consulted: int = 0
    inserted: list[int] = field(default_factory=list)
    bars: int = 0  # bare | opened in the innermost group
    separates: bool = False  # whether | separates arguments in the innermost group
    links: int = 0  # of chains that deepen the tree
    nodes: int = 0  # made by expanding sums and products

    # -- results and errors ---------------------------------------------------------------------

    def formula(self) -> Expression:
        """Read the whole text as an expression."""
        if not self.tokens[0]:
            raise self.error("a formula")
        node = self.over(self.expression(0), 0)
        token = self.tokens[self.pos]
        if token and not (token in TAIL and self.ends_after_tail()):
            raise self.error(*expected_end(token))
        return node

    def ends_after_tail(self) -> bool:
        r"""Whether only punctuation or a remark like ``C \in \mathbb{R}`` follows here."""
        tokens = self.tokens
        index = self.pos + 1
        if tokens[index] in _CONSTANT_LETTERS:
            while tokens[index] not in ("", "\\in", ","):
                index += 1
            return tokens[index] == "\\in"
        return not tokens[index]

    def error(
        self, expected: str, error_type: type[ReadError] = ReadError, at: int = -1
    ) -> ReadError:
        index = self.pos if at < 0 else at
        index -= sum(inserted <= index for inserted in self.inserted)
        return error_type(expected, self.locate(max(index, 0)))

    def insert(self, index: int, tokens: list[str]) -> None:
        """Insert the pieces of a split token. In errors, each piece has the token's offset."""
        self.tokens[index:index] = tokens
        self.inserted.extend([index] * len(tokens))

    def choose(self, ambiguity: Ambiguity) -> bool:
        """Whether to take the second reading of an ambiguity."""
        self.consulted |= ambiguity.bit
        return self.flipped & ambiguity.bit != 0

    def lengthen(self, what: str) -> None:
        """Count an operator of a chain such as ``a/b/c``. Each operator makes the tree deeper."""
        self.links += 1
        if self.links > self.limits.depth:
            raise self.error(f"at most {self.limits.depth} {what}", TooBigError)

    def deeper(self, depth: int) -> int:
        """Increase the nesting depth by 1. Raise an error if the limit is exceeded."""
        if depth >= self.limits.depth:
            raise self.error(f"at most {self.limits.depth} nested forms", TooBigError)
        return depth + 1

    def enter_brackets(self, *, separates: bool = False) -> tuple[int, bool]:
        """Begin a group: count bars from 0. Return the state to restore after the group."""
        bar_state = self.bars, self.separates
        self.bars, self.separates = 0, separates
        return bar_state

    def skip(self, *tokens: str) -> None:
        """Skip all next tokens from ``tokens``."""
        while self.tokens[self.pos] in tokens:
            self.pos += 1

    def expect(self, token: str, expected: str) -> None:
        if self.tokens[self.pos] != token:
            raise self.error(expected)
        self.pos += 1

    # -- sums -----------------------------------------------------------------------------------

    def expression(self, depth: int) -> Expression:
        tokens = self.tokens
        token = tokens[self.pos]
        if token in _SIGNS and self.sign():
            node = self.negated(True, self.term(depth))
        else:
            node = self.term(depth)
        token = tokens[self.pos]
        if token != "+" and token != "-":
            return node
        terms = [node]
        while token == "+" or token == "-":
            self.pos += 1
            negative = token == "-"
            if tokens[self.pos] in _SIGNS:
                negative ^= self.sign()
            terms.append(self.negated(negative, self.term(depth)))
            token = tokens[self.pos]
        return Call("add", tuple(terms))

    def sign(self) -> bool:
        """Skip plus and minus signs. Return whether the product of the signs is a minus."""
        negative = False
        tokens = self.tokens
        while (token := tokens[self.pos]) == "+" or token == "-":
            negative ^= token == "-"
            self.pos += 1
        return negative

    @staticmethod
    def negated(negative: bool, node: Expression) -> Expression:
        if not negative:
            return node
        if type(node) is Number:
            return Number(-node.numerator, node.denominator)
        return Call("neg", (node,))

    def over(self, node: Expression, depth: int) -> Expression:
        r"""Read the rest of ``a \over b`` or ``n \choose k`` in a group."""
        token = self.tokens[self.pos]
        if token != "\\over" and token != "\\choose":
            return node
        self.pos += 1
        bottom = self.expression(depth)
        return quotient(node, bottom) if token == "\\over" else Call("binomial", (node, bottom))

    # -- products -------------------------------------------------------------------------------

    def term(self, depth: int) -> Expression:
        node = self.factor(depth)
        tokens = self.tokens
        operator = INFIX.get(token := tokens[self.pos])
        if operator == STOP:
            return node
        factors = [node]
        divided = False
        while operator != STOP:
            if operator is None:
                if token.lstrip(".")[:1].isdigit() and self.numbers_constant(factors):
                    factors[-1] = self.subscripted(tokens[self.pos - 1])
                else:
                    factors.append(self.factor(depth))
            elif operator == TIMES:
                self.pos += 1
                factors.append(self.factor(depth))
            elif operator == BAR:
                if not self.opens_bar():
                    break
                factors.append(self.factor(depth))
            else:
                if divided:
                    self.lengthen("divisions in a row")
                divided = True
                self.pos += 1
                self.divide(factors, operator, depth)
            operator = INFIX.get(token := tokens[self.pos])
        return product(factors)

    def divide(self, factors: list[Expression], operator: int, depth: int) -> None:
        """Divide the product so far by the denominator that follows a slash."""
        tokens = self.tokens
        start = self.pos
        bottom = self.factor(depth)
        following = tokens[self.pos]
        operator_after = INFIX.get(following)
        if operator == SLASH and operator_after is None and not following[0].isdigit():
            joins = self.slash_joins(start, factors, bottom, following)
            if joins is not None and joins != self.choose(Ambiguity.slash_product):
                denominators = [bottom]
                while self.continues_denominator(tokens[self.pos]):
                    denominators.append(self.factor(depth))
                bottom = product(denominators)
        top = product(factors)
        factors.clear()
        factors.append(quotient(top, bottom))

    def slash_joins(
        self, start: int, factors: list[Expression], bottom: Expression, following: str
    ) -> bool | None:
        """Whether ``a/b c`` probably means a/(b c), or None if that reading is impossible."""
        grouped = self.tokens[start] in _GROUPS or "/" in self.tokens[start]  # ½ is a group, too
        if grouped or not self.continues_denominator(following):
            return None
        if type(bottom) is Number:
            if all(map(is_constant, factors)):
                return False
            return type(self.atoms.get(following)) is Symbol
        return following in self.atoms

    def continues_denominator(self, token: str) -> bool:
        return token in self.atoms or token in ("(", "[", "\\sqrt", "\\left|")

    def numbers_constant(self, factors: list[Expression]) -> bool:
        """Whether the number here is the index of a constant of integration, as in ``C1``.

        A number directly after a number or a letter, as in ``2 3`` and ``x2``, is an error unless
        ``^`` follows it.
        """
        previous = self.tokens[self.pos - 1]
        is_constant = previous in _CONSTANT_LETTERS and previous not in self.symbols
        if is_constant and type(factors[-1]) is Symbol:
            return True
        if self.tokens[self.pos + 1] == "^":
            return False
        is_letter = len(previous) == 1 and previous.isalpha()
        if is_letter or previous in self.atoms or previous[0].isdigit():
            raise self.error("an operator before the number")
        return False

    def opens_bar(self) -> bool:
        """Whether a plain ``|`` after an operand opens a new pair of bars."""
        if self.bars == 0:
            return not self.separates
        tokens = self.tokens
        if self.bars != 1 or INFIX.get(tokens[self.pos + 1]) is not None:
            return False
        if self.consulted & ~self.flipped & Ambiguity.nested_bars.bit:
            return False
        return self.bars_ahead() >= 3 and self.choose(Ambiguity.nested_bars)

    def bars_ahead(self) -> int:
        """The number of plain bars up to the end of the formula or of the current group."""
        level = count = 0
        for index in range(self.pos, min(len(self.tokens), self.pos + 64)):
            token = self.tokens[index]
            if token in ("(", "[", "{", "\\{"):
                level += 1
            elif token in (")", "]", "}", "\\}"):
                level -= 1
                if level < 0:
                    break
            elif token == "|" and level == 0:
                count += 1
        return count

    # -- operands -------------------------------------------------------------------------------

    def factor(self, depth: int) -> Expression:
        """Read an operand with powers and further postfixes."""
        tokens = self.tokens
        token = tokens[self.pos]
        node = self.atoms.get(token)
        if node is not None:
            self.pos += 1
        else:
            node = self.form(token, depth)
        if (token := tokens[self.pos]) in POSTFIX:
            node = self.postfix(node, token, depth)
            while (token := tokens[self.pos]) in POSTFIX:
                self.lengthen("postfixes in a row")
                node = self.postfix(node, token, depth)
        return node

    def operand(self, token: str, depth: int) -> Expression:
        """Read an operand without postfixes."""
        node = self.atoms.get(token)
        if node is not None:
            self.pos += 1
            return node
        return self.form(token, depth)

    def form(self, token: str, depth: int) -> Expression:
        """Read a number, or an operand of several tokens."""
        entry = self.prefix.get(token)
        if entry is not None:
            if depth >= self.limits.depth:
                self.deeper(depth)  # raises the error
            self.pos += 1
            return entry[0](self, entry[1], depth + 1)
        if token and (token[0].isdecimal() or (token[0] == "." and len(token) > 1)):
            self.pos += 1
            return self.number(token)
        raise self.error(*expected_operand(token))

    def number(self, token: str) -> Expression:
        if len(token) > self.limits.digits:
            raise self.too_many_digits()
        if token.isdecimal():
            return Number(int(token))
        mantissa, mark, exponent = token.lower().partition("e")
        if mark:
            # 2e-3 may be a difference; 1e-3, 1.5e-3, 2E-3 and 2e5 are numbers.
            is_number = "." in mantissa or mantissa == "1" or exponent.isdigit() or "E" in token
            if not is_number and not self.choose(Ambiguity.scientific):
                return self.mantissa_times_e(mantissa, exponent)
            if abs(int(exponent)) > self.limits.digits:
                raise self.too_many_digits()
        return decimal(mantissa, int(exponent or 0))

    def too_many_digits(self) -> ReadError:
        return self.error(f"at most {self.limits.digits} digits", TooBigError, at=self.pos - 1)

    def mantissa_times_e(self, mantissa: str, exponent: str) -> Expression:
        """Read ``2e-3`` as 2e - 3. Return 2e, and insert ``-`` and ``3`` as the next tokens."""
        exponent_tokens = [exponent[0], exponent[1:]] if exponent[0] in _SIGNS else ["*", exponent]
        self.insert(self.pos, exponent_tokens)
        return Call("mul", (self.number(mantissa), E))

    # -- postfixes ------------------------------------------------------------------------------

    def postfix(self, node: Expression, token: str, depth: int) -> Expression:
        self.pos += 1
        if token == "^":
            return self.power(node, depth)
        if token == "!" and self.tokens[self.pos] == "!":
            self.pos += 1
            return Call("double_factorial", (node,))
        if token == "!":
            return Call("factorial", (node,))
        if token == "_":
            if type(node) is Symbol:
                return self.subscripted(node.name)
            if node is E or node is IMAGINARY:
                return self.subscripted("e" if node is E else "i")
            raise self.error("an operator, not a subscript", at=self.pos - 1)
        if token in _UNITS:
            return product([node, _UNITS[token]])
        if type(node) is Symbol and node.name in _CONSTANT_LETTERS:
            return Symbol(node.name + "'")
        raise self.error("an operator, not a prime (a derivative?)", at=self.pos - 1)

    def power(self, base: Expression, depth: int) -> Expression:
        tokens = self.tokens
        start = self.pos
        token = tokens[start]
        braced = token == "{" and tokens[start + 1] == "\\circ" and tokens[start + 2] == "}"
        if token == "\\circ" or braced:
            self.pos += 3 if braced else 1
            return product([base, _DEGREE])
        if token in ("'", "\\circle"):
            raise self.error("an exponent, not a prime (a derivative?)")
        if token == "{" and tokens[start + 1] == "}":
            self.pos += 2
            return base
        if token == "{" and tokens[start + 1] == "^":  # x^{^{2}}
            depth = self.deeper(depth)
            self.pos += 2
            power = self.power(base, depth)
            self.expect("}", "a closing brace")
            return power
        exponent = self.exponent(depth)
        if token != "{" and token != "(":
            exponent = self.unbraced(base, exponent, token, depth)
        if base is E:
            return Call("exp", (exponent,))
        return Call("pow", (base, exponent))

    def unbraced(
        self, base: Expression, exponent: Expression, token: str, depth: int
    ) -> Expression:
        """Read the following tokens that belong to an exponent without braces.

        In ``x^1/2`` and ``e^ab``, more than one token may belong to the exponent.
        """
        tokens = self.tokens
        following = tokens[self.pos]
        if type(exponent) not in (Number, Symbol):
            return exponent
        if following == "/" and token == "1" and tokens[self.pos + 1].isdigit():
            if not self.choose(Ambiguity.unit_exponent):
                self.pos += 2
                return quotient(exponent, self.number(tokens[self.pos - 1]))
        elif (
            base is E
            and type(self.atoms.get(following)) is Symbol
            and self.choose(Ambiguity.exponent_product)
        ):
            factors: list[Expression] = [exponent]
            while type(self.atoms.get(tokens[self.pos])) is Symbol:
                factors.append(self.factor(depth))
            return product(factors)
        return exponent

    def exponent(self, depth: int) -> Expression:
        """Read the exponent after ``^``: a group or a token, perhaps with a sign (``x^-1``)."""
        tokens = self.tokens
        token = tokens[self.pos]
        if token in _SIGNS:
            negative = self.sign()
            return self.negated(negative, self.exponent(depth))
        if token.isdigit() and len(token) > 1 and self.choose(Ambiguity.unbraced_digits):
            node: Expression = self.first_digit(token)
        else:
            node = self.operand(token, depth)
            if tokens[self.pos] == "_" and type(node) is Symbol:
                node = self.postfix(node, "_", depth)
        if tokens[self.pos] == "^" and token != "{":
            depth = self.deeper(depth)
            self.pos += 1
            node = self.power(node, depth)
        return node

    def first_digit(self, token: str) -> Number:
        r"""Take a digit of a number, as TeX does after ``^`` and ``\frac``."""
        # With the brace, the rest is not refused as a number after a number.
        self.tokens[self.pos] = "}"
        self.insert(self.pos + 1, [token[1:]])
        self.pos += 1
        return Number(int(token[0]))

    def subscripted(self, name: str) -> Symbol:
        """Read the next subscript, and return the symbol with the subscript."""
        return Symbol(f"{name}_{self.subscript()}")

    def subscript(self) -> str:
        """Read a subscript and return the text, such as ``12`` for ``_{12}``."""
        tokens, start = self.tokens, self.pos
        token = tokens[start]
        if token != "{":
            if not (token in self.atoms or token in self.prefix or token.isdigit()):
                raise self.error("a subscript")
            self.pos += 1
            return token.lstrip("\\").removeprefix("fn ")
        names: list[str] = []
        self.pos += 1
        while (token := tokens[self.pos]) != "}":
            if token == "{" or not token or len(names) > 16:
                raise self.error("a plain subscript", at=start)
            names.append(token.lstrip("\\").removeprefix("fn ").removeprefix("text "))
            self.pos += 1
        self.pos += 1
        if not names:
            raise self.error("a subscript", at=start)
        return "".join(names)

    # -- groups ---------------------------------------------------------------------------------

    def group(self, closers: frozenset[str], depth: int) -> Expression:
        """Read the rest of a group after the opening delimiter."""
        bars, separates, start = self.bars, self.separates, self.pos
        self.bars, self.separates = 0, False
        node = self.expression(depth)
        if self.tokens[self.pos] not in closers:
            node = self.over(node, depth)
            token = self.tokens[self.pos]
            if token not in closers:
                if not token:
                    raise self.error("a closing delimiter for the one here", at=start - 1)
                raise self.error(*expected_closing(token))
        self.pos += 1
        self.bars, self.separates = bars, separates
        return node

    def tex_argument(self, depth: int) -> Expression:
        """Read an argument of a TeX command: a braced group, a digit, a letter, or a command."""
        token = self.tokens[self.pos]
        if token.isdigit() and len(token) > 1:
            return self.first_digit(token)
        if token == "":
            raise self.error("an argument")
        return self.operand(token, depth)
