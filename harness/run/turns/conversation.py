"""The turns of a run after the first.

A turn is an ordinary run in ``turns/ARM-N`` of the run's directory. The prompt shows the earlier
turns, and completions and verdicts are stored, resumed and priced as in any run. There are two
arms, which begin with the same first answers: an arm with the chosen feedback, and a control
without feedback. A sample continues as long as its answer is wrong.

    turns/ARM-N/          the run of the turn N
    turns/ARM-N.jsonl     the message after each wrong answer, before the turn N
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....rewards.verdict import Verdict
from ...core.asynchronous import run_async
from ...core.errors import RunError
from ...core.policy import Policy
from ...core.requests import FinishReason, problem_key
from ...stats.repaired import CONTROL, WRONG
from ...store.atomic import write_atomically
from ...store.run import Run
from ..job import Job, continued
from ..progress import Progress
from ..runner import Session, run_job
from .feedback import reply_to

#: A sample: the model's hash, the problem's key, the index.
SampleKey = tuple[str, str, int]
#: By sample, what was said before: stage -> text.
Conversations = dict[SampleKey, dict[str, str]]


@dataclass(frozen=True)
class _Wrong:
    """A wrong answer: the text of the model, and the verdict."""

    text: str
    verdict: Verdict


def ask_turns(job: Job, policy: Policy, progress: Progress, session: Session) -> None:
    """Ask and grade all missing turns after the first.

    Args:
        job: the job of the first turn, which is complete. ``job.turns`` is the number of turns, and
            ``job.feedback`` is the kind of feedback.
        policy: the rules of judging.
        progress: receives every completion and verdict.
        session: the session of all turns, for loaded models.

    """
    # The control arm has the same turns without feedback.
    for arm in (job.feedback, CONTROL):
        run, paths = Run(job.out), [job.out]
        conversations: Conversations = {}
        for turn in range(2, job.turns + 1):
            wrong = _wrong(run, policy)
            name = f"{arm}-{turn}"
            messages = _messages(job, name, arm, wrong)
            reply, feedback = f"reply_{turn - 1}", f"feedback_{turn - 1}"
            # Only samples with a wrong last answer go on, each with all earlier replies.
            conversations = {
                sample: conversations.get(sample, {})
                | {reply: answer.text, feedback: messages[sample]}
                for sample, answer in wrong.items()
            }
            if not conversations:
                break
            progress.status(f"turn {turn} ({arm}): {len(conversations)} answers were wrong")
            next_job = turn_job(job, name, turn, conversations, tuple(paths))
            run = run_job(next_job, policy=policy, progress=progress, session=session)
            paths.append(next_job.out)


def turn_job(
    job: Job, name: str, turn: int, conversations: Conversations, paths: tuple[Path, ...]
) -> Job:
    """The job of a turn: the problems with wrong answers, with a prompt of the wrong answers.

    Args:
        job: the job of the first turn.
        name: the turn's directory in ``turns/``.
        turn: the number of the turn.
        conversations: the continuing samples, with all earlier messages.
        paths: the runs of the earlier turns.

    """
    replies: dict[str, dict[tuple[str, int], dict[str, str]]] = {}
    for (model, key, sample), conversation in conversations.items():
        replies.setdefault(model, {})[key, sample] = conversation
    keys = {key for _, key, _ in conversations}
    prompts = {task: continued(prompt, turn) for task, prompt in job.identity.prompts.items()}
    identity = replace(job.identity, prompts=prompts)
    problems = tuple(problem for problem in job.problems if problem_key(problem) in keys)
    # What the other arm has taken counts as well.
    earlier_turns = [path.parent for path in job.out.glob("turns/*/manifest.json")]
    next_job = replace(
        job,
        identity=identity,
        models=tuple(model for model in job.models if model.hash in replies),
        problems=problems,
        out=job.out / "turns" / name,
        given=replies,
        beside=tuple(dict.fromkeys((*paths, *earlier_turns))),
        turns=1,
    )
    return replace(
        next_job, first={problem_key(problem): next_job.render(problem) for problem in problems}
    )


def _wrong(run: Run, policy: Policy) -> dict[SampleKey, _Wrong]:
    """The samples of a run for a further try, after wrong answers under a policy."""
    verdicts = {
        row["key"]: Verdict.from_dict(row)
        for row in run.verdicts(policy.name).rows()
        if row["status"] in WRONG and row["finish_reason"] != FinishReason.ERROR
    }
    return {
        (row["model"], row["problem"], row["sample"]): _Wrong(row["text"], verdicts[row["key"]])
        for row in run.completions.rows()
        if row["key"] in verdicts
    }


def _messages(
    job: Job, name: str, arm: str, wrong: Mapping[SampleKey, _Wrong]
) -> dict[SampleKey, str]:
    """The message after every wrong answer.

    The messages are stored: a later version of the verifier causes no new requests.
    """
    path = job.out / "turns" / f"{name}.jsonl"
    stored: dict[SampleKey, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in lines:
            row = json.loads(line)
            stored[row["model"], row["problem"], row["sample"]] = row["told"]
    except (OSError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged ({error}); restore it, or use another --out") from None
    # Stored messages stay as they are; only missing messages are made.
    missing = {sample: answer for sample, answer in wrong.items() if sample not in stored}
    problems = {problem_key(problem): problem for problem in job.problems}

    async def tell() -> None:
        for sample, answer in missing.items():
            stored[sample] = await reply_to(arm, problems[sample[1]], answer.text, answer.verdict)

    if missing:
        run_async(tell())
        # The file is written at once before the first request: a kill leaves no request without a
        # stored message.
        rows: list[dict[str, Any]] = [
            {"model": model, "problem": problem, "sample": number, "told": text}
            for (model, problem, number), text in stored.items()
        ]
        path.parent.mkdir(exist_ok=True)
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_atomically(path, text.encode())
    return stored
