"""Tables that no rules close in: found by how their words stand, with what rules there are."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.rulings import Rulings, longest
from mmrag.ingest.tables.unruled.blocks import blocks_of, frames_of
from mmrag.ingest.tables.unruled.build import draft_of, table_of
from mmrag.ingest.tables.unruled.joining import joined
from mmrag.ingest.tables.unruled.judge import is_table_draft, trimmed
from mmrag.ingest.tables.unruled.prose import prose_words
from mmrag.ingest.tables.unruled.regions import MOST_RULES, is_open, read_region
from mmrag.ingest.tables.unruled.runs import rows_of, space_of
from mmrag.ingest.tables.unruled.stacks import parted
from mmrag.ingest.text.captions import FIGURE, TABLE, find_caption
from mmrag.ingest.text.lines import Line, inside
from mmrag.records import Box, Table, Word

__all__ = ["find_unruled", "is_open", "read_region"]


def find_unruled(
    words: Sequence[Word], lines: Sequence[Line], rulings: Rulings, taken: Sequence[Box] = ()
) -> list[Table]:
    """Tables of a page from top to bottom.

    Args:
        words: the page's words.
        lines: the same as lines, for captions.
        rulings: the rules drawn.
        taken: places of tables that are known.
    """
    rulings = longest(rulings, MOST_RULES)
    free = [i for i, word in enumerate(words) if not any(inside(word.box, box) for box in taken)]
    if len(free) < 4:
        return []
    space = space_of(words)
    rows = rows_of(words, free, space)
    prose = prose_words(rows, words)
    left = [i for i in free if i not in prose]
    if prose:
        rows = rows_of(words, left, space)
    if sum(len(row.runs) > 1 for row in rows) < 2:
        return []
    frames = frames_of(rulings.levels, rows, [words[i].box for i in sorted(prose)], words)
    found: list[Table] = []
    for block in joined(blocks_of(rows, frames, words), words, rulings, space):
        rest = trimmed(block, rulings, words)
        draft = draft_of(rest, words, rulings, space) if len(rest) > 1 else None
        if draft is None:
            continue
        caption, _ = find_caption(draft.box, lines, TABLE, below_first=False)
        # Labels of a drawing stand in rows and columns too.
        figure = "" if caption else find_caption(draft.box, lines, FIGURE, below_first=True)[0]
        if figure or not is_table_draft(draft, rulings, caption):
            continue
        drafts = [draft_of(part, words, rulings, space) for part in parted(draft)]
        if len(drafts) == 1 or None in drafts:
            drafts = [draft]
        found.extend(table_of(part, words, rulings, caption) for part in drafts if part is not None)
    return found
