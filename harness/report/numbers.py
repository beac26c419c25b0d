"""Numbers as text: shares in percent, differences in percentage points, p values, dollars."""

from __future__ import annotations

from ..stats.tallies import Estimate


def percent(value: float) -> str:
    """A share in percent: ``71.4``."""
    return f"{100 * value:.1f}"


def with_interval(value: float, interval: tuple[float, float] | None) -> str:
    """A share in percent with an interval: ``71.4 [55.8, 83.7]``."""
    if interval is None:
        return percent(value)
    return f"{percent(value)} [{percent(interval[0])}, {percent(interval[1])}]"


def estimated(estimate: Estimate | None) -> str:
    """An estimate in percent with its interval; empty without an estimate."""
    return with_interval(estimate.value, estimate.interval) if estimate else ""


def signed(value: float) -> str:
    """Percentage points with a sign: ``-12.5``."""
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def points(value: float, interval: tuple[float, float] | None) -> str:
    """A difference with an interval: ``-12.5 [-20.1, -4.0]``."""
    if interval is None:
        return signed(value)
    return f"{signed(value)} [{signed(interval[0])}, {signed(interval[1])}]"


def p_value(p: float | None) -> str:
    if p is None:
        return ""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def named_p(p: float, adjusted: float | None) -> str:
    """A named p value; the name tells whether the value is adjusted.

    >>> named_p(0.012, 0.036), named_p(0.012, None)
    ('p (Holm) = 0.0360', 'p = 0.0120')

    """
    name, value = ("p", p_value(p)) if adjusted is None else ("p (Holm)", p_value(adjusted))
    return f"{name} {value}" if value.startswith("<") else f"{name} = {value}"


def dollars(value: float) -> str:
    """An amount with three significant digits, and at least with cents: ``12.30``, ``0.00123``."""
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.3g}"
