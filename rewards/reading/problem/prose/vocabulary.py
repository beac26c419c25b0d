"""Words of questions and of prompts, by meaning.

An underscore in `TABLE` joins the words of a phrase. A phrase counts as one word.
"""

from __future__ import annotations

import re
from typing import Final

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
        # change a number, or ask for a decimal: they may change any question
        "arithmetic": """added decimal_places decreased degrees divided doubled halved increased
            maximum minimum multiplied nearest numerically plus raised rounded significant_digits
            significant_figures subtracted times tripled""",
        # name an operation: they change a question unless they describe the formula behind them,
        # or name a rule
        "operation": """absolute antiderivative approximation average cube cubed cubes decimal
            derivative derivatives differentiate directional double integral inverse inverses
            logarithm mean modulus normal orthogonal perpendicular product quotient reciprocal root
            roots square squared squares triple""",
        # tell what a writer tried
        "attempt": "attempt attempted became becomes got obtained tried",
        # name rules whose value is not that of the integral
        "quadrature": """endpoint_rule left_endpoints midpoint_rule midpoints rectangles
            right_endpoints simpson's strips subintervals trapezium_rule trapezoid_rule
            trapezoidal""",
        # say nothing in the name of what is asked for, too
        "plain": """all answer answers can do down final fully it marks non-zero nonzero only
            possible result simple simplest steps within work working you""",
        # names of methods and functions whose words would change a question elsewhere
        "name": """all_real_numbers applied_twice by_first choose_the_correct
            choose_the_value complete_integral complete_the_square
            completing_the_square denote_the_greatest_integer_less_than_or_equal_to
            denote_the_greatest_integer_not_exceeding
            denotes_the_greatest_integer_less_than_or_equal_to
            denotes_the_greatest_integer_not_exceeding differential_coefficient
            does_not_converge does_not_exist final_line first_principles
            general_integral greatest_integer_function grows_without_bound half-axis
            half-line if_not inverse_cosecant inverse_cosine inverse_cotangent
            inverse_hyperbolic inverse_secant inverse_sine inverse_tangent
            inverse_trigonometric last_line limit_of_a_riemann_sum limit_of_a_sum
            limit_of_riemann_sums lowest_terms maximum_mark minus_infinity
            not_a_decimal not_a_decimal_approximation not_required or_not
            partial_fraction partial_fractions particular_integral parts_twice
            plus_a_constant plus_an_arbitrary_constant plus_particular_integral
            plus_the_constant rational_function real_constant real_constants real_line
            times_differentiable twice_differentiable two_arbitrary_constants
            what_next""",
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
        # announce the value of a requested function, or a point of the graph
        "condition": """and for_which given_that if passing_through passing_through_the_point
            satisfying so_that such_that that_passes_through
            that_passes_through_the_point that_satisfies where which_satisfies
            which_passes_through whose_graph_goes_through whose_graph_passes_through
            whose_graph_passes_through_the_point with with_the_condition
            with_the_initial_condition""",
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
    """ above acceptable accepted allowed alone ans answer answers anything appropriate below box
    boxed canonical carry cartesian choice choices closed combination combine comes
    complete correct credit deal denotes derivation detail details display disprove dne
    elementary else enclosed end equal equals exact existence explain explicit expression factor
    factored factorised factorized far fashion final follow following follows form format
    formula fraction fractions full general generality given implicit including inside
    intermediate interval involving json justification justify known last latex leave leaving
    lowest made make manner math method methods neat needed nice notation nothing noting number
    obtained option options outcome output part parts phrase please point possible precise
    problem procedure proof put quantity question radians rational rationalised rationalized
    real reason reasoning reasons recommended reduced reduces representation respect result
    resulting results right rule same short show showing shown sides simple simplest simplified
    simplify simplifying single smooth solution something specify standard stating step steps
    symbolic symbols table tag tags task text thank thanks theorem thing things throughout
    trick true unique used uses valid value variable way whole work working
    worksheet write writing written"""
    # what the writer feels, tries and hears
    """ advance anybody anyone anyway appreciated careful check compare confirm confused dumb
    everyone ex familiar famous finish forget get getting gives good got guys hello help hi hint
    hints keep lost mine nobody ok pls prof professor pts ques quick recognise reply say says
    section see sense somebody someone stuck supposed sure teacher think tried try understand weird
    whats wolfram wolframalpha wrong""".split()
)
#: Words with which a prompt speaks of a response. A clause says how the response is written if it
#: has such a word, no formula, and no words but these, those of `COMMON` and `INSTRUCTIONS`.
RESPONSE: Final = frozenset(
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
INSTRUCTIONS: Final = (COMMON | RESPONSE | TABLE["form"]) - _CHANGING | frozenset(
    """access according accurate action adhere after against agree agreed ai always api appear
    appropriately array arrive asks assumptions attempt attempts attention automatic avoid back
    before begin begins begun behind block blocks bold breath brief but calculus call calling
    calls candidates chain chat chose clean clear close come command comment commentary compact
    competition complete completes completing complex conclusion contain contains content
    context correctness corresponding credit decided deem deep derive describes desired detail
    detailed developer devise different directly discuss discussion do document draft
    efficiently end ended ends engine ensure environment everything example exists expect
    experienced expert explanations explored exploring express expressed external extra extract
    extracted extracts fences field fields fine finish first focus followed follows formatted
    formatting formulas formulate friendly fully further gets goes graded guess have heading
    headings helpful honest human identify include included includes including individual info
    information input inside internal international involves items job keys language large
    learning letter let's level long look main make mark markdown marking mathematical mathematician
    mathematics medium message mind minimal minutes must natural need never new no not note
    notes object obtained only open order other otherwise outside own page paired paper
    paragraph partial pay penalty per place plain plan plausible points polite present
    presentation presented prior produce program programming programs progress properties
    provided provides providing python quotes read readable reasoned receive regardless
    relevant remember represent represented request required respectful respectively restate
    return returned returns reveal score scratchpad script section sections sentence separate
    separated separator set several similar single skilled skip solve solver solves solving
    specified spell split start statement stay strict structure structured student study style
    subject submit succinct such summarize support surround systematic take talk terminate than
    token tokens tool train trained two type under undergraduate unless unsupported until use
    user users using validate variables verify via want web while without wrap wrapped write
    xml years""".split()
)


def row(*roles: str) -> frozenset[str]:
    return frozenset().union(*(TABLE[role] for role in roles))


#: The words that the reader of power series understands.
POWER_SERIES: Final = row("value", "form", "nothing", "power series")
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
