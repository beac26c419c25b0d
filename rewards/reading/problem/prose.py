r"""Takes the prose of a question apart from its formulas, for all kinds of questions.

`TABLE` has words of instructions, by what they ask for or say. An underscore joins the words of a
phrase, which counts as one word.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from unicodedata import combining, normalize

from .conditions import has_kind
from .marks import LONGEST, PROSE

#: What asks for what, and what says nothing. A word may stand in several rows.
TABLE: Final = {
    role: frozenset(word.replace("_", " ") for word in words.split())
    for role, words in {
        # for the value, or the form, of what is named behind the word
        "value": "calculate compute evaluate find what work_out",
        "form": "determine enclose express give obtain provide put report return show state write",
        "nothing": """a an and answer closed consider does each exact exactly expression following
            for form formula given if in is it its let of or please problem question simplify so
            solve terms that the then this to total value where with your""",
        "convergence": """converge converges convergence convergent diverge diverges divergence
            divergent""",
        "power series": """and as by derive down expand expansion function generated get
            lagrange maclaurin on polynomial power powers series taylor term up""",
        # change a number: they may change any question
        "arithmetic": """added decreased degrees divided doubled halved increased maximum minimum
            multiplied plus raised rounded subtracted times tripled""",
        # name an operation: they change a question unless they describe the formula behind them,
        # or name a rule
        "operation": """absolute antiderivative approximation average cube cubed cubes decimal
            derivative derivatives differentiate directional double integral inverse inverses
            logarithm mean modulus normal orthogonal perpendicular product quotient reciprocal root
            roots square squared squares triple""",
        # say nothing in the name of what is asked for, too
        "plain": """all answer answers can do down final fully it marks non-zero nonzero only
            possible result simple simplest steps within work working you""",
        # names of methods and functions whose words would change a question elsewhere
        "name": """applied_twice by_first complete_integral complete_the_square
            completing_the_square denote_the_greatest_integer_less_than_or_equal_to
            denote_the_greatest_integer_not_exceeding
            denotes_the_greatest_integer_less_than_or_equal_to
            denotes_the_greatest_integer_not_exceeding differential_coefficient
            does_not_converge does_not_exist final_line first_principles
            general_integral greatest_integer_function grows_without_bound half-axis
            half-line if_not inverse_cosecant inverse_cosine inverse_cotangent
            inverse_hyperbolic inverse_secant inverse_sine inverse_tangent
            inverse_trigonometric last_line lowest_terms maximum_mark minus_infinity
            not_a_decimal not_a_decimal_approximation not_required or_not
            partial_fraction partial_fractions particular_integral parts_twice
            plus_a_constant plus_an_arbitrary_constant plus_particular_integral
            plus_the_constant rational_function real_constant real_constants real_line
            times_differentiable twice_differentiable two_arbitrary_constants""",
        # say what is to be done where there is no answer, up to the end of the sentence
        "aside": """or_answer or_explain or_say or_show or_state or_write otherwise""",
        # say nothing of a number: parameters are positive, and variables are real
        "no kind": """all_real as_an_integer any_real every_real what_real which_real
            non-zero_solution
            non-zero_solutions nonzero_solution nonzero_solutions positive""",
        # ask for a limit in other words
        "goal": "to_what to_which",
        # ask of a differential equation for something else than a solution
        "no solution": "degree_of homogeneous_solution order_of",
        # what is asked of a power series
        "radius": "radius_of_convergence",
        "interval": "interval_of_convergence",
        "coefficient": "coefficient coefficients",
        "remainder": "error_term remainder",
        "polynomial": """approximation ascending_powers expand expanded expansion maclaurin
            maclaurin's polynomial power_series taylor taylor's""",
        # the kinds of convergence
        "kind": "absolute absolutely conditional conditionally",
        # announce another formula of a function
        "cases": "else elsewhere except otherwise unless",
        # behind them, a question describes what was named before
        "preposition": """as at by for from given if in into of on such that to using when where
            with""",
    }.items()
}


#: Words that say nothing about what is asked for (`question.requests`).
COMMON: Final = frozenset(
    # articles, pronouns, auxiliary verbs, prepositions and conjunctions
    """a about all although am an and any are around as at be because been being between both by
    can can't could did do does don't done down e each every few for from had has have he
    hence her here his how i if in into is it it's its itself just let many may me might most much
    must my near now of off on once one ones or our out over own shall she should since so
    some such than that that's the their them then there therefore these they this those
    through thus to together too up upon very was we well were when where whether which
    while who who's why will with within would yet you your"""
    # the answer and its form
    """ above acceptable accepted allowed alone answer answers anything appropriate below box boxed
    canonical carry cartesian closed combination combine comes complete correct credit deal
    denotes derivation detail details display disprove dne elementary else enclosed end
    equal equals exact existence explain explicit expression factor factored factorised
    factorized far fashion final follow following follows form format formula fraction
    fractions full general generality given implicit including inside intermediate interval
    involving json justification justify known last latex leave leaving lowest made make
    manner math method methods neat needed nice notation nothing noting number obtained
    outcome output part parts phrase please point possible precise problem procedure proof
    put quantity question radians rational rationalised rationalized real reason reasoning
    reasons recommended reduced reduces representation respect result resulting results
    right rule same short show showing shown sides simple simplest simplified simplify
    simplifying single smooth solution something specify standard stating step steps
    symbolic symbols table tag tags task text thank thanks theorem thing things throughout
    trick true unique used uses valid value variable way whole work working
    worksheet write writing written"""
    # what the writer feels, tries and hears
    """ anybody anyone anyway appreciated careful check compare confirm confused dumb everyone
    familiar famous forget get getting gives good got guys hello help hi hint hints keep
    lost mine nobody ok prof professor quick recognise reply say says see sense somebody
    someone stuck supposed sure teacher think tried try understand weird whats wolfram
    wolframalpha wrong"""
    # articles, prepositions and conjunctions of other languages
    """ avec con das de den der des die du el et folgende folgenden folgendes fur la las le les los
    mit para pour siguiente suivante und von""".split()
)
#: Words with which a prompt speaks of a response. A clause says how the response is written if it
#: has such a word, no formula, and no words but these, those of `COMMON` and `INSTRUCTIONS`.
_RESPONSE: Final = frozenset(
    """action actions answer answering answers antwort approach assistant aufgabe box boxed
    calculation calculations calculator code concise conclude confidence conversation
    description details explanation format grader guess guidelines hope human instruction
    instructions json latex layout line lines model monologue output outputs problem problems
    process punctuation question questions reasoning reply reponse request requirements
    respond response responses respuesta resultado resultat role rules schema schritte schritt
    solution step steps string system tag tags task tasks think thinking thinks thought tools
    user words work""".split()
)
#: Words of COMMON that may change what a response has to give: "box the number of steps".
_CHANGING: Final = frozenset("factor interval method methods number numbers wrong".split())
#: Further words of such clauses.
INSTRUCTIONS: Final = (COMMON | _RESPONSE | TABLE["form"]) - _CHANGING | frozenset(
    """access according accurate action adhere after against agree agreed ai always api appear
    appropriately array arrive asks assumptions attempt attempts attention automatic avoid
    back before begin begins begun behind block blocks bold breath brief but calculus call calling
    calls candidates chain chat chose clean clear close come command comment commentary
    compact competition complete completes completing complex conclusion contain contains
    content context correctness corresponding credit decided deem deep derive describes
    desired detail detailed developer devise different directly discuss discussion do document
    draft efficiently end ended ends engine ensure environment everything example exists
    expect experienced expert explanations explored exploring express expressed external extra
    extract extracted extracts fences field fields fine finish first focus followed follows
    formatted formatting formulas formulate friendly fully further gets goes graded guess have
    heading headings helpful honest human identify include included includes including
    individual info information input inside internal international involves items job keys
    language large learning let's level long look main make mark markdown marking mathematical
    mathematician mathematics message mind minimal minutes must natural need never new no not
    note notes object obtained only open order other otherwise outside own page paired paper
    paragraph partial pay penalty per place plain plan plausible points polite present
    presentation presented prior produce program programming programs progress properties
    provided provides providing python quotes read readable reasoned receive regardless
    relevant remember represent represented request required respectful respectively restate
    return returned returns reveal score scratchpad script section sections sentence separate
    separated separator set several similar single skilled skip solve solver solves solving
    specified spell split start statement stay strict structure structured student study style
    subject submit succinct such summarize support surround systematic take talk terminate
    than token tokens tool train trained two type under undergraduate unless unsupported until
    use user users using validate variables verify via want web while without wrap wrapped
    write xml years""".split()
).union(
    # French, German and Spanish, without accents
    """a avant avec bevor bien bonjour cette chaque consigne contient dabord dans dentro der
    desarrollo despues detaillant detalladamente die diese donne donner donnez du durchdenke
    ein eine einem einer en encadre encadrez encierra ende endergebnis endgultige entre eres
    erklare es escribe etape etapes exactamente exacte exakt exakte exercice exercise experto
    explica explicando expliquant final finale forme francais gebe geben genau gib im in ist
    justifiant justifier justifiez l'exercice la ladite le les letzte letzten ligne loose lose
    losung luego matematicas matematico matheaufgabe mathematiques merci mettez mit muestra
    nach nada ne nicht nichts objet pas paso pasos pour pregunta presente presentez problema
    probleme puis que question questions razona razonamiento redige redigez reflechis
    reflechissez repondez reponds resolvez resoudre resous resuelva resuelve rien schreibe
    schreiben seine siguiente simplifiee sin sistema soigneusement solo solucion sous su
    suivant suivante todos tous toutes traduis tu un una une uniquement usuario utilisant
    votre vous zeige zeile zum zur zwischenschritte""".split()
)
#: The same in languages without spaces.
UNSPACED: Final = re.compile(
    "|".join(
        """人工智能助手 不要输出 任何解释 完整 的推导 过程 给出 最终 答案 结果 放置于 放置
    放在 写在 通过 逐步推理 逐步 一步一步 推理 解答 解决 回答 下面 以下 下列
    题目 问题 请你 请 并且 并 把 将 其 在 中 里 内 你的 你是 一位 一个
    经验丰富 数学 老师 专家 助手 只 输出 格式 使用 用 以 开头 单独 一行
    最后 步骤 详细 思考 写出 来 于 为 的 求解 计算 求 说明 解""".split()
    )
)


