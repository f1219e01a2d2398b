"""A table's page in Chromium: bytes transferred, and latency of interactions on a slow phone.

    python bench/page.py [GAME ...] [--moves 15] [--json FILE]

Each game has its largest number of seats, one person and bots, on an emulated phone with a processor four times slower.
At most 120 KB, compressed, may be transferred until the page is ready. Interaction to next paint, as browsers report
it, may be 100 ms at p95, with the pauses of somebody who looks first. Needs Chromium, Playwright and an idle machine.
"""

import argparse
import json
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
import structlog
from playwright.sync_api import Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from rich.console import Console
from rich.table import Table

import backroom

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from serving import served

BARS = {"page KB": 120.0, "interaction ms p95": 100.0}
SLOWER = 4
PHONE = {"width": 390, "height": 844}
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chromium-headless-shell")
WATCH = """() => {
  window.interactions = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId) interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) || 0));
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
}"""
MOVES = "[data-moves] button[data-name], [data-moves] .many"
BUTTON = """() => {
  for (const button of document.querySelectorAll("[data-moves] button[data-name]")) {
    const { left, right, top, bottom, width } = button.getBoundingClientRect();
    if (width && left >= 0 && right <= innerWidth) return [(left + right) / 2, (top + bottom) / 2];
  }
}"""
"""Script that returns the position of the first move that can be pressed without scrolling."""
LOOKS, PRESSES = 200, 70
"""Milliseconds between seeing and acting, and for which a key or a button is held."""
FOUND = "() => new Promise((wake) => setTimeout(() => wake([...interactions.values()]), 300))"


def measure(page: Page, url: str, game: backroom.Game, moves: int) -> dict[str, float]:
    """Measure one game's page: its size, and its interactions over some moves."""
    web = httpx.Client(base_url=url, timeout=60)
    web.post("/me", data={"what": "guest", "guest": "Ann"})
    form = {"game": game.name, "seats": str(max(game.seats))} | {f"seat-{n}": "random" for n in range(1, 14)}
    table = web.post("/tables", data=form).headers["location"]
    page.context.clear_cookies()
    page.context.add_cookies([{"name": "backroom", "value": web.cookies["backroom"], "url": url}])
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send("Network.clearBrowserCache")
    bytes_in: list[float] = []
    wire.on("Network.loadingFinished", lambda event: bytes_in.append(event["encodedDataLength"]))
    page.goto(url + table)
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.wait_for_load_state("load")
    weight = sum(bytes_in)
    wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.evaluate(WATCH)
    for _ in range(moves):
        try:
            page.wait_for_selector(MOVES, state="attached", timeout=8000)
        except PlaywrightTimeout:
            break  # the game is over, or another player thinks for long
        page.wait_for_timeout(LOOKS)
        lit = page.locator(".piece.lit").first
        if lit.count():
            lit.focus()
            page.wait_for_timeout(LOOKS)
            page.keyboard.press("Enter", delay=PRESSES)
            page.wait_for_timeout(LOOKS)
        if at := page.evaluate(BUTTON):
            page.mouse.move(*at)
            page.wait_for_timeout(LOOKS)
            page.mouse.down()
            page.wait_for_timeout(PRESSES)
            page.mouse.up()
        page.wait_for_timeout(LOOKS)
    found = sorted(page.evaluate(FOUND)) or [0.0]
    wire.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    wire.detach()
    return {
        "page KB": weight / 1024,
        "interactions": float(len(found)),
        "interaction ms p95": found[min(len(found) - 1, len(found) * 95 // 100)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Weigh a table's page, and time how soon it answers a finger.")
    parser.add_argument("games", nargs="*", default=list(backroom.names()))
    parser.add_argument("--moves", type=int, default=15)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    chromium = os.environ.get("BACKROOM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    found: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "t.db", bot_pace=0.05) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(viewport=PHONE, has_touch=True).new_page()
        for name in chosen.games:
            found[name] = measure(page, server.url, backroom.game(name), chosen.moves)
        browser.close()
    report = Table("game", *next(iter(found.values())))
    for name, numbers in found.items():
        report.add_row(name, *(f"{number:.1f}" for number in numbers.values()))
    Console().print(report)
    if chosen.json:
        chosen.json.write_text(json.dumps({"bars": BARS, "found": found}, indent=2))
    over = [f"{name}: {bar}" for name in found for bar in BARS if found[name][bar] > BARS[bar]]
    if over:
        raise SystemExit(f"over the bar: {', '.join(over)}")


if __name__ == "__main__":
    main()
