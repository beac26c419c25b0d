"""How the words around a formula introduce it: as the answer, a rule, a condition, a check."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Stands for a formula in a sentence.
FORMULA = "\u00a7"

_GROUPS = {
    # the answer is called by name
    "announce": """
        answer answers final finally result results solution conclusion réponse résultat
        respuesta resultado antwort ergebnis lösung endergebnis risposta risultato
        resposta solução ответ результат решение antwoord cevap sonuç odpowiedź wynik
        svar jawaban hasil
    """,
    # ... if a verb follows
    "noun": """
        antiderivative antiderivatives anti-derivative primitive integral integrals
        integration intégrale primitiva stammfunktion integrale первообразная интеграл
        integrál
    """,
    "verb": """
        is are equals equal equaling evaluates becomes be reads works comes was est vaut
        es ist lautet beträgt è é равен равна равно
    """,
    # a consequence
    "conclude": """
        get gets give gives given giving obtain obtains obtaining obtained yields yield
        have so thus hence therefore then simplifies simplify simplified simplifying
        written write rewritten rewrite expressed express arrive arrives evaluate
        concluded conclude equivalent equivalently combining combine overall putting
        altogether i.e actually correct corrected correction instead donc ainsi luego
        daher somit also dunque quindi portanto logo следовательно итак получаем
        back back-substituting back-substitution resubstituting consequently accordingly
        alternatively
    """,
    # another formula, not the answer
    "recall": """
        recall recalling recalls remember example examples similarly since because
        original matches match compare comparing reminder indeed generally instance
        confidence parce car weil denn porque perché
    """,
    # a rule that is used, unless a conclusion follows
    "method": """
        identity identities formula formulas standard known well-known table rule rules
        lemma theorem used definition formule regel fórmula regla regra formel satz
    """,
    # a check by differentiation
    "check": """
        check checks checking verify verifies verified verifying verification
        differentiate differentiates differentiating differentiation derivative
        derivatives integrand vérification vérifier dérivée dérivant überprüfung
        ableitung probe comprobación derivando derivada verifica derivata проверка
        производная
    """,
    # a definition, a condition, a step
    "soft": """
        where with let let's set sets setting put as if when for using use by assume
        assuming provided valid domain constant constants denote denotes denoting
        denoted define defined defining note notes noting substitution substitute
        substituting choose choosing chosen take taking consider considering suppose
        factor factors term terms multiply multiplied multiplying divide divided
        dividing coefficient coefficients compute calculate integrate integrating
        function functions expression power parts wobei mit où avec donde con dove onde
        где пусть
    """,
}
_KINDS = {word: kind for kind, words in _GROUPS.items() for word in words.split()}
_WORD = re.compile(r"[^\W\d_]+(?:[-.'][^\W\d_]+)*|§|[,;]")
# A known result that is used: "using the standard result".
_USED_RESULT = re.compile(
    r"\b(?:(?:well-)?known|standard|classical|basic|general) results?\b"
    r"|\b(?:using|use|used|by|from|apply|applying|recall) (?:the|this|a|an|our)(?: \w+)? results?"
    r"(?=\W*\Z)"
)
# A formula that the text rejects: "rather than ..", "one might guess ..", "I first wrote ..",
# "had we kept the factor, it would have been ..".
_DENIAL = re.compile(
    # directly before the formula
    r"\b(?:(?:not|nor|never|(?:is|are|was|does|do)n't|instead of|rather than|as opposed to|unlike"
    r"|can(?:not|'t) be"
    r"|differs? from|different from|reject|rule out|ruled out|considered|ignore|disregard|discard"
    r"|except(?: for)?|other than|(?:any|every)thing but|far from|unequal to"
    r"|don't (?:write|say|use)|wrong|incorrect|draft|scratch(?: work)?|rough work|whereas"
    r"|intermediate result|previously|formerly|related)"
    r"(?: (?:just|simply|merely|equal to|be|the same as|given by|as|the))?)[\s*:(]*\Z"
    # earlier in the sentence, if no word in between leads back to the answer
    r"|\b(?:(?:false|untrue|not true|wrong|incorrect) that|would have|had (?:we|i|you|it|the)"
    r"|if (?:you|one|someone) (?:got|get|wrote|had)"
    r"|if\b[^\u00a7]{0,60}\b(?:instead|were(?! to)|had)\b[^\u00a7]{0,60}\bwould"
    r"|(?:confused?|mixed up) (?:this |it |that )?with|tempt(?:ing|ed)|naive(?:ly)?|at first glance"
    r"|(?:might|could|may) (?:\w+ )?(?:guess|think|expect|believe|suppose|assume|hope)"
    r"|(?:initially|originally|at first|previously|earlier|first|mistakenly) (?:(?:i|we|had) )?"
    r"(?:got|thought|wrote|obtained|claimed|believed|guessed|had|said|assumed)"
    r"|common (?:\w+ )?(?:mistake|error)|wrongly|incorrectly|mistakenly|erroneously|textbook says"
    r"|in contrast|for comparison|related integral"
    r"|(?:wrong|incorrect|erroneous) (?:\w+ )?(?:answer|result|solution|antiderivative))\b"
    r"(?:(?!\b(?:but|however|actual\w*|correct|right|should|so|thus|hence|therefore|same|just|simply"
    r"|in fact|indeed|instead(?=,))\b)"
    r"[^\u00a7])*\Z"
)
_RIGHT = (
    r"(?:\w+ ){0,2}(?:right|correct|work|valid|true|match\w*|answer|antiderivative|solution|good"
    r"|what)\b(?! (?:for|when|at|if|on|to)\b)"
)
_DENIED_AFTER = re.compile(
    r"[\s*]{0,3}\((?:this is )?(?:wrong|incorrect|false)\)"
    r"|[\s*.,;)]{0,4}(?:(?:and|but|which|this|that|it|however|though)[\s,]{1,2}){0,3}"
    r"(?:(?:is|was|are|would be|does|did|can)(?: (?:also|therefore|thus|\w{2,12}ly))?"
    r"(?:n['\u2019]t| ?not)? (?:(?:an? |the )?(?:wrong|incorrect|tempting|false|mistaken|erroneous"
    rf"|common mistake|naive)\b|(?:(?<=not )|(?<=n't )){_RIGHT})"
    r"|is (?:the|an) (?:antiderivative|integral) of (?:a different|another|some other)\b"
    r"|(?:has|had) (?:the|a) (?:wrong|incorrect|typo|mistake|error)\b)",
    re.IGNORECASE,
)
#: Words that end a clause.
_BREAKS = frozenset((",", ";", "but", "however"))
_CJK = re.compile(
    r"(?P<announce>答案|结果|結果|原函数|原始関数|积分为|積分為|解答|答え|정답|답은|결과)"
    r"|(?P<conclude>所以|因此|得到|可得|得|故|即|从而|よって|したがって|따라서|그러므로)"
    r"|(?P<check>验证|驗證|检验|求导|検算|검산|미분)|(?P<recall>因为|由于|公式)"
    r"|(?P<soft>其中|设|設|令|当|ここで|여기서|단)"
)


@dataclass(frozen=True, slots=True)
class Lead:
    """How a sentence introduces the formula at its end."""

    announced: bool = False  # "the answer is", "the integral is"
    named: bool = False  # announced as the answer, or result, by that name
    concluded: bool = False  # "so we get"
    doubted: bool = False  # recalled or checked
    soft: bool = False  # "where", "let", "by"
    denied: bool = False  # "not", "instead of", "one might guess"


def read_lead(sentence: str) -> Lead:
    """Classify the words before a formula; `FORMULA` stands for other formulas among them."""
    kinds: list[str] = []
    if "respect" in sentence:
        sentence = sentence.replace("with respect to", "")
    sentence = sentence.lower()
    if "in general" in sentence:
        sentence = sentence.replace("in general", "generally")
    if "result" in sentence:
        sentence = _USED_RESULT.sub("formula", sentence)
    if _DENIAL.search(sentence, sentence.rfind(FORMULA) + 1):
        return Lead(denied=True)
    for word in _WORD.findall(sentence):
        kind = _KINDS.get(word)
        if kind:
            kinds.append(kind)
        elif word in _BREAKS:
            kinds.append(",")
    if not sentence.isascii():
        kinds += [m.lastgroup or "" for m in _CJK.finditer(sentence)]
    if not kinds:
        return Lead()
    announced = named = concluded = recalled = method = checked = soft = noun = False
    clause = 0  # the clause with the last doubt
    here = 0  # the current clause
    for kind in kinds:
        if kind == "announce":
            announced, soft, method = True, False, False
            named = True
            if here > clause:
                recalled = checked = False
        elif kind == "noun":
            noun = True
        elif kind == "verb":
            if noun:
                announced, soft, method = True, False, False
                if here > clause:
                    recalled = checked = False
            elif not soft:
                concluded = True
        elif kind == "conclude":
            concluded, soft, recalled, method = True, False, False, False
            if here > clause:
                checked = False
        elif kind == "method":
            method, announced, concluded = True, False, False
        elif kind == "recall":
            recalled, announced, concluded, clause = True, False, False, here
        elif kind == "check":
            checked, announced, concluded, clause = True, False, False, here
        elif kind == "soft":
            soft, concluded = True, False
        else:
            here += 1
    doubted = recalled or method or checked
    announced = announced and not doubted
    return Lead(
        announced, announced and named, (concluded or announced) and not soft, doubted, soft
    )


_MENTIONED_AFTER = re.compile(
    r"[\s*]{0,3}(?:(?:is|are|be|remains) (?:(?:well|always|not|only|also) )?(?:defined|undefined"
    r"|real|positive|negative|non-?(?:zero|negative)|zero|continuous|differentiable|increasing|even"
    r"|odd|constant|a constant)|denotes?|represents?|stands for|refers to|makes sense)\b",
    re.IGNORECASE,
)


def mentioned_after(text: str, end: int) -> bool:
    """Whether the words after a formula treat it as known: "is defined"."""
    return _MENTIONED_AFTER.match(text, end, end + 60) is not None


def denied_before(words: str) -> bool:
    """Whether the words of a sentence before a formula reject it: "the answer is not"."""
    return _DENIAL.search(words.lower()) is not None


def denied_after(text: str, end: int) -> bool:
    """Whether the words after a formula reject it: "is not right"."""
    return _DENIED_AFTER.match(text, end, end + 80) is not None


_ASKED = frozenset(
    """integral integrals antiderivative antiderivatives primitive integrate evaluate compute find
    solve calculate derivative differentiate differentiating integrating function integrand
    expression problem intégrale primitiva integrale""".split()
)
_FILLER = frozenset("of for to the given following indefinite function expression".split())
_LAST_WORDS = re.compile(r"[^\W\d_]+")


def asks(gap: str) -> bool:
    """Whether the words end with a request for the next formula's integral: "the integral of"."""
    words = _LAST_WORDS.findall(gap[-60:].lower())
    for word in reversed(words):
        if word in _FILLER:
            if word in ("function", "expression"):
                return True
            continue
        return word in _ASKED
    return False


