"""All readings of a text: the likeliest reading first, then the second readings of ambiguities."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

from ..expression.traversal import is_deeper
from ..expression.tree import Expression
from .ambiguities import AMBIGUITIES, names
from .errors import AlternativesError, NotClosedFormError, ReadError, TooBigError
from .grammar import PREFIX, vocabulary
from .limits import DEFAULT_LIMITS, Limits
from .parser import Parser
from .tokens.lexer import offset_of, tokenize

#: Signs of an infinity, in tokens and in words.
_SIGNS: Final = {"+": 1, "plus": 1, "positive": 1, "-": -1, "minus": -1, "negative": -1}
#: The longest text that is read as an infinity: ``\text{negative infinity}`` in braces has 24.
_LONGEST_INFINITY: Final = 40


@dataclass(frozen=True, slots=True)
class Reading:
    r"""One way to read a text.

    Attributes:
        expression: the tree.
        ambiguities: the names of the text's ambiguities (`AMBIGUITIES`). A name ends in ``:second``
            if the second reading was taken.

    >>> [reading.ambiguities for reading in read(r"\sin x/2")]
    [('argument_slash',), ('argument_slash:second',)]

    """

    expression: Expression
    ambiguities: tuple[str, ...] = ()


def read(
    text: str, *, symbols: Collection[str] = (), limits: Limits = DEFAULT_LIMITS
) -> tuple[Reading, ...]:
    r"""Read a formula.

    Args:
        text: LaTeX, plain text or Unicode. Any text is safe.
        symbols: names that the problem uses. The names help to split runs of letters. A symbol has
            precedence over a constant (``e``, ``i``) or a function (``K``) of the same name.
        limits: limits on the work.

    Returns:
        All readings, the likeliest first. An unambiguous text has one reading. No text has more
        than `Limits.readings`.

    Raises:
        ReadError: the text has no reading. The error states an offset and what was expected at
            this offset.

    Example:
        >>> from calculus_harness.rewards.reading.latex import to_latex
        >>> [to_latex(reading.expression) for reading in read(r"\sin x/2")]
        ['\\frac{\\sin\\left(x\\right)}{2}', '\\sin\\left(\\frac{x}{2}\\right)']

    """
    return tuple(readings(text, symbols=symbols, limits=limits))


def signed_infinity(text: str) -> int | None:
    r"""The sign of an infinity in any spelling.

    Args:
        text: LaTeX, plain text or Unicode. Any text is safe.

    Returns:
        1 or -1. If the text is not an infinity, the result is None.

    >>> [signed_infinity(text) for text in (r"+\infty", r"\text{negative infinity}", "-oo", "8")]
    [1, -1, -1, None]

    """
    if len(text) > _LONGEST_INFINITY:
        return None
    tokens = tokenize(text, vocabulary(frozenset()), DEFAULT_LIMITS)
    words = [
        word
        for token in tokens
        if token not in ("", "{", "}", ".", ",")
        for word in token.removeprefix("\\text ").split()
    ]
    # The infimum of nothing is no formula: a lone \inf is a misspelt \infty.
    if not words or words.pop() not in ("\\infty", "\\inf", "infinity", "inf"):
        return None
    return _SIGNS.get(words[0]) if len(words) == 1 else None if words else 1


def readings(
    text: str, *, symbols: Collection[str] = (), limits: Limits = DEFAULT_LIMITS
) -> Iterator[Reading]:
    """Yield the readings that `read` returns. Each reading is made on demand.

    Args:
        text: as for `read`.
        symbols: as for `read`.
        limits: as for `read`.

    Yields:
        The readings, most likely first.

    Raises:
        ReadError: the text has no reading.

    >>> next(readings("2x", symbols="x")).ambiguities
    ()

    """
    words = vocabulary(frozenset(symbols))
    tokens = tokenize(text, words, limits)
    failure: ReadError | RecursionError | None = None
    seen: list[Expression] = []
    masks = [0]
    for flipped in masks:
        parser = Parser(
            tokens=list(tokens),
            atoms=words.atoms,
            prefix=PREFIX,
            symbols=words.symbols,
            limits=limits,
            locate=lambda index: offset_of(text, index, words),
            flipped=flipped,
            pos=_after_mapping(tokens, words.symbols),
        )
        try:
            expression = _parse(parser)
            if expression not in seen:
                yield Reading(expression, names(parser.consulted, flipped))
                seen.append(expression)
        except (NotClosedFormError, AlternativesError, TooBigError):
            if not flipped:
                raise
        except (ReadError, RecursionError) as error:
            failure = failure or error
        if parser.consulted and not flipped:
            masks += _alternatives(parser.consulted, limits.readings - 1)
    if not seen and failure is not None:
        raise failure


def _after_mapping(tokens: list[str], symbols: Collection[str]) -> int:
    r"""The index behind ``x \mapsto`` or ``F: x \mapsto``, if the problem has x, or 0."""
    if "\\mapsto" not in tokens:
        return 0
    at = 2 if tokens[1:2] == [":"] else 0
    maps = tokens[at + 1 : at + 2] == ["\\mapsto"] and tokens[at].lstrip("\\") in symbols
    return at + 2 if maps else 0


def _parse(parser: Parser) -> Expression:
    try:
        expression = parser.formula()
    except RecursionError:  # a caller deep in its own stack; the limits bound ours
        raise parser.error("less nesting", TooBigError) from None
    max_levels = parser.limits.levels
    if len(parser.tokens) > max_levels and is_deeper(expression, max_levels):
        raise parser.error(f"at most {max_levels} levels in the tree", TooBigError, at=0)
    return expression


def _alternatives(consulted: int, max_masks: int) -> list[int]:
    """At most ``max_masks`` bit masks. A mask selects the ambiguities that get their second
    reading.

    Masks of one ambiguity come first, then masks of two ambiguities, and so on.
    """
    bits = [ambiguity.bit for ambiguity in AMBIGUITIES if ambiguity.bit & consulted][:5]
    masks = (sorted(map(sum, combinations(bits, count))) for count in range(1, len(bits) + 1))
    return [*chain.from_iterable(masks)][:max_masks]
