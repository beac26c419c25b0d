r"""Reads a question for a limit in free words.

The formula of the limit has a sign, or words say which formula is the function ("the limit of") and
where the variable tends to ("as $x$ approaches $0$ from the right").
"""

from __future__ import annotations

import re
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import INDEX_LETTERS, NAME, RELATION, Conditions
from ..layout import pieces_of
from .parts import NAMED, PLACEHOLDER, Target, taken_apart
from .surroundings import formula_of_question

#: The sign of a limit.
SIGN: Final = re.compile(
    r"\\lim(?![A-Za-z])|\\(?:operatorname\*?|mathop|mathrm|text|mathbf)\s*\{\s*(?:\\rm\s*)?\\?lim\s*\}"
    r"|(?<![\\A-Za-z])lim(?![A-Za-z])"
)
ARROW: Final = re.compile(
    r"(?:\\(?:to|(?:long)?rightarrow|(?:down|up|ne|se)arrow)(?![A-Za-z])|→|⟶|-+>|[↓↑])"
)
#: What a variable tends to: x \to 0.
_APPROACH: Final = re.compile(
    rf"\(?\s*(?P<name>\\?[A-Za-z]+)\s*\)?\s*{ARROW.pattern}\s*(?P<point>.+)", re.DOTALL
)
_TENDS: Final = re.compile(
    rf"{PLACEHOLDER.pattern}\s+(?:(?:is\s+made\s+to\s+)?(?:approach(?:es)?|tends?\s+to(?:wards)?"
    rf"|goes\s+to|converges?\s+to(?:wards)?|{prose.foreign_phrases('tends')}"
    rf"|{prose.unspaced_words('tends').pattern})\s+(?:the\s+\w+\s+\w+\s+)?{PLACEHOLDER.pattern}"
    r"|(?P<grows>grows\s+without\s+(?:bound|limit)|(?:increases|grows)\s+indefinitely"
    r"|tiende\s+a\s+infinito|tends\s+to\s+infinity|goes\s+to\s+infinity))"
)
_RANGE: Final = (
    rf"(?:\s*_\s*\{{?\s*(?P<index>[{INDEX_LETTERS}])\b[^{{}}]*\}}?)?"
    r"(?:\s*\^\s*\{?\s*\\infty\s*\}?)?"
)
#: The name of a sequence: a_n, (a_n), \{a_n\}_{n=1}^\infty.
SEQUENCE: Final = re.compile(
    rf"(?:\\left)?(?:\\\{{|\()?\s*(?P<letter>[A-Za-z])_\{{?(?P<name>[{INDEX_LETTERS}])\}}?\s*(?:\\right)?(?:\\\}}|\))?{_RANGE}"
)
#: An index alone, or an index that tends to infinity.
INDEX: Final = re.compile(rf"[{INDEX_LETTERS}](?:\s*\\(?:to|rightarrow)\s*\\infty)?")
#: A sequence that its term denotes: \{ 1/n \}, \{ 1/n \}_{n=1}^\infty.
_BRACED: Final = re.compile(rf"(?:\\left)?\\\{{(?P<term>[^,]+?)(?:\\right)?\\\}}{_RANGE}")
#: A sign without a subscript: lim x->2, lim(x→0).
BARE: Final = re.compile(
    r"(?<![\\A-Za-z])lim\s*(?P<open>\()?\s*(?P<approach>[A-Za-z]\s*(?:->|→)\s*[^\s()]+)\s*(?(open)\))"
)
NOUNS: Final = ("limit", "limits", "expression", "function", "sequence")
_IN_WORDS: Final = re.compile(r"(?i)\b(?:limit|tends?\b|approach|grenzwert)|极限")
_SIDE: Final = re.compile(
    r"\bfrom\s+(?:the\s+)?(?P<from>right|above|left|below)\b|\b(?P<hand>right|left)-hand(?:ed)?\s+limit\b"
)
_OF: Final = re.compile(
    r"\blimit(?:ing\s+value)?\b[^.?!]*?\b(?:of|by)(?:\s+(?:the|function|expression|sequence|fraction"
    r"|quotient|ratio))*\s*:?\s*\Z"
)


def limit_question(text: str) -> tuple[str, Conditions] | None:
    r"""Find the requested limit. Return the formula and the conditions.

    The result is None if the limit is not understood.

    Raises:
        ProblemError: a word or a formula may change the question.

    >>> limit_question("What is the limit of $x^x$ as $x$ tends to $0$ from above? [2]")[0]
    '\\lim_{x \\to 0^{+}} x^x'

    """
    question_parts = taken_apart(text)
    if question_parts is None:
        return None
    marked_prose, formulas = question_parts
    signed = [at for at, formula in enumerate(formulas) if SIGN.search(formula)]
    if len(signed) > 1:
        raise ProblemError("the question has more than one limit")
    if signed:
        return formula_of_question(question_parts, _of_sign(marked_prose, formulas, signed[0]))
    target = _of_sequence(marked_prose, formulas) or _in_words(marked_prose, formulas)
    if target is None and "sequence" in marked_prose:
        raise ProblemError(f"{text!r}: one sequence with a formula is expected")
    return formula_of_question(question_parts, target) if target else None


