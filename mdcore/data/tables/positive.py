"""Propose the positive class: what one looks for, such as an illness, rather than its absence."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mdcore.data.tables.detection import Finding

POSITIVE_NAMES = """
+ pos positive yes y true t present malignant case cases event sick ill disease diseased patient abnormal anomaly
anomalous outlier attack spam fraud failure faulty defective churn
ja oui sí si sì sim да так tak evet はい 是 有 陽性 阳性 positiv positif positivo krank malade enfermo больной
"""
NEGATIVE_NAMES = """
- − neg negative no false absent none benign control controls healthy normal inlier ham legit legitimate ok
nein non não nao нет ні nie hayır いいえ 否 無 无 陰性 阴性 negativ negatif négatif negativo gesund sain sano здоровый
"""
RULE = (
    "The proposal is the class with a positive name (+, yes, true, pos, case, malignant, …), or the only other class "
    "if one has a negative name (healthy, control, normal, …). Otherwise it is the largest number, or, for names, the "
    "rarest class, the last of several."
)


def propose_positive(counts: Mapping[str, int]) -> Finding[str]:
    """Return the proposed class, given the classes in order with their numbers of rows."""
    affirmed = [name for name in counts if _word(name) in POSITIVE_NAMES.split()]
    if len(affirmed) == 1:
        return Finding(affirmed[0], "which is a positive name")
    others = [name for name in counts if _word(name) not in NEGATIVE_NAMES.split()]
    if len(counts) == 2 and len(others) == 1:
        return Finding(others[0], "since the other class has a negative name")
    numbers = {name: _number(name) for name in reversed(list(counts))}
    if not any(map(math.isnan, numbers.values())):
        return Finding(max(numbers, key=numbers.__getitem__), "the largest number")
    rarest = min(reversed(list(counts)), key=counts.__getitem__)
    alike = sum(count == counts[rarest] for count in counts.values())
    return Finding(rarest, "the rarest class" if alike == 1 else f"the last of the {alike} rarest classes")


def _word(name: str) -> str:
    return name.strip().strip(".").casefold()


def _number(name: str) -> float:
    """Return the number in a name, with or without a comparison sign, as in > 50K; NaN if there is none."""
    try:
        return float(name.lstrip("<>=≤≥ ").rstrip("Kk+. "))
    except ValueError:
        return math.nan
