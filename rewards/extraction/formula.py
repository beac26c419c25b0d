"""One formula: its statements, their chains of ``=``, and the last link of each, made clean.

A formula's LaTeX is cut at its top level (outside braces, brackets and environments such as
``cases``) into *chains*: ``F(x) = a = b, \\quad x > 0 \\\\ u = x^2`` has three. The last link of a
chain is its answer, its first link (the root) says what the chain is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from .boxes import LONGEST, closing_brace

# --- Cutting -------------------------------------------------------------------------------------
_ROWS = "align|aligned|alignat|alignedat|gather|gathered|multline|multlined|split|equation|eqnarray|flalign|math|displaymath"
_TOKEN = re.compile(
    r"\\begin\s?\{(?P<begin>[A-Za-z]+)\*?\}"
    r"|\\end\s?\{(?P<end>[A-Za-z]+)\*?\}"
    r"|(?P<row>\\\\(?:[ ]?\[[^\]\n]{0,12}\])?|\\(?:newline|cr)(?![A-Za-z]))"
    r"|\\(?P<text>(?:inter|shortinter)?text(?:rm|normal|it|bf|sf)?|mbox|hbox|mathrm|operatorname)\*?\s?(?=\{)"
    r"|(?P<so>\\(?:implies|impliedby|iff|therefore|because|Rightarrow|Longrightarrow|Leftrightarrow"
    r"|Longleftrightarrow|rightarrow|longrightarrow|leadsto|to)(?![A-Za-z])|[-=]+>)"
    r"|(?P<rel>\\(?:equiv|triangleq|coloneqq|doteq)(?![A-Za-z])|\\(?:overset|stackrel|underset)\s?\{[^{}]{0,80}\}\s?\{\s?(?:=|\\approx)\s?\}"
    r"|\\x(?:right|Right|=|long)\w{0,12}(?:\[[^\]\n]{0,40}\])?\{[^{}]{0,80}\}"
    r"|(?<![<>!]):?==?(?![<>]))"
    r"|(?P<approx>\\(?:approx|simeq|sim|cong|doteqdot)(?![A-Za-z]))"
    r"|(?P<ineq>\\(?:n?eq|ne|not\s?=|leq?|geq?|lt|gt|leqslant|geqslant|n?in|notin|subset|forall|exists|ll|gg)(?![A-Za-z])"
    r"|[<>]=?|=<|!=)"
    r"|(?P<sep>,(?!\d)|;|\\q?quad(?![A-Za-z])|\\hspace\s?\{[^{}]{0,20}\})"
    r"|\\(?:left|right|[bB]igg?[lrm]?)(?P<sized>[()\[\]]|\\[{}])"
    r"|\\(?P<escaped>[{}])|\\[^A-Za-z]|(?P<brace>[{}])|(?P<paren>[()\[\]])"
)
_OPEN = frozenset("([")
# Text inside \text{...} that is mathematics.
_MATH_TEXT = re.compile(
    r"\s*\\?(?:a(?:rc?)?)?(?:sinh?|cosh?|tanh?|coth?|sech?|csch?|cosec|sh|ch|th)\s*|\s*(?:arg|arc|area)\w*\s*"
    r"|\s*(?:ln|log|lg|exp|erfc?i?|sgn|sign|signum|abs|Li|li|Ei|Si|Ci|Shi|Chi|Cl|gd|sqrt|max|min|floor|ceil"
    r"|si|ci|dilog|artanh|arsinh|arcosh|sinc|Im|Re|W|AGM|B|am|sn|cn|dn)\s*(?:_\{?\w\}?)?\s*|\s*[^\W_]\s*",
)
_CONSTANT_TEXT = re.compile(
    r"\s*(?:some |an? |arbitrary |integration |integrating |the )*(?:const(?:ant)?s?\.?|konst(?:ante)?\.?|cte\.?|cste\.?|costante"
    r"|константа|常数)(?:\s+of\s+integration)?\s*[.,]?\s*",
    re.IGNORECASE,
)
_SAME_TEXT = re.compile(
    r"\bequivalent|\bi\.?e\b|\bthat is\b|\bwhich (?:is|simplif|equals|gives|becomes)|\bsimplif|\bin other words"
    r"|^\W*(?:is|equals?|gives?|becomes?|yields?|so|thus|hence|therefore|then|we (?:get|have|obtain|find)|is given by"
    r"|est|ist|es|é|è|=)\W*$",
    re.IGNORECASE,
)
_ALTERNATIVE_TEXT = re.compile(r"^\W*(?:either|or|and|ou|oder|o|или|或)\W*$", re.IGNORECASE)
_REMARK_START = re.compile(
    r"[\s~(\[]*(?:\\[,;:! ]\s*)*(?:where|with|for|if|when|as|since|provided|assuming|valid)\b", re.IGNORECASE
)
_ENDS_OPEN = re.compile(r"(?:[-+*/=(]|\\(?:cdot|times|left\())\s*$")
_STARTS_OPEN = re.compile(r"(?:\\(?:q?quad|[,;:! ]|left\.|hspace\{[^{}]{0,20}\}|phantom\{[^{}]{0,80}\})|[&\s{}])*(?:[+*/]|-(?!>)|\\(?:cdot|times)(?![A-Za-z]))")
_ROW_LEAD = re.compile(r"(?:\\(?:q?quad|[,;:! ])|[&\s])*")


@dataclass(slots=True)
class Chain:
    """Links joined by relations. A root of ``""`` means that the chain goes on from elsewhere."""

    links: list[str] = field(default_factory=list)
    lead: str = ""  # the prose in \text{} before it
    remark: bool = False  # said after the answer: "where C is ..", "x > 0"
    approximate: bool = False  # follows an approximation sign
    bound: bool = False  # holds an inequality or membership at its top level

    @property
    def root(self) -> str:
        return self.links[0] if len(self.links) > 1 else ""


# What a formula must hold to need more than a split at its equality signs.
_INVOLVED = re.compile(
    r"\\(?:[\\{}]|begin|(?:inter|shortinter)?text|mbox|hbox|mathrm|operatorname|q?quad|hspace|impl|iff|therefore|because"
    r"|L(?:ongr|eftr|ongl)|(?:right|left)arrow|R|to(?![A-Za-z])|long|leadsto|equiv|trian|colon|doteq|over|under|stack|x|approx|sim|cong"
    r"|n?eq?(?![A-Za-z])|n(?:ot|e)(?!w)|l(?:e(?!ft)|t)|g[et]|n?in(?![A-Za-z])|subset|forall|exists|ll|gg|newline|cr(?![A-Za-z]))"
    r"|,(?<!\\,)|;(?<!\\;)|<|>|!=|=="
)


def chains(latex: str) -> list[Chain]:
    """The statements of a formula, in order; empty ones are left out."""
    if _INVOLVED.search(latex) is None:
        links = latex.split("=")
        if all(
            link.count("{") == link.count("}")
            and link.count("(") == link.count(")")
            and link.count("[") == link.count("]")
            for link in links
        ):
            return [Chain(links)] if latex.strip(" =\n") else []
    found, balanced = _cut(latex, True)
    if not balanced:
        found, _ = _cut(latex, False)
    return found


def _cut(latex: str, parens: bool) -> tuple[list[Chain], bool]:
    done: list[Chain] = []
    chain = Chain()
    pieces: list[str] = []  # of the current link
    start = 0
    braces = depth = skipped = 0
    inner: list[str] = []  # environments whose rows are not statements
    tokens = list(_TOKEN.finditer(latex))
    count = len(tokens)
    until = 0  # tokens before this offset lie inside a \text{} that was dealt with
    row = False  # a row break stands between the last piece and here

    def close_link() -> None:
        chain.links.append("".join(pieces))
        pieces.clear()

    def close_chain(remark: bool = False) -> None:
        nonlocal chain
        close_link()
        if chain.bound or any(link.strip() for link in chain.links):
            done.append(chain)
            chain = Chain(remark=remark)
        else:
            chain = Chain(lead=chain.lead, remark=remark or chain.remark)

    def take(end: int) -> None:
        nonlocal start, row
        piece = latex[start:end]
        if row and piece.strip():
            # A row goes on with the chain, or with its last link, or begins another statement.
            row = False
            piece = piece[_ROW_LEAD.match(piece).end() :]  # type: ignore[union-attr]
            if not piece:
                start = end
                return
            so_far = "".join(pieces)
            if not (_STARTS_OPEN.match(piece) or _ENDS_OPEN.search(so_far) or not so_far.strip()):
                close_chain()
            piece = " " + piece
        pieces.append(piece)
        start = end

    for index, token in enumerate(tokens):
        at = token.start()
        if at < until:
            continue
        kind = token.lastgroup
        if kind is None:
            continue
        if kind == "brace":
            braces = braces + 1 if token[0] == "{" else max(braces - 1, 0)
            continue
        if braces:
            continue
        if kind == "begin" or kind == "end":
            name = token[kind]
            if name in _ROW_NAMES:
                if not inner:
                    take(at)
                    start = token.end()
            elif kind == "begin":
                inner.append(name)
            elif inner:
                inner.pop()
            continue
        if inner:
            continue
        if kind == "paren" or kind == "sized" or kind == "escaped":
            if parens:
                if token[kind][-1] in "([{":
                    depth += 1
                elif depth:
                    depth -= 1
                else:
                    skipped += 1
            continue
        if depth:
            continue
        if kind == "rel":
            if row and _ROW_LEAD.fullmatch(latex, start, at):
                row = False  # the row goes on with the chain
            take(at)
            start = token.end()
            close_link()
        elif kind == "so":
            if row and _ROW_LEAD.fullmatch(latex, start, at):
                row = False
            take(at)
            start = token.end()
            following = _next_kind(tokens, index + 1, count)
            if chain.links or (following is not None and following.lastgroup == "rel"):
                close_chain()  # another statement
            else:
                close_link()
        elif kind == "approx":
            take(at)
            start = token.end()
            so_far = "".join(pieces)
            if not so_far.strip() or "\\int" in so_far or _NAME.fullmatch(_clean(so_far)):
                close_link()
            else:  # what follows is only nearly equal
                close_chain()
                chain.approximate = True
        elif kind == "ineq":
            take(at)
            start = token.end()
            if pieces:
                pieces.append(token[0])
            chain.bound = True
        elif kind == "row":
            take(at)
            start = token.end()
            row = True
        elif kind == "sep":
            if row and token[0] not in ",;" and _ROW_LEAD.fullmatch(latex, start, at):
                continue  # a row's indentation
            following = _next_kind(tokens, index + 1, count)
            end = following.start() if following else len(latex)
            rest = latex[token.end() : end]
            if following is not None and following.lastgroup in ("rel", "so"):
                if not rest.strip() or (token[0] == "," and _DX.fullmatch(rest)):
                    continue  # a \quad before "=", a "\," that lost its backslash
            take(at)
            begun = "".join(pieces).strip()
            if following is not None and following.lastgroup == "rel" and begun:
                start = token.end()
                close_chain()
            elif (following is not None and following.lastgroup == "ineq") or _REMARK_START.match(rest):
                start = token.end()
                close_chain(remark=bool(begun))
            elif not begun or not rest.strip() or _MARK.fullmatch(rest):
                start = token.end()
        else:  # text
            close = closing_brace(latex, token.end())
            if close < 0:
                continue
            until = close + 1
            words = latex[token.end() + 1 : close]
            command = token["text"]
            if command in ("mathrm", "operatorname") or _MATH_TEXT.fullmatch(words):
                if not _CONSTANT_TEXT.fullmatch(words):
                    continue
            take(at)
            begun = "".join(pieces).strip()
            start = until
            if not words.strip(" .,;:"):
                continue
            if _CONSTANT_TEXT.fullmatch(words) and begun[-1:] in ("+", "-"):
                pieces.append(" C")
            elif _ALTERNATIVE_TEXT.match(words) and begun:
                pieces.append(r" \text{ or } ")
            elif _SAME_TEXT.search(words):
                if begun:
                    close_link()
                else:
                    chain.lead += " " + words
            elif not begun and not any(link.strip() for link in chain.links):
                if _looks_mathematical(words):
                    pieces.append(words)
                else:
                    chain.lead += " " + words
            elif row or (begun and not begun.endswith("=")):
                row = False
                close_chain(remark=True)
                chain.lead = words
            elif not begun and _looks_mathematical(words):
                pieces.append(words)
    if start < len(latex):
        take(len(latex))
    close_chain()
    return done, not depth and not skipped


_ROW_NAMES = frozenset(_ROWS.split("|"))


def _next_kind(tokens: list[re.Match[str]], index: int, count: int) -> re.Match[str] | None:
    """The next top-level relation, bound, separator, text or row, looking only a little ahead."""
    depth = 0
    for token in tokens[index : min(index + 40, count)]:
        kind = token.lastgroup
        if kind in ("brace", "paren", "sized", "escaped"):
            character = token[kind][-1]
            depth += 1 if character in "{([" else -1
        elif kind is not None and depth <= 0:
            return token
    return None


_DX = re.compile(r"\s*d[A-Za-z]\s*")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")


def _looks_mathematical(words: str) -> bool:
    """Whether the content of a \\text{} is a formula that was put there by mistake."""
    return bool(re.search(r"[=^+\\]|\d\s*[A-Za-z]", words)) and all(
        _MATH_TEXT.fullmatch(word[0]) for word in _WORD.finditer(words)
    )


# --- Cleaning ------------------------------------------------------------------------------------
_NOISE = re.compile(
    r"\\(?:display|text|script|scriptscript)style(?![A-Za-z])\s?|\\(?:no)?limits(?![A-Za-z])"
    r"|\\(?:nonumber|notag|hfill|allowbreak|nobreak|noindent|centering|Large|LARGE|large|huge|Huge|bf|bfseries|ensuremath)(?![A-Za-z])"
    r"|\\(?:tag|label|color|hspace|vspace)\*?\s?\{[^{}]{0,80}\}"
    r"|\\(?:boldsymbol|bm|mathbf|pmb|underline|underset\s?\{[^{}]{0,80}\}|underbrace|textcolor\s?\{[^{}]{0,40}\}|colorbox\s?\{[^{}]{0,40}\}|boxed|fbox|mathbin|mathord|mathstrut)(?=\s?\{)"
    r"|\\boxed(?![A-Za-z])|\$|\*\*(?![\w(])|(?<![\w)])\*\*"
)
_ALIGNMENT = re.compile(r"\\\\(?:[ ]?\[[^\]\n]{0,12}\])?|&")
_MARK = re.compile(r"(?:\s|\\(?:blacksquare|square|Box|checkmark|qed|clubsuit|bigstar|qquad|quad|[,;:! ])(?![A-Za-z])|[~✓✅■□∎.])*")
_TRAILING = re.compile(
    r"(?:\\(?:blacksquare|square|Box|checkmark|qed|bigstar|q?quad|par|hfill)|\\[,;:! /]|[\s~✓✅■□∎.,;:!?`\"]|(?<!\\)\\$)+\Z"
)
_LEADING = re.compile(r"(?:\\(?:q?quad|par|hfill|therefore|because)(?![A-Za-z])|\\[,;:! /]|[\s~:`\",;]|\.(?!\d))+")
_CONSTANT_WORD = re.compile(
    r"([-+]\s?)(?:\\(?:text|mathrm|mathit|textrm|mbox|operatorname)\s?\{\s?)?"
    r"(?:(?:an? |some |the |arbitrary |integration )*(?:const(?:ante|ant)?|konst(?:ante)?|cte|cste|costante|константа|常数)\b\.?"
    r"(?:\s+of\s+integration)?)\s?\}?",
    re.IGNORECASE,
)
_PRIMED_CONSTANT = re.compile(r"([-+]\s?[CKck])(?:'|\^\{?\\prime\}?)(?![\w(])")
_CYRILLIC_CONSTANT = re.compile(r"([-+]\s?)С(?!\w)")
_POWER = re.compile(r"(?<=[\w)}\]])\s?\*\*\s?(?=[\w({-])")
_REMARK_INSIDE = re.compile(r"[=<>]|\\(?:n?eq?|not|leq?|geq?|lt|gt|in|notin|text|mbox|textrm)(?![A-Za-z])|\b(?:where|for|if|with|when|or|since)\b|constant", re.IGNORECASE)
_GROUP = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s?(?=[()\[\]])|\\.|[()\[\]{}]", re.DOTALL)


def _clean(latex: str) -> str:
    """A link without sizes of style, labels, alignment and what else only concerns the page."""
    if "$" in latex or "\\" in latex or "*" in latex:
        if "**" in latex:
            latex = _POWER.sub("^", latex)
        latex = _NOISE.sub("", latex)
    if ("&" in latex or "\\\\" in latex) and "\\begin" not in latex:
        latex = _ALIGNMENT.sub(" ", latex)
    if "onst" in latex or "const" in latex or "Const" in latex or "cte" in latex or "常" in latex:
        latex = _CONSTANT_WORD.sub(r"\1C", latex)
    if "'" in latex or "prime" in latex:
        latex = _PRIMED_CONSTANT.sub(r"\1", latex)
    if "С" in latex:
        latex = _CYRILLIC_CONSTANT.sub(r"\1C", latex)
    latex = _trim(latex)
    while latex.endswith((")", "]")) and (shorter := _without_remark(latex)) != latex:
        latex = _trim(shorter)
    return _unwrapped(latex)


def _trim(latex: str) -> str:
    """Without spacing and punctuation at either end."""
    if latex[-1:] in _TRAILING_CHARACTERS or latex.endswith(_TRAILING_COMMANDS):
        latex = latex[:-400] + _TRAILING.sub("", latex[-400:])
    if latex[:1] in _LEADING_CHARACTERS:
        match = _LEADING.match(latex)
        if match:
            return latex[match.end() :]
    return latex


_TRAILING_COMMANDS = ("quad", "square", "Box", "mark", "qed", "star", "par", "hfill")
_LEADING_CHARACTERS = frozenset(" \n\t~:`\",;.\\")
_TRAILING_CHARACTERS = frozenset(" \n\t~✓✅■□∎.,;:!?`\"\\")


def _without_remark(latex: str) -> str:
    """The link without a last bracket that holds a condition: ``F + C (x > 0)``."""
    if not _REMARK_INSIDE.search(latex):
        return latex
    opened: list[int] = []
    last = -1
    for token in _GROUP.finditer(latex):
        character = token[0]
        if character in "([":
            if not opened:
                last = token.start()
            opened.append(token.start())
        elif character in ")]" and opened:
            opened.pop()
            if not opened and token.end() == len(latex):
                break
    else:
        return latex
    inside = latex[last:]
    before = latex[:last]
    if before.endswith("\\left"):
        before = before[:-5]
    for size in ("\\big", "\\bigl", "\\Big", "\\Bigl"):
        before = before.removesuffix(size)
    return before if before.strip() and _REMARK_INSIDE.search(inside) else latex


_WRAPPER = re.compile(r"(?:\\(?:text|mathrm|mbox|textbf|mathbf|textrm|mathsf|mathit)\s?)?(?=\{)")


def _unwrapped(latex: str) -> str:
    """Without braces, or a text command, around the whole."""
    for _ in range(4):
        if latex[-1:] != "}" or latex[0] not in "{\\":
            break
        match = _WRAPPER.match(latex)
        if not match or closing_brace(latex, match.end()) != len(latex) - 1:
            break
        latex = _trim(latex[match.end() + 1 : -1])
    return latex


# --- Judging -------------------------------------------------------------------------------------
_LETTER = r"(?:[A-Za-z]|[α-ωΑ-Ω]|\\(?:alpha|beta|gamma|theta|phi|varphi|psi|lambda|mu|omega|Phi|Psi|Omega|xi|eta|tau|sigma|rho|kappa|epsilon|varepsilon|delta|nu|zeta))"
_STYLE = r"\\(?:mathcal|mathrm|mathit|mathbf|mathscr|mathbb|text|operatorname|textit|boldsymbol)\s?\{\s?[A-Za-z]\s?\}"
_SUBSCRIPT = r"(?:_\s?(?:\{[^{}]{0,20}\}|\w))?"
_NAME = re.compile(rf"(?:{_LETTER}|{_STYLE}){_SUBSCRIPT}(?:\s?(?:\\left)?\(\s?{_LETTER}{_SUBSCRIPT}\s?(?:\\right)?\))?")
_ANSWER_NAME = re.compile(
    rf"(?:[FIJGHSYyPT]|\\(?:Phi|Psi)|Φ|Ψ|\\(?:mathcal|mathbf|mathrm|text|mathscr)\s?\{{\s?[FIJGS]\s?\}}|\\mathcal\s?[FI]){_SUBSCRIPT}"
    rf"(?:\s?(?:\\left)?\(\s?{_LETTER}\s?(?:\\right)?\))?"
    r"|(?:[Tt]he )?(?:[Ff]inal )?(?:[Aa]nswer|[Aa]ntiderivative|[Ii]ntegral|[Rr]esult|[Ss]olution)",
)
_CONSTANT_NAME = rf"(?:[CKck]|\\(?:mathcal|mathrm|text|mathit|mathbf|mathscr)\s?\{{\s?[CKck]\s?\}}|\\mathcal\s?C){_SUBSCRIPT}(?:'|\^\{{?\\prime\}}?)?"
_CONSTANT = re.compile(rf"[-+±]?\s?{_CONSTANT_NAME}")
_PLUS_CONSTANT = re.compile(
    rf"(?:[-+±]|\\pm)\s*(?:\\[,;:! ]\s*)*(?:{_CONSTANT_NAME}|\\ln\s?\|?[CKck]\|?)(?![A-Za-z^(_])"
)
_CONSTANT_PLUS = re.compile(rf"{_CONSTANT_NAME}\s*[-+]")
_LONGEST_CONSTANT = 40
_NUMBER = re.compile(r"[-+]?[\d.,]+|[-+]?\\d?frac\s?\{?\d+\}?\s?\{?\d+\}?|[-+]?\d+/\d+|\\pi|π|e|\\infty")
_DIFFERENTIAL = re.compile(
    r"(?:\A|[^A-Za-z\\_^{]|\\[,;!:])(?:d|\\mathrm\s?\{\s?d\s?\}|\\mathrm\s?d|\\dd)\s?"
    r"(?:[A-Za-z]|\\(?:theta|phi|tau|xi|eta))\s?\)?\Z"
)
_D = r"(?:d|\\mathrm\s?\{\s?d\s?\}|\\mathrm\s?d|\\partial|\\text\{\s?d\s?\})"
_DERIVATIVE = re.compile(
    rf"\\[dtc]?frac\s?\{{\s?{_D}(?:\^\{{?2\}}?)?\s?(?:[A-Za-z]{_SUBSCRIPT}|\\(?:theta|phi))?(?:\([a-z]\))?\s?\}}\s?\{{\s?{_D}\s?(?:[A-Za-z]|\\[a-z]+)(?:\^\{{?2\}}?)?\s?\}}"
    rf"|\\[dtc]?frac\s?\{{\s?{_D}(?![A-Za-z])[^{{}}]{{0,80}}\}}\s?\{{\s?{_D}\s?[a-z]"
    r"|\b[dD]\s?(?:[A-Za-z]|\([^()]{0,60}\))?\s?/\s?d[a-z]\b|\bD_\{?[a-z]\}?"
    rf"|(?:{_LETTER}|\)|\]|\|){_SUBSCRIPT}\s?(?:'|\^\s?\{{?\s?\\prime|\\prime)"
)
_INTEGRAL = re.compile(r"\\(?:i*int|oint)(?![A-Za-z])|[∫∬]")
_MATHEMATICS = re.compile(r"[\w\\]")
_ONLY_INTEGRAL = re.compile(r"[-+]?\s?[^+]{0,60}?\Z")


class Kind(IntEnum):
    """What a chain is. The higher, the more it looks like an answer."""

    NO_ANSWER = 0  # a lone constant, a definition, a condition, a check, an integral
    LONE = 1  # a single symbol or number: an answer only if it is called one
    IDENTITY = 2  # an equation of two expressions
    PLAIN = 3  # an expression
    STRONG = 4  # ends in "+ C", or says what it is: "\int f dx = ..", "F(x) = .."


@dataclass(frozen=True, slots=True)
class Statement:
    """A chain judged: its last link, what kind of thing it is, and why."""

    answer: str
    kind: Kind
    reason: str = ""
    links: int = 1
    has_constant: bool = False


def judge(chain: Chain, root: str | None = None) -> Statement:
    """What a chain says. ``root`` is given when the chain goes on from an earlier formula."""
    links = chain.links
    answer = _clean(links[-1])
    count = 1
    if len(links) > 1:
        if root is None:
            root = links[0]
        count = sum(map(bool, map(str.strip, links)))
    about_integral = bool(root) and _has_integral(root or "")
    root = _clean(root) if root and not about_integral else ""
    reason = _refusal(answer, root, about_integral, chain.bound)
    if reason:
        return Statement(answer, Kind.NO_ANSWER, reason, count)
    plus = has_constant(answer)
    named = bool(root) and _ANSWER_NAME.fullmatch(root) is not None
    small = len(answer) < _LONGEST_CONSTANT and (
        _NUMBER.fullmatch(answer) is not None or _NAME.fullmatch(answer) is not None
    )
    if root:
        if small and not (named and _NAME.fullmatch(answer)):
            return Statement(answer, Kind.NO_ANSWER, "a value", count)
        kind = Kind.STRONG if plus or named else Kind.IDENTITY
    elif plus or about_integral:
        kind = Kind.STRONG
    elif small or _has_integral(answer):
        kind = Kind.LONE
    else:
        kind = Kind.PLAIN
    return Statement(answer, kind, "", count, plus)


def _refusal(answer: str, root: str, about_integral: bool, bound: bool) -> str:
    """Why a chain with this last link and root is no answer; empty if it may be one."""
    if bound:
        return "a condition"
    if not answer or not _MATHEMATICS.search(answer):
        return "nothing on the right of the last ="
    if len(answer) > LONGEST:
        return "too long"
    if len(answer) < _LONGEST_CONSTANT and _CONSTANT.fullmatch(answer):
        return "a lone constant"
    if root:
        if _CONSTANT.fullmatch(root):
            return "a definition of the constant"
        if _differentiates(root):
            return "a derivative"
        if root[0] in "d\\" and _DIFFERENTIAL.fullmatch(root):
            return "a differential"
        if _NAME.fullmatch(root) and not _ANSWER_NAME.fullmatch(root) and not has_constant(answer):
            return "a definition"
    if not about_integral and _differentiates(answer) and not has_constant(answer):
        return "a derivative"
    if _DIFFERENTIAL.search(answer[-24:]):
        # Behind an integral sign, or it is a differential.
        where = _INTEGRAL.search(answer)
        if where is None:
            return "a differential"
        if not _SIGN.search(answer, 1, where.start()) and not has_constant(answer):
            return "an integral, not evaluated"
    return ""


_SIGN = re.compile(r"[-+]")


def has_constant(latex: str) -> bool:
    """Whether a constant of integration is added somewhere."""
    return _PLUS_CONSTANT.search(latex) is not None or (
        latex[0] in "CKck\\" and _CONSTANT_PLUS.match(latex) is not None
    )


def _has_integral(latex: str) -> bool:
    return "int" in latex and _INTEGRAL.search(latex) is not None


def _differentiates(latex: str) -> bool:
    return (
        "'" in latex or "d" in latex or "D" in latex or "prime" in latex
    ) and _DERIVATIVE.search(latex) is not None


def cleaned(latex: str) -> str:
    """A formula's text cleaned as a whole, for those that are not taken apart."""
    return _clean(latex)


def has_integral(latex: str) -> bool:
    """Whether an integral sign stands in it."""
    return _has_integral(latex)
