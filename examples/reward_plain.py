"""Rewards for completions, without any trainer."""

from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score

rubric = Rubric(components=("correctness", "format"))
items = [
    Rollout(r"With $u = x^2$ it is $\boxed{\sin(x^2) + C}$.", r"2x\cos(x^2)"),
    Rollout(r"It is $\boxed{\cos(x^2)}$.", r"2x\cos(x^2)"),
    Rollout(r"\boxed{\int 2x\cos(x^2)\,dx}", r"2x\cos(x^2)"),
]
for each in score(items, rubric):
    print(each.reward, each.status, each.verdict.answer)
