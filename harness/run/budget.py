"""The limits of a sweep, the amounts spent until now, and estimates of missing answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ...prompts.rendering import Rendered
from ...rewards.records import Record
from ..core.errors import ModelError
from ..core.prices import Price
from ..core.requests import Completion, FinishReason, Request
from ..models import Model
from ..store import counts
from ..store.run import Run
from .job import Job

#: About so many characters are a token, where the model's tokenizer is not at hand.
CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class Spent:
    """The completions of a model: the number, and the tokens of counted completions."""

    price: Price | None
    rows: int = 0
    prompt: float = 0
    completion: float = 0
    cached: float = 0
    reasoning: float = 0

    @property
    def tokens(self) -> float:
        """Prompt and completion tokens together."""
        return self.prompt + self.completion

    @property
    def dollars(self) -> float:
        """The price of the tokens; 0 without a price."""
        if self.price is None:
            return 0.0
        return self.price.dollars(self.prompt, self.completion, self.cached, self.reasoning)

    def add(self, completion: Completion) -> None:
        """Count a further completion."""
        self.rows += 1
        self.prompt += completion.prompt_tokens or 0
        self.completion += completion.completion_tokens or 0
        self.reasoning += completion.reasoning_tokens or 0
        self.cached += completion.extra.get("cached_tokens") or 0


def spent_by(runs: Iterable[Run], model: str, price: Price | None) -> Spent:
    """The sums over the stored completions of a model."""
    sums = [
        model_sums
        for run in runs
        for model_sums in counts.of_model(counts.totals(run.completions), model).values()
    ]
    return Spent(
        price,
        rows=int(counts.total(sums, "counted")),
        prompt=counts.total(sums, "prompt_tokens"),
        completion=counts.total(sums, "completion_tokens"),
        cached=counts.total(sums, "cached"),
        reasoning=counts.total(sums, "reasoning_tokens"),
    )


class RequestBudget:
    """Admits requests within the limits of a job.

    Stored completions count: a repeated command never spends more than the limits. A request in
    progress is expected to cost the average of the model's completions so far; before the first
    completion, it is expected to cost the maximum of a request. Requests in progress are never cut
    short. Longer requests than the average may therefore exceed a limit at the end.
    """

    def __init__(self, job: Job, run: Run) -> None:
        self.limits = job.limits
        runs = [run, *map(Run, filter(Run.exists, job.beside))]
        self.spent = {
            model.hash: spent_by(runs, model.hash, job.limits.price(model)) for model in job.models
        }
        self.under_way = 0
        self.exhausted = False
        self._admitted = 0
        self._refused = False

    def admits(self, request: Request) -> bool:
        """Whether a request may be sent now."""
        if self.limits.none:
            return True
        model_spent = self.spent[request.model]
        answer_count = self.under_way + request.count
        tokens = model_spent.tokens / model_spent.rows if model_spent.rows else 0.0
        dollars = model_spent.dollars / model_spent.rows if model_spent.rows else 0.0
        if not model_spent.rows:
            largest = Spent(
                model_spent.price, 1, len(str(request.prompt)), request.sampling.max_tokens
            )
            tokens, dollars = largest.tokens, largest.dollars
        fits = all(
            limit is None or already + answer_count * largest_each <= limit
            for limit, already, largest_each in (
                (self.limits.max_tokens_total, self._tokens, tokens),
                (self.limits.max_cost, self._dollars, dollars),
            )
        )
        # One is tried even if it might exceed the limit, as long as nothing is known.
        nothing_asked = not answer_count - request.count and not any(
            each_spent.rows for each_spent in self.spent.values()
        )
        if not (fits or nothing_asked):
            self._refused = True
            return False
        self.under_way = answer_count
        self._admitted += 1
        return True

    def completed(self, model: Model, completion: Completion) -> None:
        """Count a completion of an admitted request.

        Raises:
            ModelError: a limit is set, and the model's server does not count tokens.

        """
        if self.limits.none:
            return
        self.under_way -= 1
        if completion.completion_tokens is not None:
            self.spent[completion.model].add(completion)
        # Without token counts a limit in tokens or money cannot hold.
        elif not (
            model.deterministic
            or completion.finish_reason in (FinishReason.ERROR, FinishReason.UNREACHABLE)
        ):
            raise ModelError(
                f"model {model.spec} does not count its tokens, so that {self.limits} cannot be "
                "kept; leave the limit out"
            )

    def goes_on(self) -> bool:
        """Whether more requests may fit as soon as no request is in progress, because some were
        refused.

        If all requests were refused, the budget is `exhausted`.
        """
        refused, some = self._refused, self._admitted > 0
        self.under_way, self._admitted, self._refused = 0, 0, False
        self.exhausted = self.exhausted or (refused and not some)
        return refused and some

    @property
    def _tokens(self) -> float:
        return sum(each_spent.tokens for each_spent in self.spent.values())

    @property
    def _dollars(self) -> float:
        return sum(each_spent.dollars for each_spent in self.spent.values())

    def __str__(self) -> str:
        """The spent amount and the limit, as in ``$4.98 of --max-cost 5``."""
        limits = []
        if self.limits.max_cost is not None:
            limits.append(f"${self._dollars:.4g} of --max-cost {self.limits.max_cost:g}")
        if self.limits.max_tokens_total is not None:
            total = self.limits.max_tokens_total
            limits.append(f"{self._tokens:.0f} tokens of --max-tokens-total {total}")
        return " and ".join(limits)


@dataclass(frozen=True)
class CostEstimate(Record):
    """Estimated tokens and dollars of a model's missing answers.

    Attributes:
        label: the model's label.
        answers: the number of missing answers.
        prompt_tokens: tokens of the missing answers' prompts (of the first stage).
        counted: whether the model's tokenizer counted the prompts; otherwise a token is 4
            characters.
        most_tokens: the tokens if every completion has the maximal length.
        most_dollars: the price of ``most_tokens``; None without a price.
        usual_tokens: the tokens if every completion has the average length of the model's stored
            answers; None if there are none.
        usual_dollars: the price of ``usual_tokens``.

    """

    label: str
    answers: int
    prompt_tokens: int
    counted: bool
    most_tokens: int
    most_dollars: float | None
    usual_tokens: float | None = None
    usual_dollars: float | None = None


def estimates(job: Job) -> Iterator[CostEstimate]:
    """Estimates for the missing answers of each model, without requests; solvers need no tokens."""
    run = Run(job.out) if Run.exists(job.out) else None
    stored = {row["key"] for _, row in run.completions.heads()} if run else set()
    for model in job.models:
        if model.deterministic:
            continue
        price = job.limits.price(model)

        @cache
        def length(prompt: Rendered, model: Model = model) -> tuple[int, bool]:
            tokens = model.count_tokens(prompt)
            if tokens is None:
                return -(-len(str(prompt)) // CHARACTERS_PER_TOKEN), False
            return tokens, True

        answers = prompts = completions = 0
        exact = True
        for request in job.requests(model, stored):
            tokens, counted = length(request.prompt)
            exact = exact and counted
            answers += request.count
            prompts += tokens
            completions += request.count * request.sampling.max_tokens
        # Later stages repeat the prompt and show the replies before.
        upper_bound = Spent(price, answers, prompts * job.stages, completions * job.stages)
        spent = spent_by([run], model.hash, price) if run else Spent(price)
        stages = job.stages * answers / spent.rows if spent.rows else 0.0
        yield CostEstimate(
            label=model.label,
            answers=answers,
            prompt_tokens=prompts,
            counted=exact,
            most_tokens=round(upper_bound.tokens),
            most_dollars=None if price is None else upper_bound.dollars,
            usual_tokens=spent.tokens * stages if spent.rows else None,
            usual_dollars=spent.dollars * stages if spent.rows and price else None,
        )
