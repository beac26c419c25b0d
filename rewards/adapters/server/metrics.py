"""The metrics of a reward server for Prometheus, at ``/metrics``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import UserError, install
from ..scoring import Score

#: Flags of verdicts whose worker died -> the cause (`rewards.workers.verdicts`).
DEATHS = {"memory_limit": "memory", "worker_crash": "crash"}
#: Upper ends of the classes of verdict times, in seconds: from a cached verdict to the usual
#: deadline.
SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

#: Upper ends of the classes of the event loop's lateness, in seconds.
LAGS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


class Metrics:
    """The counts of a server for Prometheus. All names begin with ``calculus_reward_``.

    ``waiting``, ``saturation`` and other functions are called whenever Prometheus asks.
    """

    def __init__(self, **now: tuple[str, Callable[[], float]]) -> None:
        try:
            import prometheus_client
        except ImportError:
            raise UserError(f"serving needs prometheus-client: {install('serve')}") from None
        self._client = prometheus_client
        self.registry = prometheus_client.CollectorRegistry()
        options: dict[str, Any] = {"namespace": "calculus_reward", "registry": self.registry}
        counter, histogram = prometheus_client.Counter, prometheus_client.Histogram
        self._verdicts = counter("verdicts", "Completions by status", ["status"], **options)
        self._rewards = counter("rewards", "Sum of rewards", **options)
        self._deaths = counter("worker_deaths", "Workers that ended", ["cause"], **options)
        self._seconds = histogram(
            "verdict_seconds", "Time of a verdict", ["status"], buckets=SECONDS, **options
        )
        self._late = histogram(
            "loop_lag_seconds", "Lateness of the event loop", ["cause"], buckets=LAGS, **options
        )
        for cause in ("all", "own"):  # 0 times, and not missing, before the first look
            self._late.labels(cause)
        self._truncated = counter("truncated", "Completions cut off by a limit", **options)
        self._requests = counter("requests", "Requests by status of HTTP", ["code"], **options)
        self._shadow = counter(
            "shadow", "Rewards judged again, by what came of it", ["outcome"], **options
        )
        for name, (text, read) in now.items():
            gauge = prometheus_client.Gauge(name, text, **options)
            gauge.set_function(read)

    def judged(self, scores: Sequence[Score], truncated: int) -> None:
        for score in scores:
            self._verdicts.labels(score.status).inc()
            self._seconds.labels(score.status).observe(score.seconds)
            if score.status == "timeout":
                self._deaths.labels("deadline").inc()
            for flag in DEATHS.keys() & set(score.verdict.evidence.flags):
                self._deaths.labels(DEATHS[flag]).inc()
        self._rewards.inc(sum(max(0.0, score.reward or 0.0) for score in scores))
        self._truncated.inc(truncated)

    def looked(self, late: float, own: float) -> None:
        """Record that the event loop was ``late`` seconds late.

        The loop's own work caused ``own`` seconds of this delay.
        """
        self._late.labels("all").observe(max(0.0, late))
        self._late.labels("own").observe(max(0.0, own))

    def replied(self, code: int) -> None:
        self._requests.labels(str(code)).inc()

    def checked(self, outcome: str) -> None:
        """Count a second judgement on a completion. `shadow.outcome` explains ``outcome``."""
        self._shadow.labels(outcome).inc()

    def text(self) -> tuple[bytes, str]:
        """The page of metrics as bytes, and its content type."""
        page: bytes = self._client.generate_latest(self.registry)
        return page, self._client.CONTENT_TYPE_LATEST