# --- Checks and explanations ----------------------------------------------------------------------
_SENTENCE_CHECK = re.compile(
    r"\bto (?:double[- ])?(?:verify|check|confirm)|\bverif(?:y|ying|ication)\b"
    r"|\bcheck(?:ing)?(?: by| that| our| the| this| it|:|\*)"
    r"|\b(?:let'?s|we can|you can|quick|sanity|double)[ -]check|\bproof\b"
    r"|\bdifferentiat(?:e|ing|ion) (?:this|the|our|it|back|both|F\b|yields|confirms|gives)"
    r"|vérifi(?:cation|ons)|überprüfung|\bprobe\s*:|verificaci[oó]n|comprobaci[oó]n|verifica\b"
    r"|проверка|验证|检验|検算|검산",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[ \t>#*_\d.]{0,8}(?:explanation|justification|derivation|reasoning|how (?:to|it|i|we) \w+"
    r"|steps?(?: used| taken)?\s*[:*]|remarks?\s*[:*]|method(?: used)?\s*[:*]|details)",
    re.IGNORECASE,
)
# Parts of words that every check or heading has: a fast search before the regular expressions.
_CHECK_HINTS = ("erif", "heck", "onfirm", "ifferentiat", "roof")
_FOREIGN_HINTS = ("vérif", "prüf", "robe", "omprob", "роверк", "验", "検算", "검산")
_HEADING_HINTS = tuple("xplanation ustification erivation easoning teps emark ethod etails".split())
_HEADING_HINTS += ("ow ",)


def first_check(text: str, end: int) -> int:
    """The offset of the first check or explanation before ``end``; ``end`` if there is none."""
    hints = _CHECK_HINTS if text.isascii() else _CHECK_HINTS + _FOREIGN_HINTS
    first = end
    for hint in hints:
        at = text.find(hint, 0, first)
        for _ in range(20):
            if at < 0:
                break
            if check := _SENTENCE_CHECK.search(text, max(at - 12, 0), min(at + 30, end)):
                first = min(first, check.start())
                break
            at = text.find(hint, at + 1, first)
    for hint in _HEADING_HINTS:
        at = text.find(hint, 0, first)
        for _ in range(20):
            if at < 0:
                break
            line = text.rfind("\n", 0, at) + 1
            if at - line < 12 and _HEADING.match(text, line):
                first = min(first, line)
                break
            at = text.find(hint, at + 1, first)
    return first


_FAILURE = re.compile(
    r"\b(?:wrong|incorrect|mistakes?|error|redo|recompute|re-?evaluate|recalculate|oops|try again"
    r"|start over|fix|off by|missing|(?:does|did|do|is|was)(?:n't| not) (?:the )?(?:\w+ )?(?:match"
    r"|equal|work|hold|give|correct|right|what|same))\b",
    re.IGNORECASE,
)


def check_fails(text: str, start: int, end: int) -> bool:
    """Whether a check between two offsets reports a mistake, which later text may correct."""
    return _FAILURE.search(text, start, end) is not None
