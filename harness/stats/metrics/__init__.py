"""Metrics of runs, a file for each metric.

Exports have every metric. Each metric says whether tables and pages show it.

A function becomes a metric by the decorator `metric`. Another package can register metrics in a
module of its own. An entry point of that package, in the group ``calculus_harness.metrics``, must
name the module.
"""

from importlib import import_module

from .registry import Metric, metric, metrics

__all__ = ["Metric", "metric", "metrics"]

#: The modules that register metrics, in the order of their columns.
MODULES = (
    "pass_at_k",
    "fail_at_k",
    "labels",
    "hint",
    "proved",
    "rates",
    "cost",
    "pass_hat_k",
    "reward",
    "usage",
)
for _module in MODULES:
    import_module(f"{__name__}.{_module}")
