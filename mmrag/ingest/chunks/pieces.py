"""Tables cut into pieces that fit: by rows, each with the header; a row too long for a piece by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mmrag.markdown import Grid, flat_text, header_line, rows_markdown, rows_plain

Count = Callable[[str], int]

_MORE = " …"


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows ``first`` to ``stop`` of a grid, or a part of a single one.

    ``markdown`` is for reading and has the whole header; ``plain`` has the same words for the index and
    fits the limit. ``part`` of ``parts`` counts from 1 when one row is dealt over several pieces.
    """

    first: int
    stop: int
    markdown: str
    plain: str
    part: int = 1
    parts: int = 1


def table_pieces(
    grid: Grid, header_rows: int, limit: int, count: Count, plain: Grid | None = None
) -> list[Piece]:
    """A table as pieces, each with the header, whose plain texts hold at most ``limit`` tokens.

    Rows stay together as long as they fit. A row that is over the limit by itself is dealt over several
    pieces word by word, its first cell repeated on each when that is short. A header that
    takes more than half of the limit is shortened in the plain text, never in the Markdown.

    Args:
        grid: text of every position, row by row.
        header_rows: how many leading rows are header.
        limit: most tokens of a piece's plain text; 8 is the least that is honoured.
        count: tokens of a text; the tokens of two texts with a space between must not be fewer than
            those of the whole by more than a few.
        plain: texts of the same shape for the plain text, where it should say less than the Markdown.

    Returns:
        Pieces from top to bottom; one without body rows when the table has none.
    """
    limit = max(8, limit)
    plain = grid if plain is None else plain
    header = header_line(grid, header_rows)
    short = header_line(plain, header_rows) if header_rows else []
    if short and count(rows_plain(short, ())) > limit // 2:
        short = [fitted(rows_plain(short, ()), limit // 2, count)]
    writer = _Writer(header, short, limit, count)
    if len(grid) <= header_rows:
        return [writer.piece(header_rows, (), ())]
    spent = count(rows_plain(short, ()))
    costs = [count(rows_plain((), [row])) for row in plain[header_rows:]]
    pieces: list[Piece] = []
    for start, stop in plan_pieces(spent, costs, limit):
        first, last = start + header_rows, stop + header_rows
        pieces.extend(writer.rows(first, grid[first:last], plain[first:last]))
    return pieces


def fitted(text: str, limit: int, count: Count) -> str:
    """A text on one line, cut at a word and marked with " …" when it holds more than ``limit`` tokens."""
    text = flat_text(text)
    if count(text) <= limit:
        return text
    words = text.split(" ")
    kept = _most(len(words), lambda n: count(" ".join(words[:n]) + _MORE) <= limit)
    if kept:
        return " ".join(words[:kept]) + _MORE
    letters = _most(len(words[0]), lambda n: count(words[0][:n]) <= limit)
    return words[0][:letters]


def plan_pieces(header_cost: int, row_costs: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Cut rows into consecutive ranges such that header and rows of each cost at most ``limit``.

    A row that is over the limit with the header alone makes a range of its own.

    Args:
        header_cost: what the header costs in every piece.
        row_costs: what each row costs.
        limit: most a piece may cost.

    Returns:
        ``(start, stop)`` ranges into ``row_costs``, together all of it, each as long as possible.
    """
    pieces: list[tuple[int, int]] = []
    start, spent = 0, header_cost
    for index, cost in enumerate(row_costs):
        if index > start and spent + cost > limit:
            pieces.append((start, index))
            start, spent = index, header_cost
        spent += cost
    if start < len(row_costs):
        pieces.append((start, len(row_costs)))
    return pieces


def plan_pieces_simply(header_cost: int, row_costs: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """What :func:`plan_pieces` must return, by trying every length: its oracle in the tests."""
    pieces: list[tuple[int, int]] = []
    start = 0
    while start < len(row_costs):
        fitting = [
            stop
            for stop in range(start + 1, len(row_costs) + 1)
            if stop == start + 1 or header_cost + sum(row_costs[start:stop]) <= limit
        ]
        pieces.append((start, max(fitting)))
        start = max(fitting)
    return pieces


@dataclass(frozen=True, slots=True)
class _Writer:
    """What all pieces of one table have in common."""

    header: Sequence[str]
    short: Sequence[str]
    limit: int
    count: Count

    def piece(self, first: int, rows: Grid, plain: Grid) -> Piece:
        stop = first + len(rows)
        return Piece(first, stop, rows_markdown(self.header, rows), rows_plain(self.short, plain))

    def rows(self, first: int, rows: Grid, plain: Grid) -> list[Piece]:
        """One piece when it fits; the plan counts rows apart, which some tokenizers don't bear out."""
        piece = self.piece(first, rows, plain)
        if self.count(piece.plain) <= self.limit:
            return [piece]
        if len(rows) > 1:
            half = len(rows) // 2
            return [
                *self.rows(first, rows[:half], plain[:half]),
                *self.rows(first + half, rows[half:], plain[half:]),
            ]
        return self.parts(first, rows[0], plain[0])

    def parts(self, first: int, row: Sequence[str], plain: Sequence[str]) -> list[Piece]:
        """One row dealt over pieces. The Markdown says what the plain text says, so that none is doubled."""
        label = flat_text(plain[0])
        room = self.limit - self.count(rows_plain(self.short, ()))
        repeated = len(plain) > 1 and self.count(label) <= room // 4
        words = [
            (column, word)
            for column, cell in enumerate(plain)
            if not (repeated and column == 0)
            for word in cell.split()
        ]
        dealt: list[list[str]] = []
        while words:
            taken = self._fill(words, len(row), label if repeated else "")
            dealt.append(taken)
        return [
            Piece(
                first,
                first + 1,
                rows_markdown(self.header, [cells]),
                rows_plain(self.short, [cells]),
                number,
                len(dealt),
            )
            for number, cells in enumerate(dealt, 1)
        ]

    def _fill(self, words: list[tuple[int, str]], width: int, label: str) -> list[str]:
        """Take as many words as fit from the front of ``words``, at least a letter."""

        def fits(n: int) -> bool:
            return self.count(rows_plain(self.short, [_dealt(words[:n], width, label)])) <= self.limit

        taken = _most(len(words), fits)
        if taken:
            cells = _dealt(words[:taken], width, label)
            del words[:taken]
            return cells
        column, word = words[0]

        def letters_fit(n: int) -> bool:
            cells = _dealt([(column, word[:n])], width, label)
            return self.count(rows_plain(self.short, [cells])) <= self.limit

        letters = max(1, _most(len(word), letters_fit))
        words[0] = (column, word[letters:])
        if letters == len(word):
            del words[0]
        return _dealt([(column, word[:letters])], width, label)


def _dealt(words: Sequence[tuple[int, str]], width: int, label: str) -> list[str]:
    cells: list[list[str]] = [[] for _ in range(width)]
    if label:
        cells[0].append(label)
    for column, word in words:
        cells[column].append(word)
    return [" ".join(cell) for cell in cells]


def _most(size: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``size`` that fits, given that all smaller ones fit too; 0 when none does."""
    low, high = 0, 1
    while high <= size and fits(high):
        low, high = high, high * 2
    high = min(high, size + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
