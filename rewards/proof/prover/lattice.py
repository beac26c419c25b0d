"""A basis of the lattice that angles span, so that each is a whole combination of few units.

Letters: an angle is ``w + k``, where w varies and k is constant. Both are vectors over Q, whose
coordinates belong to monomials of the field. Units ``b_1, ..., b_r`` have linearly independent w;
an angle is ``n_1 b_1 + ... + n_r b_r + k`` with whole n. So ``sin(6x + 4)`` and ``cos(12x + 8)``
have one unit and k = 0. A finer basis is the Hermite normal form of the units and the angle, as
rows over Z, and then reduced (Cohen, *A Course in Computational Algebraic Number Theory*, sections
2.4 and 2.6).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from flint import fmpq, fmpq_mat, fmpz_mat

Vector: TypeAlias = dict[Hashable, fmpq]
ZERO, UNIT = fmpq(0), fmpq(1)


class Angle(NamedTuple):
    """An angle: what varies in it, and its constant phase."""

    varying: Vector
    phase: Vector


@dataclass(slots=True)
class Lattice:
    """The units of all angles that were added; ``apart`` if each angle is to be its own.

    Angles that are apart are regarded as independent: what is proved then is true, and a product of
    the sines of 20x and 24x is no polynomial of degree 11.

    >>> lattice = Lattice()
    >>> for n in (6, 4):
    ...     _ = lattice.add(Angle({"x": fmpq(n)}, {"1": fmpq(1)}))
    >>> lattice.coordinates({"x": fmpq(10)})
    [5]

    """

    units: list[Angle] = field(default_factory=list)
    apart: bool = False

    def coordinates(self, varying: Vector) -> list[fmpq] | None:
        """The combination of units that a vector is, rational or whole; None if it is none."""
        if not self.units:
            return None
        if self.apart:
            minus = {key: -c for key, c in varying.items()}
            found = [(v == varying) - (v == minus) for v in (unit.varying for unit in self.units)]
            return [fmpq(n) for n in found] if any(found) else None
        if len(self.units) == 1:  # nearly always
            unit = self.units[0].varying
            if unit.keys() != varying.keys():
                return None
            ratios = [c / unit[key] for key, c in varying.items()]
            return ratios[:1] if ratios.count(ratios[0]) == len(ratios) else None
        columns = [*(unit.varying for unit in self.units), varying]
        keys = list(dict.fromkeys(key for column in columns for key in column))
        rows = [[column.get(key, ZERO) for column in columns] for key in keys]
        if len(rows) < len(columns) - 1:
            return None
        reduced, rank = fmpq_mat(rows).rref()
        rank_of_units = len(columns) - 1
        if rank != rank_of_units:
            return None
        return [reduced[i, rank_of_units] for i in range(rank_of_units)]

    def add(self, angle: Angle) -> list[fmpq]:
        """Make the basis so fine that an angle is a whole combination of units.

        Returns:
            The combination, one whole number a unit. The units stay the same objects, in the same
            list, unless the basis became finer.

        """
        found = self.coordinates(angle.varying)
        if found is None:
            unit = _positive(angle)
            self.units.append(unit)
            return [ZERO] * (len(self.units) - 1) + [UNIT if unit is angle else -UNIT]
        denominator = math.lcm(*(int(c.q) for c in found))
        if denominator == 1:
            return found
        rank = len(found)
        rows = [[denominator * (i == j) for j in range(rank)] for i in range(rank)]
        rows.append([int((c * denominator).p) for c in found])
        finer = fmpz_mat(fmpz_mat(rows).hnf().tolist()[:rank]).lll().tolist()
        self.units = [
            _positive(combined(zip((fmpq(n, denominator) for n in row), self.units, strict=True)))
            for row in finer
        ]
        found = self.coordinates(angle.varying) or []
        if self.phase_left(angle, found):
            # Not half an angle and its double, say: phases that are shared by nothing grow.
            self.units = [Angle(unit.varying, {}) for unit in self.units]
        return found

    def phase_left(self, angle: Angle, found: list[fmpq]) -> Vector:
        """The phase of an angle that its combination of units does not have."""
        if not (angle.phase or any(unit.phase for unit in self.units)):
            return {}
        return combined([(UNIT, angle), *zip((-n for n in found), self.units, strict=False)]).phase


def combined(terms: Iterable[tuple[fmpq, Angle]]) -> Angle:
    """The sum of multiples of angles."""
    varying: Vector = {}
    phase: Vector = {}
    for n, angle in terms:
        for total, vector in ((varying, angle.varying), (phase, angle.phase)):
            for key, c in vector.items():
                total[key] = total.get(key, ZERO) + n * c
    return Angle(*({key: c for key, c in v.items() if c} for v in (varying, phase)))


def _positive(angle: Angle) -> Angle:
    """The angle or its negative: the first coefficient becomes positive."""
    first = next(iter(angle.varying.values()))
    return angle if first > 0 else combined([(fmpq(-1), angle)])
