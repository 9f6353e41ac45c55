"""Pairs of annotations by Munkres' algorithm, step by step: an oracle independent of the Rust code."""

from __future__ import annotations

Span = tuple[str, int, int]


def similarity(ref: Span, hyp: Span) -> float:
    shared = min(ref[2], hyp[2]) - max(ref[1], hyp[1])
    if shared <= 0:
        return 0.0
    union = max(ref[2], hyp[2]) - min(ref[1], hyp[1])
    return 0.1 * (1.0 if ref[0] == hyp[0] else 0.0) + 0.9 * (shared / union)


def groups(refs: list[Span], hyps: list[Span]) -> list[tuple[list[Span], list[Span]]]:
    """Groups of annotations connected by overlaps."""
    collected: list[tuple[list[Span], list[Span]]] = []
    end = -1
    numbered = [(s[1], s[2], s[0], 0) for s in refs] + [(s[1], s[2], s[0], 1) for s in hyps]
    for *span, side in sorted(numbered):
        if span[0] >= end:
            collected.append(([], []))
        end = max(end, span[1])
        collected[-1][side].append((span[2], span[0], span[1]))
    return collected


def pairs(refs: list[Span], hyps: list[Span]) -> list[tuple[Span, Span]]:
    """The pairs of a document."""
    created = []
    for rows, columns in groups(refs, hyps):
        if rows and columns:
            for row, column in Stars(rows, columns).solve():
                if row < len(rows) and column < len(columns) and similarity(rows[row], columns[column]):
                    created.append((rows[row], columns[column]))
    return sorted(created)


class Stars:
    """A square matrix of costs; 0 where one side has no annotation."""

    def __init__(self, rows: list[Span], columns: list[Span]) -> None:
        self.n = max(len(rows), len(columns))
        self.costs = [[0.0] * self.n for _ in range(self.n)]
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                self.costs[i][j] = 1.0 - similarity(row, column)
        self.marks = [[""] * self.n for _ in range(self.n)]

    def solve(self) -> list[tuple[int, int]]:
        span = range(self.n)
        for i in span:
            least = min(self.costs[i])
            self.costs[i] = [cost - least for cost in self.costs[i]]
        for i in span:
            for j in span:
                if self.costs[i][j] == 0 and not self.star_in_row(i) and self.star_of_column(j) is None:
                    self.marks[i][j] = "*"
        while True:
            covered_rows: set[int] = set()
            covered = {j for j in span if self.star_of_column(j) is not None}
            if len(covered) == self.n:
                return [(i, j) for i in span for j in span if self.marks[i][j] == "*"]
            self.prime_until_a_star_moves(covered_rows, covered)

    def star_in_row(self, i: int) -> bool:
        return "*" in self.marks[i]

    def star_of_column(self, j: int) -> int | None:
        return next((i for i in range(self.n) if self.marks[i][j] == "*"), None)

    def prime_until_a_star_moves(self, rows: set[int], columns: set[int]) -> None:
        while True:
            zeros = [
                (i, -j)
                for i in range(self.n)
                for j in range(self.n)
                if self.costs[i][j] == 0 and i not in rows and j not in columns
            ]
            if not zeros:
                self.make_zeros(rows, columns)
                continue
            i, j = min(zeros)
            self.marks[i][-j] = "'"
            if not self.star_in_row(i):
                self.move(i, -j)
                return
            rows.add(i)
            columns.remove(self.marks[i].index("*"))

    def make_zeros(self, rows: set[int], columns: set[int]) -> None:
        span = range(self.n)
        least = min(self.costs[i][j] for i in span for j in span if i not in rows and j not in columns)
        for i in span:
            for j in span:
                if i in rows:
                    self.costs[i][j] += least
                if j not in columns:
                    self.costs[i][j] -= least

    def move(self, i: int, j: int) -> None:
        path = [(i, j)]
        while (row := self.star_of_column(path[-1][1])) is not None:
            path.append((row, path[-1][1]))
            path.append((row, self.marks[row].index("'")))
        for at, (row, column) in enumerate(path):
            self.marks[row][column] = "" if at % 2 else "*"
        self.marks = [["" if mark == "'" else mark for mark in row] for row in self.marks]
