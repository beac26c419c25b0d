"""Sums over a run's rows by model and problem, kept beside every sealed shard.

The sums suffice for `harness.stats.metrics`, so that a table of a million samples takes a second
instead of a minute. Sums are derived data: missing, old or damaged sums are counted again
(`harness.store.log.reader`).
"""

from __future__ import annotations

import hashlib
import heapq
import math
import threading
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from ...prompts import ANSWER
from ...rewards.verdict import PROOFS, Status
from ..core.requests import FinishReason
from .log.reader import Counting, LogReader

#: The verifier could not tell: not evidence against the model.
UNKNOWN = frozenset({Status.UNDECIDED, Status.TIMEOUT, Status.ERROR})
#: What answers that were declined are counted as, by their finish reason.
_DECLINED = {FinishReason.REFUSAL: "refused", FinishReason.CONTENT_FILTER: "filtered"}
#: What `rewards.verdict.Evidence.proof` of a correct answer is counted as.
PROOF_COUNTS = dict.fromkeys(PROOFS, "proved") | {"agreement": "agreed"}
#: Lengths and tokens are counted in so many bins for every doubling.
BINS = 4

#: Values by name: sums over the samples of a problem, except `FIRST_CORRECT`, the smallest index of
#: a correct sample (with ranked candidates, the rank of the best correct candidate).
Sums = dict[str, float]
Group = tuple[str, str]
#: Wrong answers of each model that are kept of each shard: shares of 200 are known to about 7
#: points, and finding the slips takes a tenth of a second. An answer of more characters, ten times
#: the longest reference, is no slip of a right one.
WRONG, LONGEST_WRONG = 200, 2000
FIRST_CORRECT = "first_correct"


def _as_rows(groups: Mapping[Group, Sums]) -> list[list[Any]]:
    return [[model, problem, sums] for (model, problem), sums in groups.items()]


def count_verdicts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers of samples by verdict status and by some groups, with wrong answers.

    ``unknown`` are undecided or failed, ``truncated`` were stopped by a limit of tokens or time,
    ``failed`` have an error of the model or the verifier, ``refused`` and ``filtered`` ended in a
    refusal of the model or its provider's content filter, ``flag NAME`` has this flag in the
    evidence, ``ended STATUS REASON`` have a finish reason other than ``stop``. ``proved`` and
    ``agreed`` rest on a proof and on agreement at points: both are correct, unless only proofs are
    accepted. Verdicts of other kinds, or of old verifiers, count as neither.
    """
    # A single pass over the rows, as a run may have millions.
    groups: dict[Group, Sums] = {}
    wrong: dict[str, list[tuple[int, int, Any]]] = {}
    for row in rows:
        status, reason = row["status"], row["finish_reason"]
        sums = groups.setdefault((row["model"], row["problem"]), {"samples": 0})
        sums["samples"] += 1
        sums[status] = sums.get(status, 0) + 1
        failed = reason == FinishReason.ERROR
        if reason != FinishReason.STOP:
            _add(sums, f"ended {status} {reason}", 1)
        if status == Status.INCORRECT:
            _draw(wrong.setdefault(row["model"], []), row)
        # Errors of the model are unknown and failed at once: bounds and failures count them
        # separately.
        if status in UNKNOWN or failed:
            sums["unknown"] = sums.get("unknown", 0) + 1
        if failed or status == Status.ERROR:
            sums["failed"] = sums.get("failed", 0) + 1
        for flag in (row.get("evidence") or {}).get("flags", ()):
            _add(sums, f"flag {flag}", 1)
        if FinishReason(reason).truncated:
            sums["truncated"] = sums.get("truncated", 0) + 1
        if reason in _DECLINED:
            _add(sums, _DECLINED[reason], 1)
        if row["reward"]:
            sums["reward"] = sums.get("reward", 0) + row["reward"]
        if status == Status.CORRECT:
            sums[FIRST_CORRECT] = min(sums.get(FIRST_CORRECT, math.inf), row["sample"])
        if status in (Status.CORRECT, Status.UNDECIDED):
            name = PROOF_COUNTS.get((row.get("evidence") or {}).get("proof", ""))
            if name:
                sums[name] = sums.get(name, 0) + 1
    # Wrong answers are drawn by hash, so the sample is the same for any order of rows.
    chosen = {m: [[-rank, row] for rank, _, row in drawn] for m, drawn in wrong.items()}
    return {"sums": _as_rows(groups), "wrong": chosen}


def _draw(drawn: list[tuple[int, int, Any]], row: Mapping[str, Any]) -> None:
    """Push a wrong answer to a heap of the answers with the smallest hashes, largest on top."""
    # The smallest hashes of keys are a random sample, independent of order and shards, and samples
    # of shards can be merged.
    hashed = hashlib.blake2b(row["key"].encode("utf-8", "replace"), digest_size=6).digest()
    rank = -int.from_bytes(hashed)
    if len(drawn) == WRONG and rank <= drawn[0][0]:
        return
    short = {name: row.get(name) for name in ("problem", "status", "finish_reason", "answer")}
    if len(row.get("answer") or "") > LONGEST_WRONG:
        short["answer"] = ""
    witness = (row.get("evidence") or {}).get("witness")
    entry = (rank, row["sample"], short | {"evidence": {"witness": witness}})
    if len(drawn) < WRONG:
        heapq.heappush(drawn, entry)
    else:
        heapq.heapreplace(drawn, entry)


def wrong_answers(log: LogReader) -> dict[str, list[dict[str, Any]]]:
    """Up to `WRONG` verdicts of each model on wrong answers, reduced to the fields in use.

    The verdicts with the smallest hashes of keys are kept: a sample that does not depend on the
    order of writing, and that follows from the samples of the shards.
    """
    drawn: dict[str, list[list[Any]]] = {}
    for count in log.counts():
        for model, answers in count["wrong"].items():
            drawn.setdefault(model, []).extend(answers)
    for model, rows in drawn.items():
        drawn[model] = heapq.nsmallest(WRONG, rows, key=itemgetter(0))
    return {model: [row for _, row in rows] for model, rows in drawn.items()}


def count_completions(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Seconds, tokens and characters of completions, and histograms of lengths.

    All stages of a sample count; ``samples`` are the last stages, which are graded. ``errors`` are
    the rows with errors of the model, ``counted`` the rows with token counts of the server, and
    ``cached`` are cached prompt tokens.
    """
    groups: dict[Group, Sums] = {}
    for row in rows:
        sums = groups.setdefault((row["model"], row["problem"]), {"rows": 0, "seconds": 0.0})
        sums["rows"] += 1
        sums["seconds"] += row.get("latency", 0.0)
        _add(sums, "samples", row["stage"] == ANSWER)
        _add(sums, "errors", row["finish_reason"] == FinishReason.ERROR)
        length = len(row["text"]) + len(row.get("reasoning", ""))
        _add(sums, f"characters {bin_of(length)}", 1)
        if row.get("completion_tokens") is not None:
            _add(sums, "counted", 1)
            _add(sums, f"tokens {bin_of(row['completion_tokens'])}", 1)
            for name in ("completion_tokens", "prompt_tokens", "reasoning_tokens"):
                _add(sums, name, row.get(name) or 0)
            _add(sums, "cached", (row.get("extra") or {}).get("cached_tokens") or 0)
    return {"sums": _as_rows(groups)}


