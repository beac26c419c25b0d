r"""Finds letters mistaken for parameters by the LaTeX reader.

``\int f(x)\,dx`` asks about an unknown function, not about f times x. The d of ``x^2 + dx`` belongs
to a differential. If f or d became a parameter, every right answer would be judged wrong.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from ..latex.grammar import vocabulary
from ..latex.limits import DEFAULT_LIMITS
from ..latex.tokens.lexer import tokenize
from ..latex.tokens.roles import IN_PROBLEM

#: Letters that calculus texts use for functions that they do not define: before parentheses that
#: hold the variable they are functions. Other letters may be factors, as in ``a(x+1)``.
_FUNCTION_LETTERS: Final = frozenset(
    ("f", "g", "h", "F", "G", "D", "\\phi", "\\psi", "\\varphi", "\\delta", "y")
)
_OPENERS: Final = frozenset(("(", "[", "\\{"))


def parameter_faults(
    integrand: str, suspects: Set[str], variable: str, has_sign: bool
) -> dict[str, str]:
    """Find the letters of an integrand that cannot be parameters, with the reasons.

    Args:
        integrand: the text of the integrand.
        suspects: the symbols of the integrand, apart from the variable.
        variable: the variable of integration.
        has_sign: whether an integral sign preceded the integrand. The letter d is checked only in
            this case.

    Returns:
        For each letter, a message with the reason. A letter cannot be a parameter if it
        occurs only before parentheses that contain the variable, or if its subscript contains the
        variable, as in a_n and a_{n+1}. The letter d cannot be a parameter if it always looks like
        the d of a differential.

    """
    faults = {
        name: f"{name} is a term of a sequence that the problem does not define"
        for name in suspects
        if "_" in name and _is_term(name, variable)
    }
    if not suspects or not ("(" in integrand or "d" in suspects):
        return faults
    words = vocabulary(frozenset((variable, IN_PROBLEM)))
    tokens = tokenize(integrand, words, DEFAULT_LIMITS)
    for name in sorted(suspects):
        argument = _applied_to(tokens, name, variable)
        if argument:
            faults[name] = (
                f"{name}({argument}) is a function that the problem does not define; "
                rf"write {name} \cdot (..) if {name} is a factor"
            )
    # In cx + d and (ax+b)/(cx+d), d is a parameter, and c is another.
    if has_sign and "d" in suspects and "c" not in suspects:
        behind = [tokens[at + 1].lstrip("\\") for at, token in enumerate(tokens) if token == "d"]
        if behind and all(
            token == variable or token in suspects or token in _OPENERS for token in behind
        ):
            behind = ["(..)" if token in _OPENERS else token for token in behind]
            faults["d"] = (
                f"d{behind[-1]} looks like a differential, but is not the integral's; "
                rf"write d \cdot {behind[-1]} if d is a parameter"
            )
    return faults


def _is_term(name: str, variable: str) -> bool:
    """Whether the variable is in the subscript of a name: a_n, a_{n+1}, a_{mn}, but not x_{min}."""
    words = re.findall("[A-Za-z]+", name.partition("_")[2])
    return any(word == variable or (len(word) == 2 and variable in word) for word in words)


def _applied_to(tokens: list[str], name: str, variable: str) -> str:
    """The argument of a function's letter, as x for f in f(x), or an empty text.

    A letter is a function if it occurs only before parentheses, and some of the parentheses contain
    the variable. For letters other than f, g and the like, the variable must also be alone in some
    parentheses. Thus ``a(x+1)`` is a product.
    """
    letter, _, index = name.partition("_")
    spellings = letter, "\\" + letter
    positions = [at for at, token in enumerate(tokens) if token in spellings]
    behind = [at + 1 for at in positions]
    if index:  # {J_1}(x)
        behind = [at for at in (_script_end(tokens, at, index) for at in behind) if at]
    arguments = [_argument(tokens, at) for at in behind]
    if not positions or not all(arguments):
        return ""
    applied = [
        argument for argument in arguments if variable in argument or "\\" + variable in argument
    ]
    if applied and (tokens[positions[0]] in _FUNCTION_LETTERS or min(map(len, applied)) == 1):
        return "".join(applied[0])
    return ""


def _script_end(tokens: list[str], position: int, index: str) -> int:
    """The offset after the subscript ``index`` and the closing brace.

    The result is 0 if the subscript is missing.
    """
    end = position + 1
    while end < len(tokens) and tokens[end] != "}" and tokens[end] not in _OPENERS:
        end += 1
    if (
        tokens[position : position + 1] != ["_"]
        or "".join(tokens[position + 1 : end]).strip("{") != index
    ):
        return 0
    while end < len(tokens) and tokens[end] == "}":
        end += 1
    return end


def _argument(tokens: list[str], position: int) -> list[str]:
    """The tokens in the parentheses at an offset. Without a parenthesis, the list is empty."""
    token, next_token = (*tokens[position : position + 2], "", "")[:2]
    braced = token == "{" and next_token in _OPENERS
    if not braced and token not in _OPENERS:
        return []
    level = 0
    for end in range(position, len(tokens)):
        level += (tokens[end] in (*_OPENERS, "{")) - (tokens[end] in (")", "]", "\\}", "}"))
        if level == 0:
            return tokens[position + 1 + braced : end - braced]
    return []
