"""The app under a scripted user: does its memory stay where it is after warm-up?

    python bench/soak.py --store FILE --benchmark longmemeval_s [--minutes 10]

One server, one browser after the other: each visitor opens a case, goes through all pages by the menu, steps the diffusion, and
leaves; the next one takes the next of five cases. Resident memory of the server is read after each visitor. Caches are bounded,
so it has to level off: compared are the means of the first and the last third of the readings after the warm-up (two rounds over
the five cases).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from shutil import which

from pages import IDLE, ROOT, click
from playwright.sync_api import Browser, sync_playwright

from workbench.store import open_store
from workbench.ui import navigation
from workbench.ui.context import STORE_VARIABLE

sys.path.append(str(ROOT / "tests" / "browser"))
CASES = 5
WARM_UP = 2 * CASES


def resident(process: int) -> float:
    """Resident memory in MiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def visit(browser: Browser, address: str, case: str) -> None:
    """One visitor goes through every page, and steps the diffusion."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/graph?benchmark={case.partition('/')[0]}&case={case}")
    page.wait_for_function(IDLE)
    for entry in navigation.in_order():
        click(page, entry)
        assert page.get_by_test_id("stException").count() == 0, entry.name
        if entry.name == "diffusion":
            for _ in range(5):
                page.keyboard.press("ArrowRight")
                page.wait_for_function(IDLE)
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    from conftest import FLAGS, _Servers  # the browser tests' own server and flags

    with open_store(options.store, read_only=True) as store:
        cases = [row.key for row in store.cases.list(options.benchmark)][:CASES]
    readings: list[float] = []
    with tempfile.TemporaryDirectory() as folder, _Servers(Path(folder)) as servers, sync_playwright() as driver:
        address = servers.start(ROOT / "app.py", **{STORE_VARIABLE: str(options.store)})
        end = time.monotonic() + 60 * options.minutes
        while time.monotonic() < end:
            browser = driver.chromium.launch(executable_path=which("chromium"), args=FLAGS)
            visit(browser, address, cases[len(readings) % len(cases)])
            browser.close()
            readings.append(resident(servers.running[0].pid))
            print(f"visitor {len(readings)}: {readings[-1]:.0f} MiB", flush=True)
    warm = readings[WARM_UP:]
    if len(warm) < 6:
        raise SystemExit(f"{len(readings)} visitors in {options.minutes} minutes: too few after a warm-up of {WARM_UP}")
    first, last = statistics.mean(warm[: len(warm) // 3]), statistics.mean(warm[-(len(warm) // 3) :])
    print(
        f"{len(readings)} visitors; after the warm-up {first:.0f} MiB at first, {last:.0f} MiB at last: {last / first - 1:+.1%}"
    )


if __name__ == "__main__":
    main()
