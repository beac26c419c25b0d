"""Every step of a solution: read as claims, and judged one by one."""

from .result import Claim, Definition, Judgement, Solution
from .reward import token_rewards
from .solution import verify_solution

__all__ = ["Claim", "Definition", "Judgement", "Solution", "token_rewards", "verify_solution"]
