"""From text to readings: the likely one first, then those that other customs give."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..expression.tree import Call, Expression
from . import ambiguities as customs
from .errors import AlternativesError, NotClosedFormError, ReadError, TooBigError
from .grammar import PREFIX, Vocabulary, vocabulary
from .limits import DEFAULT_LIMITS, Limits
from .parser import Parser
from .tokens.lexer import offset_of, tokenize


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text, with the names of the divided customs that it consulted.

    A name ends in ``:second`` where the custom was read the second way (`customs.CUSTOMS`).
    """

    expression: Expression
    conventions: tuple[str, ...] = ()


def read(
    text: str, *, symbols: Collection[str] = (), limits: Limits = DEFAULT_LIMITS
) -> tuple[Reading, ...]:
    """All readings of one formula, most likely first: one if it is unambiguous, at most eight.

    `symbols` are the names that the problem uses; they guide the splitting of runs of letters and
    take precedence over constants (``e``, ``i``) and functions (``K``) of the same name. Raises
    `ReadError` (with an offset and what was expected) for what has no reading.
    """
    return tuple(readings(text, symbols=symbols, limits=limits))


def readings(
    text: str, *, symbols: Collection[str] = (), limits: Limits = DEFAULT_LIMITS
) -> Iterator[Reading]:
    """The readings that `read` returns, each made when it is asked for."""
    words = vocabulary(frozenset(symbols))
    tokens = tokenize(text, words.known, words.spell, limits)
    failure: ReadError | None = None
    seen: list[Expression] = []
    parser = _parser(text, tokens, words, limits, 0)
    try:
        expression = _parse(parser)
        yield Reading(expression, customs.names(parser.consulted, 0))
        seen.append(expression)
    except (NotClosedFormError, AlternativesError, TooBigError):
        raise
    except ReadError as error:
        failure = error
    if parser.consulted:
        for flipped in _alternatives(parser.consulted, limits.readings - 1):
            parser = _parser(text, tokens, words, limits, flipped)
            try:
                expression = _parse(parser)
                if expression in seen:
                    continue
            except (ReadError, RecursionError):
                continue
            else:
                yield Reading(expression, customs.names(parser.consulted, flipped))
                seen.append(expression)
    if not seen and failure is not None:
        raise failure


def _parser(
    text: str, tokens: list[str], words: Vocabulary, limits: Limits, flipped: int
) -> Parser:
    return Parser(
        list(tokens),
        atoms=words.atoms,
        prefix=PREFIX,
        symbols=words.symbols,
        limits=limits,
        locate=lambda index: offset_of(text, index, words.spell),
        flipped=flipped,
    )


def _parse(parser: Parser) -> Expression:
    try:
        expression = parser.formula()
    except RecursionError:  # a caller deep in its own stack; the limits bound ours
        raise parser.error("less nesting", TooBigError) from None
    most = parser.limits.levels
    if len(parser.tokens) > most and _is_deeper(expression, most):
        raise parser.error(f"at most {most} levels in the tree", TooBigError, at=0)
    return expression


def _is_deeper(node: Expression, most: int) -> bool:
    """Whether a tree has more levels than `most`, so that recursion over it is safe if not."""
    pending = [(node, 1)]
    while pending:
        node, level = pending.pop()
        if level > most:
            return True
        if isinstance(node, Call):
            pending.extend((arg, level + 1) for arg in node.args)
    return False


def _alternatives(consulted: int, most: int) -> list[int]:
    """Masks of customs to flip: single ones first, then pairs, and so on."""
    bits = [custom.bit for custom in customs.CUSTOMS if custom.bit & consulted]
    masks = sorted(
        (sum(bit for place, bit in enumerate(bits) if mask >> place & 1), mask.bit_count())
        for mask in range(1, 1 << min(len(bits), 5))
    )
    masks.sort(key=lambda pair: pair[1])
    return [mask for mask, _ in masks[:most]]
