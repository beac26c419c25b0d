r"""Judges the text and the formulas beside the requested formula.

1. The surroundings of the question are left out: number, marks, hints. All formulas are marked.
2. Statements about symbols become conditions.
3. Definitions in the question are put into the requested formula.
4. Another formula is refused if asked for instead, or if a relation between symbols of the
   requested formula. A substitution, a fact about numbers, and a part of the formula say nothing.
5. The prose may not change the question. Words of arithmetic are refused, another quantity "of" the
   formula, and operations on the formula afterwards.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ....errors import ProblemError
from ...expression.traversal import symbols_of
from ...latex.tokens.names import GREEK
from .. import prose
from ..conditions import NAME, RELATION, Conditions
from ..derivatives import POWER_MINUS_ONE, SYMBOL, arguments_at
from ..marks import LONGEST, is_function
from .parts import ASKS_INTEGRAL, DENIED, NAMED, PLACEHOLDER, SENTENCE, Target, without_statements
from .pieces import NUMBER
from .requests import NAMES, check_requests, is_narration

_VERBS: Final = "|".join(
    sorted(prose.TABLE["value"] | prose.TABLE["form"] | prose.foreign_words("asks"), reverse=True)
)
_VERB: Final = re.compile(rf"\b(?:{_VERBS})\s+\Z", re.IGNORECASE)
#: What stands before a formula that is asked for: "compute the quotient", "find $N$ and".
_ASKS_FOR: Final = re.compile(
    rf"\b(?:{_VERBS})\s+"
    rf"(?:(?:expression|form|value)\s+(?:for|of)\s+|(?!(?:{'|'.join(prose.TABLE['preposition'])})\b)[a-z-]+\s+)*"
    rf"(?:{PLACEHOLDER.pattern}\s*(?:,|and|or)\s+)*\Z",
    re.IGNORECASE,
)
#: A function of a variable, such as T_3(x), and a dash: the name of something.
_APPLIED_NAME: Final = re.compile(r"[A-Za-z](?:_\{?\w+\}?)?\s*\(\s*\\?[A-Za-z]+\s*\)|[-\s]*")
_HAS_SIGN: Final = re.compile(r"\\(?:int|lim|prod|sum)(?![A-Za-z])|[∫∑∏]")
#: Words that change an integral: arithmetic, and forms of a number that are not exact.
_ARITHMETIC: Final = re.compile(rf"{prose.phrases('arithmetic')}(?!-)", re.IGNORECASE)
#: What is asked for "of" the formula; anything else than some nouns is another question.
_NOUN_CHAIN: Final = re.compile(
    r"(?:\b[A-Za-z-]+\s+(?:of|for)\s+(?:(?:the|this)\s+)?(?:[\w-]+\s+){0,2}?)+(?:following\s+)?:?\s*\Z"
)
#: A part of the formula that is asked for: "find the last term in the sum", "the integrand of".
_ASKS_FOR_PART: Final = re.compile(
    rf"\b(?:{_VERBS})\s+(?:the|a)\s+(?:(?:[\w-]+\s+){{1,3}}?in\s+(?:the|this)|integrand\s+of)\s+"
    r"(?:[\w-]+\s+){0,3}?\Z",
    re.IGNORECASE,
)
#: Words before such a chain with which the formula is not asked for.
_AFTER_PREPOSITION: Final = re.compile(r"\b(?:by|from|in|inside|on|through)\s+(?:the\s+)?\Z")
#: Words outside of the request that change the formula, or correct it.
_MODIFIES: Final = re.compile(
    r"\b(?:base\s+two|binary|correction|corrigend\w+|denominator\s+of\s+it|edit|errat\w+"
    r"|(?:even|odd)\s+part|(?:inter|ex)chang\w+|instead(?!\s+of\s+\w)|misprint\w*|misread|ought"
    r"|replac\w+|revers\w+|steps\s+of\s+(?:\d|\ue012|two|three)|swap\w*|typing\s+error|typo|upside)\b"
    r"|\b(?:should\s+(?:\w+\s+){0,2}(?:be|read)|read)\s+\ue012",
    re.IGNORECASE,
)
#: Characters of such a chain of nouns.
_CHAIN: Final = 200
_NOUN: Final = re.compile(r"(?<!\bin )\b([A-Za-z-]+)\s+(?:of|for)\b")
_NEUTRAL_NOUNS: Final = frozenset(
    """aid answer computation convergence definition evaluation existence expression form formula
    help means result solution transform use value way which""".split()
)
#: What is asked for of a solution, and the nouns with which this is the solution itself.
_PROPERTY: Final = re.compile(
    rf"\b(?:{_VERBS})\s+(?:(?!in\b)[\w-]+\s+){{0,3}}?([\w-]+)\s+(?:{PLACEHOLDER.pattern}\s+)?"
    r"(?:of|in)\s+(?:(?!of\b)[\w-]+\s+){0,3}?solutions?\b",
    re.IGNORECASE,
)
_OF_SOLUTION: Final = frozenset(
    "all any curve curves each equation every expression family form formula one set".split()
)
#: Another question: for which values of a symbol something holds.
_FOR_WHICH: Final = re.compile(
    r"\b(?:at|for)\s+(?:\w+\s+)?(?:what|which)\s+(?:\w+\s+){0,2}?(?:numbers?|values?)\b"
    r"|\b(?:at|for)\s+(?:\w+\s+)?(?:what|which)\s+(?:\w+\s+)?"
    rf"{PLACEHOLDER.pattern}|\bhow\s+(?:far|fast|large|long|many|much|small)\b(?!\s+is\s+(?:it|this)\b)|\bvalues\s+of\b|\bwhich\s+value\s+of\b"
    rf"|\b(?:greatest|largest|least|smallest)\s+(?:\w+\s+){{0,2}}?{PLACEHOLDER.pattern}"
    rf"|\ball\s+(?:\w+\s+){{0,3}}?{PLACEHOLDER.pattern}\s+(?:such\s+that|so\s+that|for\s+which)\b"
    r"|\bpartial\s+sums?\b",
    re.IGNORECASE,
)
#: Notations whose meaning is known.
_NOTATION: Final = re.compile(
    r"\\left?\\l(?:floor|ceil).*|\\l(?:floor|ceil).*|\\[a-z]+(?:\^\{-1\})?(?:\s*\(?[a-z]\)?)?"
)
#: A command, or letters without a sign between, which are a product or the name of a function.
_RUN: Final = re.compile(r"\\[A-Za-z]+|[A-Za-z]+")
#: What fixes the constant of an antiderivative: a value at a number, and a point.
_VALUE: Final = re.compile(r"[A-Za-z]\s*\([-\d./\\a-z{}]*\)\s*=.*|\(.*,.*\)|-?\d+")
#: What stands before the letter of the answer: "in terms of $u$", "leave the answer in $u = x^2$".
_EXPRESSED_IN: Final = re.compile(r"\b(?:in(?:\s+terms\s+of)?|as\s+a\s+function\s+of)\s*\Z")
_SIZES: Final = re.compile(r"\\(?:left|right)(?![A-Za-z])")
#: Space, and sizes of fractions.
_SPACE: Final = re.compile(r"\s|\\[,;:! ]|(?<=\\)[dt](?=frac)")
#: Definitions that build on each other: K = (gamma - 1) m c^2 with gamma = .. has two.
_MOST_NESTED: Final = 4
_SPOKEN: Final = re.compile(rf"{PLACEHOLDER.pattern}|[A-Za-z'’]{{2,}}|[.?!]")


def formula_of_question(
    question_parts: tuple[str, list[str]], target: Target
) -> tuple[str, Conditions]:
    """Put definitions into the requested formula, and read the conditions.

    Args:
        question_parts: the result of `taken_apart`.
        target: the requested formula.

    Raises:
        ProblemError: a word or a formula beside the formula may change the question.

    """
    formula, conditions, remainder = _with_surroundings(*question_parts, target)
    named = {at for at, text in enumerate(question_parts[1]) if text.strip() in target.names}
    check_requests(remainder, question_parts[1], target.kind, target.numbers | named)
    if (asks_values(*question_parts) and not target.is_set) or _is_changed(
        remainder, question_parts[1], target
    ):
        raise ProblemError(f"words beside {target.written!r} may change the question")
    return formula, conditions


def _with_surroundings(
    marked_prose: str, formulas: list[str], target: Target
) -> tuple[str, Conditions, str]:
    """Put definitions into the requested formula, and read the conditions.

    Returns:
        The formula, the conditions, and the remaining prose.

    Raises:
        ProblemError: a formula beside the formula may change the question.

    """
    formula, remainder = _SIZES.sub("", target.formula), ""
    marked_prose, conditions = without_statements(marked_prose, formulas, target)
    for sentence in SENTENCE.split(marked_prose):
        is_main = any(int(index) in target.numbers for index in PLACEHOLDER.findall(sentence))
        # of a narration, words and formulas count, numbers do not
        is_told = not is_main and is_narration(sentence)
        remainder += " " + (
            " ".join(word[0] for word in _SPOKEN.finditer(sentence)) if is_told else sentence
        )
    names = [named[0] for text in formulas if (named := NAMED.match(text))]
    other_mentions = [
        match for match in PLACEHOLDER.finditer(remainder) if int(match[1]) not in target.numbers
    ]
    unused = {match: formulas[int(match[1])] for match in other_mentions}
    # A definition may use the name of another definition. Every round puts in the definitions of
    # the names from the round before.
    for _ in range(_MOST_NESTED):
        used = [
            match
            for match, mentioned_formula in unused.items()
            if _defines(mentioned_formula, formula, target.variable)
        ]
        for match in used:
            definition = unused.pop(match)
            named = NAMED.match(definition)
            if (named and names.count(named[0]) > 1) or prose.says(marked_prose, "cases"):
                raise ProblemError(f"{definition!r} may be one of several cases")
            formula = with_definition(formula, definition, target.variable)
        if not used or len(formula) > LONGEST:
            break
    # All formulas that define nothing must have no effect on the requested formula.
    target = replace(target, written=f"{target.written} {formula}")
    for match, mentioned_formula in unused.items():
        around = remainder[: match.start()], remainder[match.end() :]
        if _may_change(mentioned_formula, *around, target):
            raise ProblemError(f"{mentioned_formula!r} may change the question")
    letters = target.letters
    conditions = Conditions(
        tuple(item for item in conditions.assumptions if item[0].partition("_")[0] in letters),
        tuple(
            comparison for comparison in conditions.comparisons if letters & symbols_of(comparison)
        ),
    )
    return formula, conditions, remainder


def is_name(formula: str) -> bool:
    """Whether a formula is a name, perhaps with an argument: F, F(x)."""
    return NAME.fullmatch(formula) is not None or _APPLIED_NAME.fullmatch(formula) is not None


def changes_numbers(marked_prose: str) -> bool:
    """Whether words of arithmetic may change a number or a formula of a question."""
    if _MODIFIES.search(marked_prose):
        return True
    return any(
        _ARITHMETIC.search(NAMES.sub(" ", sentence)) and not DENIED.search(sentence)
        for sentence in SENTENCE.split(marked_prose)
    )


def asks_values(marked_prose: str, formulas: list[str]) -> bool:
    """Whether words ask for the values of a symbol for which something holds."""
    return any(
        not any(RELATION.search(formulas[int(index)]) for index in match.groups() if index)
        for match in _FOR_WHICH.finditer(marked_prose)
    )


def _is_changed(marked_prose: str, formulas: list[str], target: Target) -> bool:
    """Whether words beside the requested formula may change the question.

    Args:
        marked_prose: the remaining prose, with places for the formulas.
        formulas: the formulas of the question.
        target: the requested formula.

    """
    numbers = sorted(target.numbers)
    preceding = marked_prose.partition(f"\ue012{numbers[0]}\ue012")[0]
    following = marked_prose.rpartition(f"\ue012{numbers[-1]}\ue012")[2]
    if re.search(r"\d\s*\Z", preceding) or re.match(r"\s*\d", following):
        return True
    neighbours = (
        re.search(rf"{PLACEHOLDER.pattern}\s*\Z", preceding),
        PLACEHOLDER.match(following.lstrip()),
    )
    if target.has_sign and not all(
        neighbour is None or RELATION.search(formulas[int(neighbour[1])])
        for neighbour in neighbours
    ):
        return True  # a factor before the formula, or a term behind
    if not target.has_sign and "integral" in target.nouns:
        last_request = rf"(?is)\b{ASKS_INTEGRAL}\b(?!.*\b{ASKS_INTEGRAL}\b).*"
        preceding = re.sub(last_request, "", preceding)
    named = [at for at, formula in enumerate(formulas) if formula.strip() in target.names]
    if target.kind == "integral" and prose.says(marked_prose, "quadrature"):
        return True
    if changes_numbers(marked_prose) or _is_governed(preceding, target):
        return True
    if any(_is_governed(marked_prose.partition(f"\ue012{at}\ue012")[0], target) for at in named):
        return True
    joined = re.match(rf"\s*(?:and|or|over)\s*{PLACEHOLDER.pattern}", following)
    if joined and not RELATION.search(formulas[int(joined[1])]):
        return True  # two are asked for
    for sentence in SENTENCE.split(marked_prose):
        names = {*re.findall(r"(?<![A-Za-z\\'’])[A-Za-z](?![A-Za-z'’])", sentence)}
        names |= {formulas[int(index)].lstrip("\\") for index in PLACEHOLDER.findall(sentence)}
        names -= {target.variable} if target.is_bound else set()
        if prose.states_kind(sentence) and not target.letters.isdisjoint(names):
            return True  # a is a strange integer
    return False


def _is_governed(preceding_text: str, target: Target) -> bool:
    """Whether another quantity "of" a formula is asked for, by the words before the formula."""
    preceding_text = preceding_text[-_CHAIN:]
    if _ASKS_FOR_PART.search(preceding_text):
        return True
    governed = _NOUN_CHAIN.search(preceding_text)
    if governed is None:
        return False
    if _AFTER_PREPOSITION.search(preceding_text, 0, governed.start()):  # in the exponent of
        return False
    nouns = {noun.lower() for noun in _NOUN.findall(governed[0])}
    return not nouns <= _NEUTRAL_NOUNS.union(target.nouns)


def asks_of_solution(marked_prose: str) -> bool:
    """Whether a property of the solution is asked for: "the slope of the solution"."""
    return any(match[1].lower() not in _OF_SOLUTION for match in _PROPERTY.finditer(marked_prose))


def instance(target: Target, formulas: list[str]) -> Target:
    r"""Put a number in the place of the argument of a named formula: $I_n = \int ..$, find $I_5$.

    >>> named = r"S_n=\sum_{k=1}^n k"
    >>> instance(Target(named, frozenset((0,)), named, "k", True), [named, "S_5"]).formula
    '\\sum_{k=1}^\\frac{5}{1} k'

    """
    named = NAMED.match(target.written)
    name, _, index = named["name"].partition("_") if named else ("", "", "")
    letter = index.strip("{}") or (named["variable"] if named else "")
    if not letter:
        return target
    argument = r"_\{?\s*(\d+)\s*\}?" if index else rf"\(\s*({NUMBER.pattern})\s*\)"
    pattern = re.compile(rf"{re.escape(name)}\s*{argument}")
    values = {
        at: match[1] for at, text in enumerate(formulas) if (match := pattern.fullmatch(text))
    }
    if len(values) != 1 or letter == target.variable:
        return target
    ((at, value),) = values.items()
    formula = with_letter(NAMED.sub("", target.formula, count=1), letter, value)
    return replace(target, formula=formula, numbers=target.numbers | {at})


def with_definition(formula: str, definition: str, bound: str) -> str:
    r"""Put a definition beside a formula into the formula.

    Args:
        formula: the formula.
        definition: the definition, as ``f(x) = x^2``, ``u_n = 1/n`` or ``K = m v^2``. A formula of
            another form leaves ``formula`` unchanged.
        bound: the variable of the formula. No definition changes the variable.

    Raises:
        ProblemError: the formula has the inverse function.

    >>> with_definition(r"\int_0^1 f(2t)\,dt", "f(x)=x^2", "t")
    '\\int_0^1 \\left(\\frac{2t}{1}^2\\right)\\,dt'

    """
    named = NAMED.match(definition)
    if named is None or (definition.count("=") > 1 and not named["variable"]):
        lhs, equals, rhs = definition.partition("=")
        is_part = equals and "=" not in rhs and len(lhs.strip()) > 1 and lhs.strip() in formula
        return formula.replace(lhs.strip(), rf"\left({rhs}\right)") if is_part else formula
    name, variable, body = named["name"], named["variable"], definition[named.end() :]
    name_pattern = rf"(?<![A-Za-z\\]){re.escape(name)}"
    if variable and re.search(rf"{name_pattern}{POWER_MINUS_ONE}", formula):
        raise ProblemError(f"the inverse function of {name} is not read")
    if not variable:
        if name.lstrip("\\") in (bound, "d") or not body.strip():
            return formula
        if SYMBOL.fullmatch(name):
            return with_letter(formula, name, body.strip())
        return re.sub(
            rf"{name_pattern}(?![A-Za-z_(]|\s*\()", lambda _: rf"\left({body}\right)", formula
        )
    formula = re.sub(
        rf"{name_pattern}(?![A-Za-z_'(]|\s*(?:\\left\s*)?[('])",
        lambda _: f"{name}({variable})",
        formula,
    )
    pieces, position = [], 0
    for match in re.finditer(rf"{name_pattern}(?=\s*\()", formula):
        end, arguments = arguments_at(formula, match.end())
        if match.start() < position or arguments is None or len(arguments) != 1:
            continue
        value = body
        if arguments[0].strip() != variable:
            value = with_letter(body, variable, arguments[0])
        pieces += [formula[position : match.start()], rf"\left({value}\right)"]
        position = end
    return "".join((*pieces, formula[position:]))


def _defines(definition: str, formula: str, bound: str) -> bool:
    return with_definition(formula, definition, bound) != formula


def with_letter(formula: str, letter: str, value: str) -> str:
    r"""Put a value in the place of a letter, also in a product such as ax, but not in sin or \sin.

    The value becomes a quotient, a factor like the letter: sin ax has the argument ax, and
    sin (2)x has not. Behind another letter, a quotient would end the argument, and parentheses
    have both readings.
    """
    pieces, position, is_behind_letter = list[str](), 0, False
    for run in _RUN.finditer(formula):
        gap = formula[position : run.start()]
        pieces.append(gap)
        is_behind_letter &= not _SPACE.sub("", gap)
        is_name = run[0].startswith("\\") or is_function(run[0])
        for name in (run[0],) if is_name else run[0]:
            put_in = rf"\left({value}\right)" if is_behind_letter else rf"\frac{{{value}}}{{1}}"
            pieces.append(put_in if name == letter else name)
            is_behind_letter = not is_function(name.lstrip("\\"))
        position = run.end()
    return "".join((*pieces, formula[position:]))


def _may_change(formula: str, preceding_text: str, following_text: str, target: Target) -> bool:
    """Whether a formula beside the requested formula may change the question.

    Two kinds of formulas may: a formula asked for instead, and a relation between symbols of the
    formula that is neither a substitution nor a part of the formula.

    Args:
        formula: the formula.
        preceding_text: the text before the formula.
        following_text: the text behind the formula.
        target: the requested formula.

    """
    if _of_noun(preceding_text, target.nouns) and formula.strip() not in target.names:
        return True  # the limit of another sequence
    named_letter = formula.partition("=")[0].strip()
    name = named_letter.lstrip("\\").partition("_")[0]
    if NAME.fullmatch(named_letter) and _EXPRESSED_IN.search(preceding_text[-_CHAIN:]):
        return name not in target.letters and name not in ("e", "pi", "ln", "log")
    if NAME.fullmatch(formula):
        if target.kind == "integral" and re.search(
            r"\brespect\s+to\s*\Z", preceding_text[-_CHAIN:]
        ):
            return name != target.variable
        named = NAMED.match(target.written)
        has_noun = re.search(rf"(?i)\b(?:{'|'.join(target.nouns)})\s+\Z", preceding_text)
        is_own = (named is not None and named["name"] == formula) or (
            has_noun is not None and not re.search(r"\d", formula)  # the sum $S_n$, but not $S_5$
        )
        return (
            not (is_own or target.is_set) and _ASKS_FOR.search(preceding_text[-_CHAIN:]) is not None
        )
    if re.match(r"\s*(?:denotes?|means|stands\s+for)\b", following_text):
        return _NOTATION.fullmatch(formula.strip()) is None  # a notation
    if _VALUE.fullmatch(formula):
        return not target.is_bound
    if target.kind == "integral" and name in ("C", "c", "K", "k") and "=" in formula:
        return not target.is_bound and name not in target.letters  # of the constant
    formula_text, target_text = (_SPACE.sub("", text) for text in (formula, target.written))
    if formula_text in target_text:
        return False
    is_name = _APPLIED_NAME.fullmatch(formula.strip()) and not _VERB.search(preceding_text)
    if not is_name and not RELATION.search(formula) and _ASKS_FOR.search(preceding_text[-_CHAIN:]):
        return True
    sides = RELATION.split(formula)
    names = [{letter.lstrip("\\") for letter in SYMBOL.findall(side)} for side in sides]
    symbols = {
        name for side_names in names for name in side_names if len(name) == 1 or name in GREEK
    }
    if _HAS_SIGN.search(formula):  # \int e^{-t^2} dt = \sqrt\pi states nothing of d and e
        symbols -= {"d", "e", "pi"}
    symbols -= {target.variable} if target.is_bound else set()
    shared_symbols = symbols & target.letters
    if len(sides) == 1 or not shared_symbols:
        return False
    is_named = any(
        NAME.fullmatch(side.strip().removeprefix("d"))
        and (side.strip().lstrip("\\") not in target.letters or side.strip() == target.variable)
        for side in sides
    )
    return not is_named or symbols <= target.letters


def _of_noun(preceding_text: str, nouns: tuple[str, ...]) -> bool:
    """Whether the words before a formula ask for the requested quantity of the formula."""
    nouns = tuple(noun for noun in nouns if noun != "coefficient")  # of a power
    pattern = rf"\b(?:{'|'.join(nouns)})\s+of\s+(?:the\s+)?(?:(?:{'|'.join(nouns)})\s+)?\Z"
    return bool(nouns) and re.search(pattern, preceding_text[-_CHAIN:]) is not None
