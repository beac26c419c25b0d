"""Metrics, a file for each, registered with `metric`; tables, pages and exports show all of them.

Another package registers its metrics in a module. An entry point of that package, in the group
``calculus_harness.metrics``, names the module.
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
