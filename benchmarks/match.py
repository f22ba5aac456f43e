"""How well the matcher tells "same defect" from "another one", on a file of labelled pairs.

    python -m benchmarks.match FILE

FILE has one JSON object a line: `pr` (which run the two belong to), `a` and `b` (what two reviewers said), `same`.
All statements of a run are compared as `gather` compares them, words only, since the pairs carry no places. Prints one
JSON line: `auc` over all pairs, and `precision`, `recall` and `f1` at the shipped threshold.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from moot.findings.match import THRESHOLD, Statement, pair_scores
from moot.findings.wording import wording


def measure(file: Path) -> dict[str, float | int]:
    """Return the figures for a file of labelled pairs."""
    runs = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            pair = json.loads(line)
            runs[pair["pr"]].append((pair["a"], pair["b"], bool(pair["same"])))
    started = time.perf_counter()
    scored: list[tuple[float, bool]] = []
    for pairs in runs.values():
        texts = list(dict.fromkeys(text for a, b, _ in pairs for text in (a, b)))
        number = {text: i for i, text in enumerate(texts)}
        scores = pair_scores([Statement(wording(text)) for text in texts])
        scored += [(scores[number[a]][number[b]], same) for a, b, same in pairs]
    seconds = time.perf_counter() - started
    precision, recall, f1 = at_threshold(scored, THRESHOLD)
    return {
        "auc": round(area(scored), 4),
        "f1": round(f1, 4),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "threshold": THRESHOLD,
        "pairs": len(scored),
        "seconds": round(seconds, 3),
    }


def at_threshold(scored: list[tuple[float, bool]], threshold: float) -> tuple[float, float, float]:
    """Return precision, recall and F1 when everything at or above the threshold is called the same."""
    hits = sum(same for score, same in scored if score >= threshold)
    called = sum(score >= threshold for score, _ in scored)
    there = sum(same for _, same in scored)
    precision = hits / called if called else 0.0
    recall = hits / there if there else 0.0
    return precision, recall, 2 * hits / (called + there) if called + there else 0.0


def area(scored: list[tuple[float, bool]]) -> float:
    """Return the area under the ROC curve: how often a same pair scores above a different one, ties half."""
    ordered = sorted(scored)
    rank_sum, i = 0.0, 0
    while i < len(ordered):
        j = i
        while j < len(ordered) and ordered[j][0] == ordered[i][0]:
            j += 1
        rank_sum += (i + j + 1) / 2 * sum(same for _, same in ordered[i:j])
        i = j
    same = sum(s for _, s in ordered)
    different = len(ordered) - same
    return (rank_sum - same * (same + 1) / 2) / (same * different) if same and different else 0.0


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        print("usage: python -m benchmarks.match FILE", file=sys.stderr)
        return 2
    file = Path(argv[0])
    if not file.is_file():
        print(f"{file}: no such file, nothing measured", file=sys.stderr)
        return 0
    print(json.dumps(measure(file)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
