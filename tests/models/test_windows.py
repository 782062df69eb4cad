"""Windows over a long page: every token once, each with context."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mmrag.models.builtin.windows import Window, windows


def test_what_fits_is_one_window() -> None:
    assert windows(np.arange(100), 100, 16) == [Window(0, 100, 0, 100)]
    assert windows(np.arange(0), 100, 16) == []


def test_windows_are_even_and_share_context() -> None:
    assert windows(np.arange(200), 120, 16) == [
        Window(0, 82, 0, 66),
        Window(50, 149, 66, 133),
        Window(117, 200, 133, 200),
    ]


def test_a_cut_moves_to_the_start_of_a_word() -> None:
    words = np.repeat(np.arange(60), 4)  # words of four tokens, cuts wanted at 80 and 160
    assert [w.first for w in windows(words, 150, 16)] == [0, 80, 160]
    words = np.repeat(np.arange(41), 6)[:240]
    assert [w.first for w in windows(words, 150, 16)] == [0, 78, 162]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=120), st.integers(70, 254), st.integers(1, 17))
def test_every_token_is_kept_once_and_no_window_is_too_long(
    lengths: list[int], size: int, margin: int
) -> None:
    words = np.repeat(np.arange(len(lengths)), lengths)
    made = windows(words, size, margin)
    assert [i for w in made for i in range(w.first, w.last)] == list(range(len(words)))
    assert all(w.stop - w.start <= size for w in made)
    for one, other in pairwise(made):
        assert one.stop - one.last == min(margin, len(words) - one.last)
        assert other.first - other.start == min(margin, other.first)
