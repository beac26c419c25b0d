"""Alkahest's reward (`alkahest.rl`, from the environment for integrals) as a rival.

The reward differentiates an answer and compares the derivative with the integrand, symbolically and
at points by balls. Alkahest reads neither LaTeX nor the text around an answer. The reward therefore
gets our extracted answers, and integrands, in Alkahest's notation. Items without a notation are not
judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from calculus_harness.harness.models.solvers.alkahest import ALKAHEST
from calculus_harness.harness.models.solvers.infix import write
from calculus_harness.rewards.reading.expression.infix import NotationError
from calculus_harness.rewards.reading.expression.traversal import symbols_of
from calculus_harness.rewards.reading.extraction import extract
from calculus_harness.rewards.reading.latex import ReadError, read


def alkahest_reward() -> Callable[[str, str, str], float | None]:
    """A function of integrand, completion and variable; None for items without a notation.

    Raises:
        ImportError: Alkahest is not installed.

    """
    import alkahest
    from alkahest.rl.envs.integration.verifier import IntegrationVerifier

    verifier = IntegrationVerifier()

    def reward(integrand: str, completion: str, variable: str = "x") -> float | None:
        try:
            answer = extract(completion).answer
            if answer is None:
                return 0.0  # as for any text that it cannot parse
            f, candidate = in_its_notation([integrand, answer], variable)
            pool = alkahest.ExprPool()
            task = {"f_expr": alkahest.parse(f, pool, {"x": pool.symbol("x")}), "pool": pool}
        except (ReadError, NotationError, alkahest.AlkahestError):
            return None
        return float(verifier.verify(candidate, task | {"is_elementary": True}))

    return reward


def in_its_notation(formulas: Sequence[str], variable: str) -> list[str]:
    """Formulas with the variable x and the parameters p1, p2, ..."""
    trees = [read(latex, symbols=[variable])[0].expression for latex in formulas]
    parameters = sorted(set().union(*map(symbols_of, trees)) - {variable})
    names = {variable: "x"} | {name: f"p{number}" for number, name in enumerate(parameters, 1)}
    return [write(tree, ALKAHEST, names) for tree in trees]
