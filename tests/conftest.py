"""What all tests share: where real benchmark data lies, and the rule that it may not be skipped in silence."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are shared and noisy: how long an example takes says nothing about the code.
settings.register_profile("workbench", deadline=None)
settings.load_profile("workbench")

ROOT = Path(__file__).resolve().parent.parent


def data_folder() -> Path | None:
    """The folder with real benchmark data: ``$WORKBENCH_DATA``, or ``../shared/data`` beside the project."""
    named = os.environ.get("WORKBENCH_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the real data is present, a test that needs it may not skip."""
    report = yield
    if report.skipped and "real_data" in getattr(item, "fixturenames", ()) and data_folder() is not None:
        report.outcome = "failed"
        report.longrepr = f"skipped although {data_folder()} is present: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _main_module_stays() -> Iterator[None]:
    """Streamlit puts a page's script in the place of the main module, which processes that start later would import."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The real data's folder; the test skips where there is none, and fails later if a named file is missing in it."""
    folder = data_folder()
    if folder is None:
        pytest.skip("no real benchmark data: set WORKBENCH_DATA or put it at ../shared/data")
    return folder


@pytest.fixture(scope="session")
def demo_folder() -> Path:
    return ROOT / "data" / "demo"


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory, demo_folder: Path) -> Path:
    """A store with all demo cases under the offline extractor; tests that write take a copy."""
    from workbench.datasets.read import read
    from workbench.extract.base import extractors
    from workbench.ingest import ingest

    path = tmp_path_factory.mktemp("demo") / "demo.duckdb"
    ingest([(str(demo_folder), read(demo_folder))], path, extractors["rules"]())
    return path


@pytest.fixture
def own_demo_store(demo_store: Path, tmp_path: Path) -> Path:
    """A copy of the demo store that the test may write to."""
    return Path(shutil.copy(demo_store, tmp_path / "own.duckdb"))