def _of_sign(marked_prose: str, formulas: list[str], at: int) -> Target:
    """The limit of a formula with a sign, perhaps with the function behind "of"."""
    formulas[at] = BARE.sub(r"\\lim_{\g<approach>} ", formulas[at])
    sign = SIGN.search(formulas[at])
    assert sign is not None
    if sign.start() and formulas[at][sign.start() - 1] == "{":  # \underset{x \to 0}{\lim}
        name = _APPROACH.search(formulas[at].replace("{", " "))
        variable = name["name"].lstrip("\\") if name else ""
        return Target(
            formulas[at], frozenset((at,)), formulas[at], variable, True, nouns=NOUNS, kind="limit"
        )
    following, numbers = formulas[at][sign.end() :].strip(), frozenset((at,))
    behind = re.match(
        rf"\s*of\s+{PLACEHOLDER.pattern}", marked_prose.partition(f"\ue012{at}\ue012")[2]
    )
    bare = _APPROACH.match(following) if not following.startswith(("_", "\\limits")) else None
    if bare is not None:  # lim x->0
        following = rf"_{{{following}}}"
    elif re.fullmatch(r"\\?[A-Za-z]_\{?[A-Za-z]\}?", following):  # \lim a_n
        following = rf"_{{{following[-1].strip('}')}\to\infty}} {following}"
    if behind is not None:
        following, numbers = f"{following} {formulas[int(behind[1])]}", numbers | {int(behind[1])}
    under = re.match(
        r"(?:\\limits)?\s*_\s*\{?\s*(?:\\substack\s*\{)?\s*\(?\s*(\\?[A-Za-z]+)", following
    )
    factor = formulas[at][: sign.start()].rpartition("=")[2]
    formula = rf"{factor}\lim{following}"
    own_name = formulas[at][: sign.start()] if NAMED.match(formulas[at]) else ""
    return Target(
        formula,
        numbers,
        own_name + formula,
        under[1].lstrip("\\") if under else "",
        is_bound=True,
        nouns=NOUNS,
        kind="limit",
    )


def _of_sequence(marked_prose: str, formulas: list[str]) -> Target | None:
    """The limit of a sequence, such as "the sequence a_n = 1/n", if words ask for a limit."""
    if "sequence" not in marked_prose:
        return None
    if not (re.search(r"\blimit|\btends?\b", marked_prose) or prose.says(marked_prose, "goal")):
        raise ProblemError("the limit of the sequence is not asked for")
    # A formula is the term of the sequence, the name of the sequence, or the index. Only a sequence
    # with a single term and a single name is clear.
    terms: dict[int, tuple[str, str]] = {}
    letters, numbers = set(), set()
    for at, formula in enumerate(formulas):
        name, *values = (side.strip() for side in pieces_of(formula, "="))
        named, braced = SEQUENCE.fullmatch(name), _BRACED.fullmatch(formula)
        if named is not None:
            letters.add(named["letter"])
            numbers.add(at)
            if values:
                terms[at] = named["name"], values[-1]
        elif braced is not None:
            terms[at] = braced["index"] or "n", braced["term"]
        elif not values and re.search(rf"sequence\s*\ue012{at}\ue012", marked_prose):
            terms[at] = "n", formula
        elif INDEX.fullmatch(formula):
            numbers.add(at)
    if len(terms) != 1 or len(letters) > 1:
        return None
    ((index, term),) = terms.values()
    if not re.search(rf"(?<![A-Za-z\\]){index}(?![A-Za-z])", term):
        return None
    formula = rf"\lim_{{{index} \to \infty}} {term}"
    names = frozenset(numbers | terms.keys())
    return Target(
        formula,
        names,
        formula,
        index,
        is_bound=True,
        has_sign=False,
        nouns=NOUNS,
        kind="limit in words",
    )


def _in_words(marked_prose: str, formulas: list[str]) -> Target | None:
    """The limit that words ask for."""
    if not _IN_WORDS.search(marked_prose):
        return None
    tending = [*_TENDS.finditer(marked_prose)]
    approaches = {
        int(match[1]): rf"{formulas[int(match[1])]} \to "
        + (r"\infty" if match["grows"] else formulas[int(match[2])])
        for match in tending
    }
    spoken = {int(number) for match in tending for number in match.groups()[:2] if number}
    approaches |= {
        at: formula for at, formula in enumerate(formulas) if _APPROACH.fullmatch(formula)
    }
    if len(approaches) != 1:
        return None
    ((at, approach),) = approaches.items()
    side = _SIDE.search(marked_prose)
    if side is not None:
        approach += "^{+}" if (side["from"] or side["hand"]) in ("right", "above") else "^{-}"
    # The function is the formula behind "limit of", else a named formula, else the only formula
    # apart from names and relations.
    candidates = [index for index in range(len(formulas)) if index != at and index not in spoken]
    after_of = [
        index
        for index in candidates
        if _OF.search(marked_prose.partition(f"\ue012{index}\ue012")[0])
    ]
    functions = (
        after_of
        or [index for index in candidates if NAMED.match(formulas[index])]
        or [
            index
            for index in candidates
            if not NAME.fullmatch(formulas[index]) and not RELATION.search(formulas[index])
        ]
    )
    if len(functions) != 1:
        return None
    function = formulas[functions[0]]
    named = NAMED.match(function)
    body = function[named.end() :].strip() if named else function
    numbers = frozenset((at, *spoken, *functions))
    name = approach.partition(" ")[0]
    match = _APPROACH.match(approach)
    variable = match["name"].lstrip("\\") if match else name
    formula = rf"\lim_{{{approach}}} {body}"
    return Target(
        formula,
        numbers,
        formula,
        variable,
        is_bound=True,
        has_sign=False,
        nouns=NOUNS,
        kind="limit in words",
    )