def _add(sums: Sums, name: str, value: float) -> None:
    if value:
        sums[name] = sums.get(name, 0) + value


def merge(shards: Iterable[Mapping[str, Any]]) -> dict[Group, Sums]:
    """The sums of several shards together."""
    total: dict[Group, Sums] = {}
    for log_counts in shards:
        for model, problem, sums in log_counts["sums"]:
            sums_before = total.get((model, problem))
            if sums_before is None:
                total[model, problem] = dict(sums)
                continue
            # All sums add, except the first correct sample, which is a minimum.
            first_correct = min(
                sums_before.get(FIRST_CORRECT, math.inf), sums.get(FIRST_CORRECT, math.inf)
            )
            for name, value in sums.items():
                sums_before[name] = sums_before.get(name, 0) + value
            if first_correct < math.inf:
                sums_before[FIRST_CORRECT] = first_correct
    return total


#: The last sums of a few logs, by directory, with the state of the log when they were read; held
#: while it is changed, since a server of pages reads from several threads.
_READING = threading.Lock()
_READ: dict[Path, tuple[Any, dict[Group, Sums]]] = {}


def totals(log: LogReader) -> Mapping[Group, Sums]:
    """The sums of all rows of a log, cached until the log grows; the result is read-only."""
    state = log.state()
    with _READING:
        cached = _READ.pop(log.directory, None)
    if cached is None or cached[0] != state:
        cached = state, merge(log.counts())
    with _READING:
        _READ[log.directory] = cached
        if len(_READ) > 8:
            del _READ[next(iter(_READ))]
    return cached[1]


def samples(log: LogReader) -> int:
    """The number of a log's rows of graded stages."""
    return int(total(totals(log).values(), "samples"))


def of_model(groups: Mapping[Group, Sums], model: str) -> dict[str, Sums]:
    """The sums of a model, by problem."""
    return {problem: sums for (owner, problem), sums in groups.items() if owner == model}


def total(sums: Iterable[Sums], name: str) -> float:
    """The sum of the values of a name over several groups."""
    return sum(group_sums.get(name, 0) for group_sums in sums)


def bin_of(number: int) -> int:
    """The bin of a length: 0 for nothing, then `BINS` bins for every doubling."""
    return 0 if number < 1 else 1 + math.floor(BINS * math.log2(number))


def bin_start(index: int) -> float:
    """The smallest length in a bin."""
    return 0.0 if index <= 0 else 2 ** ((index - 1) / BINS)


def histogram(sums: Iterable[Sums], name: str) -> dict[int, int]:
    """The numbers of completions in each bin of ``characters`` or ``tokens``."""
    bins: dict[int, int] = {}
    for row in sums:
        for key, value in row.items():
            prefix, _, index = key.partition(" ")
            if prefix == name and index:
                bins[int(index)] = bins.get(int(index), 0) + int(value)
    return dict(sorted(bins.items()))


#: The names are part of the files' names; a change of what is counted needs another name.
VERDICTS = Counting("counts-6", count_verdicts)
COMPLETIONS = Counting("counts-2", count_completions)
