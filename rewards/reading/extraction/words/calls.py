"""Names of functions in a text without delimiters, alone or in a run of letters such as xsinx."""

from __future__ import annotations

from ...latex.tokens.names import UNARY

#: Names of functions that are words, too, or too short to tell from one.
_WORDS_TOO = frozenset("sh ch th arch arth fact factorial floor ceil ceiling daw gd Re Im".split())
FUNCTIONS = frozenset(
    name.lower()
    for name in {
        name for own, further_names in UNARY.items() for name in (own, *further_names)
    }.difference(_WORDS_TOO)
    | set("sqrt cbrt li ei si ci gamma".split())
)
_LENGTHS = sorted({len(name) for name in FUNCTIONS})
#: Letters that stand before and behind a function without a space: "xsinx".
_LETTERS_BEFORE, _BEHIND = frozenset("xtuvyznkab0e"), frozenset("xtuvyzθ")


def is_calls(word: str) -> bool:
    """Whether a run of letters consists of functions and single letters, as "xsinx" does.

    The search visits no position twice. A regular expression could need 2^n attempts
    for n functions, because "sin" can also be read as "si" followed by "n".
    """
    letters = word.lower()
    waiting, reached = [0], {0}
    while waiting:
        at = waiting.pop()
        ends = [
            start + length
            for start in ((at, at + 1) if letters[at : at + 1] in _LETTERS_BEFORE else (at,))
            for length in _LENGTHS
            if letters[start : start + length] in FUNCTIONS and start + length <= len(letters)
        ]
        ends += [end + 1 for end in ends if letters[end : end + 1] in _BEHIND]
        waiting += set(ends) - reached
        reached.update(ends)
    return len(letters) in reached