def _row(*roles: str) -> frozenset[str]:
    return frozenset().union(*(TABLE[role] for role in roles))


#: The words that the reader of power series understands.
POWER_SERIES: Final = _row("value", "form", "nothing", "power series")
ORDINALS: Final = {
    word: order
    for order, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        1,
    )
}
#: A substitution that a question recommends, which is a method and no part of the question.
SUBSTITUTION: Final = re.compile(
    r"\b(?:substitution|substituting|setting)\s+(?:\$[^$]{1,80}\$|\\\(.{1,80}?\\\))"
)


_FILL: Final = "\ue013"
#: What stands in a prompt for a text: the answer, a number of a step, tokens of a chat.
_PLACEHOLDER: Final = re.compile(
    r"\$*\\{1,2}(?:boxed|fbox)\s*(?:\{+[A-Za-z_ .…<>\[\]-]*\}+)?\$*"
    r"|\$(?=\{?(?i:(?:your_?|final_?)?answer))"
    r"|(?<=[A-Za-z}])\$(?=[\s.,'\"]|\Z)|\$\$(?=\s+to\s)|\b\d+\s+steps?(?:\s+or\s+(?:fewer|less|more))?\b|\b[Ss]tep\s+\d+\b"
    r"|\b(?:i\.e|e\.g)\.|\b(?:final )?number or expression\b|\bis wrong\b|\b[Dd]ouble-check"
    r"|\b\d+(?:\.\d+)?%|(?m:^\s*\d+[.)](?=\s))"
    r"|\bdifferent terms\b|\b[Ii]ntegrate natural language\b"
)
_CHAT: Final = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>(?:(?:assistant|system|user)\b)?|<(?:start|end)_of_turn>"
    r"(?:(?:model|user)\b)?|</?(?:s|bos|eos)>|\[/?INST\]|<</?SYS>>"
)
#: A name of the answer: [answer], <final_answer>.
_BRACKETED: Final = re.compile(
    r"(?i)[<\[]/?((?:your[ _]|final[ _])?(?:answer|response|result|submit))[>\]]"
)
_CLAUSE: Final = re.compile(
    r"((?<=[.?!:>])\s+|(?<=[$\])])\s+(?=[A-Z][a-z])|\n+|(?<=[。！？：])\s*)"
)
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Signs that may stand beside the words of an instruction.
_PUNCTUATION: Final = re.compile(rf"[\s.,:;?!\"'“”‘’`()\[\]{{}}<>/*#…_=—–，。：；、！？{_FILL}-]*")
_PERSONA: Final = re.compile(
    r"\s*You are an? (?:\w+[ -]){0,4}?(?:assistant|expert|professor|solver|tutor)\b"
)


