"""Models: what turns pages, texts and questions into vectors. Knows nothing of files or of the index."""

from __future__ import annotations

from collections.abc import Callable

from mmrag.errors import UnknownModel
from mmrag.models.protocols import Embedder

__all__ = ["Embedder", "load_embedder"]


def _builtin() -> Embedder:
    # Imported on use: onnxruntime takes 0.2 s that commands which embed nothing shouldn't pay.
    from mmrag.models.builtin.embedder import BuiltinEmbedder

    return BuiltinEmbedder()


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"builtin": _builtin}


def load_embedder(name: str) -> Embedder:
    """The embedder of that name, ready to use.

    Raises:
        UnknownModel: there is none; the message lists those there are.
        ModelFileError: its files are missing or are not the published ones.
    """
    try:
        make = EMBEDDERS[name]
    except KeyError:
        known = ", ".join(sorted(EMBEDDERS))
        raise UnknownModel(
            f"there is no embedder {name!r}", where="setting embedder", remedy=f"Use one of: {known}."
        ) from None
    return make()
