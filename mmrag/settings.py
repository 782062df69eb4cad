"""One settings tree. Later ones win: the defaults, ``MMRAG_*``, ``mmrag.toml``, arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from mmrag.errors import SettingsError

Weight = Annotated[float, Field(ge=0.0, le=1.0)]


# Variables of the same prefix that are no settings: where the settings file is, and scripts/setup's own.
_OTHER_VARIABLES = frozenset({"MMRAG_CONFIG", "MMRAG_VENV"})


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReadSettings(_Part):
    """How files become pages."""

    long_side: int = Field(1600, ge=256, le=8192, description="stored page image, long side in pixels")
    dpi: int = Field(150, ge=36, le=600, description="rendering resolution before the long side caps it")
    max_pixels: int = Field(16_000_000, ge=65_536, description="pixels a page may be rendered to")
    webp_quality: int = Field(75, ge=1, le=100)
    ocr: Literal["auto", "off", "always"] = Field(
        "auto", description="auto: where the text layer is not sound"
    )
    tables: bool = Field(True, description="look for tables")
    page_seconds: int = Field(60, ge=5, le=3600, description="longest a page may take before it is given up")
    convert_seconds: int = Field(
        180, ge=10, le=3600, description="longest LibreOffice may take to turn a file into pages"
    )


class ChunkSettings(_Part):
    """How pages become passages."""

    tokens: int = Field(160, ge=32, le=480, description="most tokens a passage may hold")
    overlap: int = Field(20, ge=0, le=128, description="tokens of the last passage repeated in the next")


class FusionWeights(_Part):
    """Weights of the legs in the weighted min-max sum."""

    page: Weight = 0.5
    text: Weight = 0.1
    bm25: Weight = 0.4

    @model_validator(mode="after")
    def _one_counts(self) -> FusionWeights:
        if not self.page + self.text + self.bm25:
            raise ValueError("at least one weight must be above 0")
        return self


class SearchSettings(_Part):
    """How a question finds pages."""

    k: int = Field(10, ge=1, le=1000, description="pages returned")
    candidates: int = Field(200, ge=10, le=10_000, description="pages each leg hands to fusion")
    fusion: Literal["rrf", "minmax"] = "minmax"
    rrf_k: int = Field(60, ge=1)
    weights: FusionWeights = FusionWeights()
    language: str = Field("English", description="stemming and stop words of the full-text index")
    page_cache_mb: int = Field(1024, ge=0, description="page vectors kept in memory between questions")


class AnswerSettings(_Part):
    """How evidence becomes an answer."""

    pages: int = Field(5, ge=1, le=50, description="pages of evidence")
    sentences: int = Field(3, ge=1, le=20, description="most quotes in an extractive answer")
    threshold: float = Field(0.2, ge=0.0, le=1.0, description="confidence below which mmrag abstains")


class Settings(BaseSettings):
    """The whole tree. Build it with :meth:`load`; ``Settings()`` alone reads the environment too."""

    model_config = SettingsConfigDict(
        env_prefix="MMRAG_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    library: Path = Field(Path("mmrag-library"), description="folder of the library")
    embedder: str = Field("builtin", description="page embedder: builtin")
    workers: int = Field(0, ge=0, le=256, description="processes that read pages; 0: one a core")
    read: ReadSettings = ReadSettings()
    chunk: ChunkSettings = ChunkSettings()
    search: SearchSettings = SearchSettings()
    answer: AnswerSettings = AnswerSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments over ``mmrag.toml`` over the environment."""
        named = os.environ.get("MMRAG_CONFIG")
        toml = Path(named or "mmrag.toml")
        if named and not toml.is_file():
            raise SettingsError(
                "there is no such file",
                where=f"MMRAG_CONFIG={named}",
                remedy="Mend the path or unset the variable.",
            )
        return init_settings, TomlConfigSettingsSource(settings_cls, toml), env_settings

    @classmethod
    def load(cls, arguments: dict[str, Any] | None = None) -> Settings:
        """Read the environment, then ``mmrag.toml`` (or the file MMRAG_CONFIG names), then ``arguments``.

        Raises:
            SettingsError: names the setting that is unknown or out of range.
        """
        _check_environment(cls)
        try:
            return cls(**(arguments or {}))
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            unknown = first["type"] == "extra_forbidden"
            raise SettingsError(
                "there is no such setting" if unknown else f"{first['msg']} (got {first.get('input')!r})",
                where=f"setting {name}",
                remedy="See docs/settings.md for the settings and their ranges.",
            ) from error
        except (OSError, ValueError) as error:
            raise SettingsError(
                str(error), where="mmrag.toml", remedy="Mend the file or point MMRAG_CONFIG at another."
            ) from error


def _check_environment(settings: type[BaseSettings]) -> None:
    """A misspelt variable must not be passed over in silence, as the settings library does.

    Raises:
        SettingsError: names the first variable that begins like a setting and is none.
    """
    for name in sorted(os.environ):
        if not name.startswith("MMRAG_") or name in _OTHER_VARIABLES:
            continue
        first = name.removeprefix("MMRAG_").partition("__")[0].lower()
        if first not in settings.model_fields:
            raise SettingsError(
                "there is no such setting", where=name, remedy="See docs/settings.md for the settings."
            )