def is_manner(word: str) -> bool:
    """Whether a word says how something is done, such as "carefully"."""
    return word.endswith("ly") and word not in ("multiply", "uniformly")


def _is_instruction(clause: str) -> bool:
    """Whether a clause says how a response is written, and nothing of a formula."""
    if not clause.isascii():
        clause = "".join(sign for sign in normalize("NFD", clause) if not combining(sign))
        clause = UNSPACED.sub(_FILL, clause)
    words = [word.lower() for word in _PLAIN_WORD.findall(clause)]
    if not _PUNCTUATION.fullmatch(_PLAIN_WORD.sub("", clause)):
        return False
    if not words:
        return _FILL in clause
    return _PERSONA.match(clause) is not None or (
        not _RESPONSE.isdisjoint(words)
        and all(word in INSTRUCTIONS or is_manner(word) for word in words)
    )


def without_instructions(text: str) -> str:
    r"""Remove what a prompt says of the response, such as the sentences of its template.

    >>> without_instructions(r"Find $x$. Put your final answer within \boxed{}.").strip()
    'Find $x$.'

    """
    text = _BRACKETED.sub(r" \1 ", _CHAT.sub("\n", text))
    plain = _PLACEHOLDER.sub(lambda match: _FILL * len(match[0]), text)
    kept, position = [], 0
    for clause in _CLAUSE.split(plain):
        if not _is_instruction(clause):
            kept.append(text[position : position + len(clause)])
        position += len(clause)
    return "".join(kept)


