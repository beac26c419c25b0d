"""Integrals that integration by parts may build on.

The released code keeps all that it found since it was started, so what it finds depends on what
came before. Here a store is a function of the seed alone: made of draws of its own, and then not
changed any more, so that every problem is the same whoever asks for it and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .codec.prefix import Tokens, from_prefix

if TYPE_CHECKING:
    from .algebra.backends import Kit
    from .generators import Parts


class Known:
    """Integrand without its constant factor -> its shortest known antiderivative."""

    def __init__(self, integrals: Mapping[Tokens, Tokens] = MappingProxyType({})) -> None:
        self._integrals = dict(integrals)

    def __len__(self) -> int:
        return len(self._integrals)

    def add(self, kit: Kit[Any], f: Any, big_f: Any) -> None:
        """Remember an integral, unless a shorter antiderivative is known."""
        factor, rest = kit.without_factor(f)
        if not kit.varies(rest):
            return
        key = kit.prefix(rest)
        found = kit.prefix(kit.without_constants(kit.div(big_f, factor)))
        if key not in self._integrals or len(found) < len(self._integrals[key]):
            self._integrals[key] = found

    def with_parts(self, kit: Kit[Any], parts: Parts) -> Known:
        """A copy that knows the parts' own integrals as well."""
        more = Known(self._integrals)
        more.add(kit, parts.f, parts.big_f)
        more.add(kit, parts.g, parts.big_g)
        return more

    def integral(self, kit: Kit[Any], f: Any) -> Any | None:
        """An antiderivative: of f, of f multiplied out, or of f simplified, term by term."""
        forms: tuple[Callable[[], Any], ...] = (
            lambda: f,
            lambda: kit.expand(f),
            lambda: kit.simplify(f, 1),
        )
        for form in forms:
            found = self._sum(kit, form())
            if found is not None:
                return found
        return None

    def _sum(self, kit: Kit[Any], f: Any) -> Any | None:
        whole = self._single(kit, f)
        terms = kit.terms(f)
        if whole is not None or len(terms) < 2:
            return whole
        found = [self._single(kit, term) for term in terms]
        return kit.add(*found) if None not in found else None

    def _single(self, kit: Kit[Any], f: Any) -> Any | None:
        factor, rest = kit.without_factor(f)
        if not kit.varies(f):
            return kit.mul(f, kit.variable())
        tokens = self._integrals.get(kit.prefix(rest))
        return None if tokens is None else kit.mul(factor, kit.read(from_prefix(tokens)))
