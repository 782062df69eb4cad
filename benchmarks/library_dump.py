"""All that a library's tables and pictures hold, so that two libraries can be compared to the bit."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mmrag.index.schema import CHUNKS, DOCUMENTS, FILES, PAGES, VECTORS
from mmrag.index.store import Store

# When a document was added, and how long a page took, are no part of what it says.
PASSING = frozenset({"added", "seconds", "seen"})
PLACES = {PAGES: ("page",), CHUNKS: ("order",), VECTORS: ("page",)}

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Dump:
    """``documents``, ``files``: a row each by key. ``rows``: for each document's key its rows by table and
    place, with how often each stands there. ``pictures``: digest by document's key and file name.
    """

    documents: Mapping[str, str]
    files: Mapping[str, str]
    rows: Mapping[str, Counter[Row]]
    pictures: Mapping[str, Mapping[str, str]]
    strays: tuple[str, ...]

    def of(self, key: str) -> tuple[Any, ...]:
        """Rows and pictures of one document."""
        return self.rows.get(key, Counter()), self.pictures.get(key, {})

    def doubled(self, keys: Iterable[str]) -> int:
        """Rows of these documents that stand more than once at their place."""
        total = 0
        for key in keys:
            places = Counter[tuple[Any, ...]]()
            for row, count in self.rows.get(key, Counter()).items():
                places[row[:2]] += count
            total += sum(count - 1 for count in places.values())
        return total


def dump(store: Store) -> Dump:
    """Everything, whether it is to be seen or not; what belongs to no document is named in ``strays``."""
    listed = store.table(DOCUMENTS).to_arrow().to_pylist()
    # Read again, a document's rows are under another key than at first: they are told by the document's own.
    owner = {row["rows"]: row["key"] for row in listed}
    rows: dict[str, Counter[Row]] = {row["key"]: Counter() for row in listed}
    strays = []
    for name, place in PLACES.items():
        for row in store.table(name).to_arrow().to_pylist():
            key = owner.get(row["key"])
            if key is None:
                strays.append(f"{name} {row['key']}")
            else:
                rows[key][(name, tuple(row[part] for part in place), digest(row))] += 1
    pictures: dict[str, dict[str, str]] = {}
    for path in sorted(store.images.rglob("*.webp")) if store.images.is_dir() else []:
        key = owner.get(path.parent.name)
        if key is None:
            strays.append(f"picture {path.parent.name}/{path.name}")
        else:
            pictures.setdefault(key, {})[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return Dump(
        documents={row["key"]: digest(row, "rows") for row in listed},
        files={row["key"]: digest(row) for row in store.table(FILES).to_arrow().to_pylist()},
        rows=rows,
        pictures=pictures,
        strays=tuple(sorted(strays)),
    )


def differences(one: Dump, other: Dump) -> list[str]:
    """What differs between two dumps, in words; nothing when they are equal."""
    found = [
        f"{which}: {stray}" for which, held in (("first", one), ("second", other)) for stray in held.strays
    ]
    for name, left, right in (
        ("documents", one.documents, other.documents),
        ("files", one.files, other.files),
    ):
        found += [f"{name}: {key}" for key in sorted({*left, *right}) if left.get(key) != right.get(key)]
    for key in sorted({*one.rows, *other.rows}):
        left_rows, left_pictures = one.of(key)
        right_rows, right_pictures = other.of(key)
        lacking, surplus = left_rows - right_rows, right_rows - left_rows
        found += [f"{key}: only in the first {row[:2]}" for row in lacking]
        found += [f"{key}: only in the second {row[:2]}" for row in surplus]
        if left_pictures != right_pictures:
            found.append(f"{key}: pictures")
    return found


def digest(row: Mapping[str, Any], *beside: str) -> str:
    """The row's content but for its key and what passes; vectors count to the last bit."""
    held = {
        name: value for name, value in row.items() if name not in PASSING and name not in ("key", *beside)
    }
    text = json.dumps(held, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