#: What stands around a question: its number, titles, marks, and hints.
_TITLE: Final = re.compile(
    r"\\(?:emph|paragraph|textbf|textit|textsc|underline)\s*\{([^{}$]*)\}|\*\*"
)
_LAYOUT: Final = re.compile(
    r"\\(?:hfill|noindent|smallskip|medskip|bigskip|newline)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{(?:exercise|problem|question|enumerate|itemize|center)\}"
)
_LABEL: Final = re.compile(
    r"\A\s*(?:\\item\s*(?:\[[^\]]*\])?"
    r"|(?i:Question|Problem|Exercise|Example|Q)\.?\s*\d{1,3}(?=\s)"
    r"|(?:Question|Problem|Exercise|Example|Input|Task|Q)\.?\s*\d{0,3}(?:\.\d{1,3})*\s*[.:)]"
    r"|\d{1,3}(?:\.\d{1,3})*\s*[.:)](?=\s)|\d{1,3}\s*(?=\((?:[a-h]|[ivx]{1,4})\))"
    r"|\((?:[a-h]|[ivx]{1,4}|\d{1,2})\)(?=\s))"
)
#: The number of a theorem or an exercise.
_REFERENCE: Final = re.compile(
    r"\b(?i:Chapter|Equation|Examples?|Exercises?|Figure|Part|Problems?|Section|Theorem)\s+"
    r"\d[\d.]*(?:\s*[–-]+\s*\d+)?(?![\w.]*[+*/^=])"
)
_MARKS: Final = re.compile(
    r"(?:[(\[](?:[Tt]otal(?:\s+(?:for|is|[Qq]uestion|\d+))*\s+)?\s*\d{1,2}\s*(?:marks?|points?|pts?\.?)\s*[)\]]|(?<=[.?!$\s])\s*[(\[]\d{1,2}[)\]])\s*\Z"
)
_HINT: Final = re.compile(
    r"\((?i:hint)\b(?:[^()]|\([^()]*\)){0,300}\)|\[(?i:hint)\b[^\[\]]{0,300}\]"
    r"|\b[Hh]int\s*:(?:\$[^$]*\$|[^.$]){0,300}(?:\.|\Z)"
)


def without_frame(text: str) -> str:
    r"""Remove what stands around a question: its number, its marks, and hints.

    >>> without_frame(r"**3.** (b) Find $\int x\,dx$. (Hint: it is easy.) [4 marks]").strip()
    'Find $\\int x\\,dx$.'

    """
    if len(text) > LONGEST:
        return text
    plain = _LAYOUT.sub(" ", without_instructions(text))
    plain = _TITLE.sub(lambda match: match[1] or "", plain)
    while (label := _LABEL.match(plain)) is not None:
        plain = plain[label.end() :]
    plain = _REFERENCE.sub(" ", plain)
    return _HINT.sub(" ", _MARKS.sub("", plain))


@cache
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    """A regular expression of words in prose. The letter a is a word only before another word."""
    patterns = [
        r"a(?=\s+[A-Za-z]{2})" if word == "a" else word.replace(" ", r"\s+")
        for word in sorted(words, reverse=True)
    ]
    return re.compile(rf"(?<![\\A-Za-z^_])(?i:{'|'.join(patterns)})(?![A-Za-z_^])")


def without_words(text: str, words: frozenset[str]) -> str:
    r"""Remove the words of an instruction from a text that may have formulas, too.

    >>> without_words(r"\text{Evaluate the series } a", POWER_SERIES).split()
    ['a']

    """
    return _pattern(words).sub(" ", PROSE.sub(r" \1 ", text))


def phrases(*roles: str) -> str:
    """A pattern of the words and the phrases of rows of `TABLE`."""
    joined = "|".join(sorted(_row(*roles), reverse=True)).replace(" ", r"\s+")
    return rf"\b(?:{joined})\b"


#: What is to be done where there is no answer: ..., or write DNE.
_ASIDE: Final = re.compile(rf"{phrases('aside')}[^.?!\ue012]*")


def without_asides(text: str) -> str:
    """Remove what a question says for the case that there is no answer."""
    return _ASIDE.sub(" ", text)


def says(text: str, role: str) -> bool:
    """Whether a text has a word of a row of `TABLE`."""
    return _pattern(TABLE[role]).search(text) is not None


def states_kind(words: str) -> bool:
    """Whether words state a kind of number that is not assumed anyway, such as "integer"."""
    return "not positive" in words or has_kind(without_words(words, _row("no kind", "name")))
