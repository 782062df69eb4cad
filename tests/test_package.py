"""What goes into the wheel and the source distribution, and that the project's lists agree."""

from __future__ import annotations

import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

TOP = Path(__file__).resolve().parent.parent
DEMO = {"annual-report-2024.pdf", "fleet-renewal-deck.pdf", "leave-letter-scan.pdf"}


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    return tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(TOP)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    code = {name for name in names if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in code} == {"mmrag"}
    assert {f"mmrag/demo/documents/{name}" for name in DEMO} <= code
    assert {
        "mmrag/py.typed",
        "mmrag/models/builtin/encoder.onnx",
        "mmrag/models/builtin/tokenizer.json",
    } <= code
    assert {path.suffix for path in map(Path, code)} <= {".py", ".typed", ".onnx", ".json", ".pdf"}
    on_disk = {path.relative_to(TOP).as_posix() for path in (TOP / "mmrag").rglob("*.py")}
    assert {name for name in code if name.endswith(".py")} == on_disk
    assert {name.partition("/")[2] for name in names - code} >= {"licenses/LICENSE", "licenses/NOTICE"}


def test_source_distribution_carries_no_links(tmp_path: Path) -> None:
    (sdist,) = SdistBuilder(str(TOP)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert not [member.name for member in members if member.issym() or member.islnk()]
    tops = {Path(member.name).parts[1] for member in members}
    assert tops == {
        "mmrag",
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "NOTICE",
        "PKG-INFO",
        ".gitignore",
    }


def test_core_stays_light(project: dict[str, object]) -> None:
    core = " ".join(project["dependencies"])  # type: ignore[arg-type]
    for heavy in ("torch", "transformers", "openvino", "sentence-transformers", "gradio"):
        assert heavy not in core
    assert "pymupdf>=1.26,<2" in core


def test_extras(project: dict[str, object]) -> None:
    extras = project["optional-dependencies"]
    assert set(extras) == {"colpali", "serve", "test", "all"}  # type: ignore[call-overload]
    assert "colpali-engine>=0.3.18" in extras["colpali"]  # type: ignore[index]
    assert extras["all"] == ["mmrag[colpali,serve]"]  # type: ignore[index]
