"""Every step of a solution: read as a claim, and judged alone."""

from .result import Claim, Definition, Judgement, Solution
from .reward import token_rewards
from .solution import verify_solution

__all__ = ["Claim", "Definition", "Judgement", "Solution", "token_rewards", "verify_solution"]
