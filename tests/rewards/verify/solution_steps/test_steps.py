"""Reading and judging the steps of solutions, a matter at a time."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Judgement, Solution, verify_solution
from calculus_harness.rewards.adapters.for_trl import make_reward, step_reward
from calculus_harness.rewards.adapters.for_verl import compute_score
from calculus_harness.rewards.adapters.scoring import Rubric
from calculus_harness.rewards.verify.solution_steps import token_rewards
from tests.rewards.steps import steps as calls
from tests.rewards.verify.solution_steps.corpus import HAND, Labelled, by_hand
from tests.rewards.verify.solution_steps.measure import finds

ROWS = [row for name in HAND for row in by_hand(name)]

BY_PARTS = r"""Let $u = x$ and $dv = e^{2x}\,dx$, so $du = dx$ and $v = \frac12 e^{2x}$. Then
\begin{align*}
\int x e^{2x}\,dx &= \frac{x}{2}e^{2x} - \frac12\int e^{2x}\,dx \\
&= \frac{x}{2}e^{2x} - \frac14 e^{2x} + C.
\end{align*}
"""


def judged(text: str, integrand: str = "x") -> list[str]:
    """C, I or U for every claim except the final claim."""
    claims = verify_solution(text, integrand).claims
    return [str(claim.judgement)[0].upper() for claim in claims if claim.kind != "final"]


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_solutions_that_were_written_by_hand(row: Labelled) -> None:
    solution = verify_solution(row.text, row.integrand)
    if row.label == "right":
        assert solution.first_wrong is None
    else:
        assert finds(solution, row.start, row.end)
    assert (solution.outcome == "lucky") == (row.label == "lucky")


def test_a_solution_by_parts() -> None:
    solution = verify_solution(BY_PARTS, "xe^{2x}")
    assert [claim.kind for claim in solution.claims] == [
        "substitution",
        "parts",
        "parts",
        "integral",
        "final",
    ]
    assert [definition.name for definition in solution.definitions][:2] == ["u", "v"]
    assert solution.outcome == "right"
    assert solution.coverage == 1
    assert solution.progress == 1
    assert solution.claims[3].follows == 2
    for claim in solution.claims[:-1]:
        assert BY_PARTS[claim.start : claim.end].endswith(claim.right)


def test_a_planted_error_has_a_witness_and_a_place() -> None:
    text = BY_PARTS.replace(r"- \frac14", r"- \frac12")
    solution = verify_solution(text, "xe^{2x}")
    assert solution.first_wrong == 3
    claim = solution.claims[3]
    assert claim.witness is not None
    assert "x=" in claim.witness.point
    assert text[claim.start : claim.end].startswith(r"\frac{x}{2}e^{2x} - \frac12 e^{2x}")
    assert solution.outcome == "wrong"


def test_a_solution_travels_as_json() -> None:
    solution = verify_solution(BY_PARTS.replace("14", "12"), "xe^{2x}")
    row = solution.to_dict()
    assert row["outcome"] == "wrong"
    assert Solution.from_dict(row) == solution


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\int 2x\,dx = x^2 + C = x^2 + K$", "CC"),
        (r"$\int 2x\,dx = x^2 = x^2 + 7$", "CC"),  # up to a constant
        (r"$x^2 = x^2 + 7$", "I"),
        (r"$(x+1)^2 = x^2 + 2x + 1 = x^2 + 2x$", "CI"),
        (r"$\sqrt{x^2} = x$", "U"),  # on a part of the line
        (r"$\ln(x^2) = 2\ln x$", "C"),  # where both are real
        (r"$\frac{d}{dx}\sin(x^2) = 2x\cos(x^2)$ and $(\sin x)' = -\cos x$", "CI"),
        (r"$\frac{d}{dx}\left(x^2 + C\right) = 2x$", "C"),
        (r"Let $u = x^2$. $\frac{du}{dx} = 2x$, $du = 3x\,dx$", "CI"),
        (r"$\int u\,dv = uv - \int v\,du$, $\int u\,dv = uv + \int v\,du$", "CI"),
        (r"$\int_0^1 x^2\,dx = \frac{x^3}{3}\Big|_0^1 = \frac13 = \frac12$", "CCI"),
        (r"$\int_0^\infty e^{-x}\,dx = 1$", "C"),
        (r"$\int_0^\infty e^{-x}\,dx = \lim_{b\to\infty}\int_0^b e^{-x}\,dx$", "C"),
        (r"$\int_0^\infty xe^{-x}\,dx = \left[-xe^{-x}\right]_0^\infty + 2$", "I"),
        (r"$\int_1^\infty \frac{dx}{x} = 3$", "I"),  # it diverges
        (r"$\int_0^1 \frac{dx}{\sqrt x} = \left[2\sqrt x\right]_0^1 = 2$", "CC"),
        (r"$\int_0^1 \ln x\,dx = [x\ln x - x]_0^1 = -1$", "CC"),
        (r"$\lim_{x\to0}\frac{\sin x}{x} = \lim_{x\to0}\cos x = 1$", "CC"),
        (r"$\lim_{x\to0^+} x\ln x = -1$", "I"),
        (r"$\lim_{x\to\infty}\left(1+\frac1x\right)^x = e$", "C"),
        (r"$\lim_{x\to0}\frac{|x|}{x} = 1$", "U"),  # from one side only
        (r"$\lim_{x\to\infty}\sin x = 0$", "U"),
        (r"$\lim_{x\to\infty}\ln\ln x = 600$", "U"),  # it changes too slowly to be seen
        (r"$F(\pi) = 1$. Set $F(x) = x^2$. Then $F(3) = 9$.", "UC"),
        (r"$\int_0^1\int_0^x y\,dy\,dx = \int_0^1\frac{x^2}{2}\,dx = \frac16$", "CC"),
        (r"$\int_0^1\int_0^1 xy\,dy\,dx = \frac12$", "I"),
        (r"Set $F(x) = x^2$. Then $F(3) - F(1) = 8$, and $F(2) = 5$.", "CI"),
        (r"\[\int \frac{2x\,dx}{1+x^2} = \int\frac{du}{u} \qquad (u = 1 + x^2)\]", "C"),
        (r"\[\int \frac{2x\,dx}{1+x^2} \overset{u = 1 + x^2}{=} \int\frac{du}{u^2}\]", "I"),
        (r"$\int \underbrace{x}_{u}\,\underbrace{e^x\,dx}_{dv} = xe^x - e^x + C$", "C"),
        (r"$\int_0^1 ax\,dx = \frac a2$", "C"),
        (r"Let $u = x^2$. $\int_0^1 u\,du = \frac12$, $\int_0^1 xu\,dx = \frac14$", "CC"),
        (r"Let $u = x^2$. $u\int_0^1 u\,du = \frac{x^2}{2}$", "C"),
        (r"$x^2 = \iint x = x^2 + 1$", "UI"),  # what is not read is passed over
        (r"$\int \sin x/2\,dx = -2\cos(x/2)$, $\int \sin x/2\,dx = -\frac12\cos x$", "CC"),
        (r"$2x\,dx = x^2 + C$", "U"),  # a differential on one side: something is cut off
        (r"$3a + 2b = 1$, $3b = 2a$", "UU"),  # unknown, but not arbitrary
        (r"$\int \frac{dx}{x+a} = \ln|x| + C$", "I"),  # arbitrary
        (r"Let $x + 3 = 2u$. $dx = 2\,du$, $u = \frac{x+3}{2}$", "CC"),
        (r"$\pi = 3.14159$", "C"),  # rounded
        (r"$\int\frac{\sin x}{x}\,dx = \operatorname{Si}(x) + C$", "C"),
        (r"$\operatorname{Si}(x) = x$", "I"),
        (r"$x > 0$, $x = 1$, $x \approx 2$", ""),
        (r"At $x = 0$ we get $1 = A$, so $2A = 3$.", "CI"),
        (r"$\int f(x)\,dx = F(x) + C$", "U"),
        (r"$a = b$", ""),  # a definition
        (r"Let $x = \sin\theta$. $\sqrt{1-x^2} = \cos\theta$, $\theta = \arcsin x$", "CC"),
        (r"Let $x = t^2$. $\int \sqrt x\,dx = \int 2t^2\,dt = \frac23 t^3 + C$", "CC"),
        (r"$\int x\,dx = \int u\,du$ where $u = -x$", "C"),
        (r"$\int x\,dx = \int 2u\,du$ where $u = x$", "I"),
        (r"$\frac{1}{x^2-1} = \frac{A}{x-1} + \frac{B}{x+1}$, $A = \frac12$, $B = \frac12$", "CCI"),
        (r"$\iint x\,dx\,dy = 1$", "U"),
        (r"$\int 3x^2\,dx = \int 3x^2 = x^3 + C$", "CC"),  # of the only variable that it has
        (r"$\int 3x^2 + 2x = x^3 + x^2$, $\int 3x^2 + \int 2x = x^3 + 2x^2$", "CI"),
        (r"Let $u = x^2$. $\int \cos u = -\sin u$", "I"),
        (r"$\int_0^1 3x^2 = [x^3]_0^1 = 2$", "CI"),
        (r"$\int f = F + C$, $\int uv = 1$, $\int = x$", "UUU"),
        (r"<think>$1 = 2$</think> $1 = 1$", "C"),
        ("Text, then\nx^2 + x = x(x + 1)\n= x(x + 2)\n", "CI"),
        (r"\[ x + x \]" "\n" r"\[ = 2x \]", "C"),
        (r"\[ 2I = x \implies I = \frac x2 \]", "C"),
        (r"$\int\frac{\ln x}{x}\,dx = \int\ln x\,d(\ln x) = \int\ln x\,d\ln x$", "CC"),
        (r"$\int x^3\,dx = \frac12\int x^2\,\mathrm{d}\left(x^2\right) = \int x\,d(x^2)$", "CI"),
        (r"Let $u = x^2$. $du = 2x$, $du = 3x$", "UI"),  # u' may be meant
        (r"Let $u = x$ and $dv = e^x$. Then $v = 2e^x$.", "I"),
        (
            r"$\int_0^1 x\,dx = \left[\frac1x\right]_0^1$, $\int_0^1\frac{dx}{x} = [\ln x]_0^1$",
            "IU",
        ),
        (r"$\lim_{x\to\infty}\frac{x^2}{x+1} = 5$, $\lim_{x\to\infty} x\sin x = 0$", "IU"),
        (r"$\int xe^x\,dx = x\int e^x\,dx$, $\int xe^x\,dx = x\int e^x\,dx - \int e^x\,dx$", "IU"),
        (r"$\int\frac{dx}{1 + x^{4000}} = \int\frac{dx}{1 + 2x^{4000}}$", "I"),  # equal for small x
        (r"Let $u = x^{1/3}$. $x = u^3$, $dx = 3u^2\,du$", "CC"),
        (r"$\int 2x\,dx = 3 = 4$", "II"),  # numbers without a constant
        (r"$1 \overset{?}{=} 2$", ""),
        (r"$\sum_{k=1}^{n} k = \frac{n(n+1)}{2}$, $\sum_{k=1}^n k = \frac{n^2}{2}$", "CI"),
        (r"$\sum_{i=1}^{4} i = 10$, $x_i = \frac i2 - 2 = \frac{i-4}{2}$", "CC"),
        (r"$\sum_{i=1}^{4} i = 10$, $x_i = \frac i2 - 2 = \frac{i-3}{2}$", "CI"),
        (r"\begin{align*} 1 + 2 &= \\ 3 + 0 &= 4 \end{align*}", "CI"),
        (
            r"$\int\frac{2\frac{2\,dt}{1+t^2}}{1+\frac{2t}{1+t^2}} = \int\frac{4\,dt}{(1+t)^2}$",
            "C",
        ),
    ],
)
def test_claims(text: str, expected: str) -> None:
    assert "".join(judged(text)) == expected


@pytest.mark.parametrize(
    ("text", "claim_kind"),
    [
        (r"$\frac{d}{dx}x^2 = 2x$", "derivative"),
        (r"$\int x\,dx = \frac{x^2}{2}$", "integral"),
        (r"$\int x\ln x\,dx = \frac{x^2}{2}\ln x - \int\frac x2\,dx$", "parts"),
        (r"Let $u = x^2$. $\int xe^{x^2}\,dx = \int\frac{e^u}{2}\,du$", "substitution"),
        (r"Let $u = x^2$. $\frac{e^u}{2} = \frac{e^{x^2}}{2}$", "back-substitution"),
        (r"$\int (x + x)\,dx = \int 2x\,dx$", "algebra"),
        (r"$\sin 2x = 2\sin x\cos x$", "identity"),
        (r"$2 + 2 = 4$", "arithmetic"),
        (r"$\frac{1}{x^2+x} = \frac Ax + \frac{B}{x+1}$", "partial fractions"),
        (r"$\int_0^1 x\,dx = \frac12$", "definite integral"),
    ],
)
def test_kinds(text: str, claim_kind: str) -> None:
    claim = verify_solution(text, "x").claims[0]
    assert (claim.kind, claim.judgement) == (claim_kind, Judgement.CORRECT)


def test_the_value_of_a_definite_problem_is_behind_its_antiderivative() -> None:
    text = r"$\int 2x\,dx = x^2 + C$. Set $F(x) = x^2$. So $\int_1^2 2x\,dx = F(2) - F(1) = "
    right, wrong = (verify_solution(f"{text}{value}$.", r"\int_1^2 2x\,dx") for value in (3, 4))
    assert (right.outcome, right.verdict.answer) == ("right", "3")
    assert (wrong.outcome, wrong.first_wrong) == ("wrong", 2)


def test_an_end_in_another_variable_is_no_wrong_answer() -> None:
    text = r"Let $u = x^2$. $$\int 2xe^{x^2}\,dx = \int e^u\,du = e^u + C$$"
    solution = verify_solution(text, "2xe^{x^2}")
    assert solution.first_wrong is None
    assert solution.outcome == "unlocated"
    assert verify_solution(text + r"$\boxed{e^u + C}$", "2xe^{x^2}").outcome == "slip"


def test_a_parameter_of_another_kind() -> None:
    text = r"$\int \frac{dx}{x^2 - a} = \frac{1}{\sqrt{-a}}\arctan\frac{x}{\sqrt{-a}} + C$"
    assumptions = {"a": "negative"}
    solution = verify_solution(text, r"\frac{1}{x^2-a}", variable="x", assumptions=assumptions)
    assert solution.claims[0].judgement is Judgement.CORRECT


HOSTILE = {
    "improper integrals": " ".join(
        rf"$\int_0^\infty \frac{{\ln^{{{k}}} x}}{{\sqrt{{x}}(1+x^9)}}\,dx = 1$" for k in range(60)
    ),
    "nested integrals": " ".join(
        rf"$\int_0^1\int_0^1 e^{{\sin({k}xy)}}\,dx\,dy = \frac18$" for k in range(60)
    ),
    "many nested integrals": "$" + r"\int_0^1" * 20 + "xyzt" + r"\,dx\,dy\,dz\,dt" * 5 + " = 1$",
    "limits of towers": " ".join(
        rf"$\lim_{{x\to\infty}} x^{{x^{{x^{k}}}}}\sin(e^{{x^x}}) = 1$" for k in range(90)
    ),
    "claims": "$x = x$ " * 5000,
    "a chain": "$$" + " = ".join(["x"] * 5000) + "$$",
    "signs": "$$" + "=" * 20_000 + "$$",
    "integrals": r"\[" + r"\int " * 3000 + r"x\,dx = 1\]",
    "integrals within integrals": r"\[" + r"\int x " * 200 + "dx " * 200 + r"= 1\]",
    "braces": "$" + "{" * 5000 + "x = 1" + "}" * 5000 + "$",
    "brackets that do not close": "$" + "(" * 50_000 + "= 1$",
    "rows": r"\begin{align*}" + r"a &= b \\ " * 3000,
    "definitions that double": "".join(
        f"Let $u_{{{n + 1}}} = u_{{{n}}}u_{{{n}}} + u_{{{n}}}$. " for n in range(60)
    ),
    "exponents": "".join(f"Let $u_{{{n + 1}}} = e^{{u_{{{n}}}}}$, " for n in range(300)),
    "definitions in circles": r"Let $v = w$, $w = v$, $v = w + 1$. "
    r"$dv = v\,dw$, $dw = w\,dv$. $\int v\,dw = v$",
    "towers": r"$9^{9^{9^{9^9}}} = x$, $\int x^{10^{100}}\,dx = x^{10^{100}+1}$",
    "primes": "$f" + "'" * 3000 + " = x$ $(x)'" * 500 + "$",
    "derivatives": "$" + r"\frac{d}{dx}(" * 200 + "x" + ")" * 200 + "= 1$",
    "limits": "$" + "[" * 300 + "x" + "]_0^1" * 300 + " = 1$",
    "definite integrals": r"$\int_0^{1000} \sin(x^5)e^{\cos x}\,dx = 1$. " * 20,
    "unknowns": ("$1 = " + " + ".join(f"A_{n}(x-{n})^{n}" for n in range(9)) + "$. ") * 200,
    "columns": "$a" + "&" * 50_000 + "= b$",
    "lines": "a = b\n" * 20_000,
    "boxes": r"\boxed{x = 1} " * 3000,
    "backslashes": "\\" * 100_000,
    "claims that wait": r"$\int x\,dx = \int u\,du$. Let $w = x$. " * 300,
    "long sums": ("$" + "+".join(["x"] * 120) + "= 120x$. ") * 390,
    "no text": "\x00" * 1000 + "$x = \ud800$",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_costs_bounded_work(text: str) -> None:
    solutions: list[Solution] = []
    work = calls(lambda: solutions.append(verify_solution(text, "x^2e^x")))
    assert len(solutions) == 1
    assert work < 12_000_000


@pytest.mark.parametrize("name", ["braces", "signs", "definitions in circles", "towers", "limits"])
def test_hostile_text_raises_nothing(name: str) -> None:
    assert verify_solution(HOSTILE[name], "x^2e^x").verdict.reward == 0


def test_the_work_for_a_solution_is_bounded_as_a_whole() -> None:
    solution = verify_solution(HOSTILE["long sums"], "x^2e^x")
    assert solution.claims[0].judgement is Judgement.CORRECT
    assert any("work" in claim.detail for claim in solution.claims)


@pytest.mark.parametrize("name", ["improper integrals", "nested integrals"])
def test_integrals_are_bounded_as_a_whole(name: str) -> None:
    claims = verify_solution(HOSTILE[name], "x").claims[:-1]
    assert claims[0].judgement is Judgement.INCORRECT
    assert sum(claim.judgement is not Judgement.UNCHECKED for claim in claims) < 40  # of 60


def test_rewards_of_tokens() -> None:
    solution = verify_solution(BY_PARTS, "xe^{2x}")
    offsets = [(at, at + 4) for at in range(0, len(BY_PARTS), 4)]
    rewards = token_rewards(solution, offsets)
    assert sum(rewards) == pytest.approx(solution.progress)
    token = offsets[rewards.index(max(rewards))]
    assert any(token[0] < claim.end <= token[1] for claim in solution.claims)
    wrong = verify_solution("$1 = 2$", "x")
    assert token_rewards(wrong, [(0, 3), (3, 7)], wrong=-1.0) == [0.0, -1.0]


def test_steps_beside_the_answer_in_one_reward() -> None:
    reward = make_reward("steps", ["correctness", "steps"], [1.0, 0.5])
    right = BY_PARTS + r"$\boxed{\frac{x}{2}e^{2x} - \frac14 e^{2x} + C}$"
    texts = [right, BY_PARTS.replace(r"\frac14", r"\frac12"), "I do not know."]
    got = reward(["", "", ""], texts, integrand=["xe^{2x}"] * 3)
    assert got[0] == 1.5
    assert got[1:] == [0, 0]
    assert 0 < step_reward([""], texts[1:2], integrand=["xe^{2x}"])[0] < 0.5
    score = compute_score("", right, "xe^{2x}", task="steps", components=["steps"], weights=[1.0])
    assert score["score"] == 1


def test_the_component_is_for_its_task() -> None:
    with pytest.raises(ValueError, match="for the task steps"):
        Rubric("antiderivative", ("correctness", "steps"))
