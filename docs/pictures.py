"""Makes the pictures of the README and the documentation: python docs/pictures.py, or make pictures.

Each game's board comes from one of its golden games; the table in the browser is a screenshot taken in Chromium.
"""

import shutil
import socket
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from playwright.sync_api import sync_playwright

import backroom
from backroom.server.http.app import make
from backroom.server.services import Services, Settings

FOLDER = Path(__file__).parent / "pictures"
SHOWN = {
    "run": ("must-open", 111),
    "runaway-train": ("six-seats", 80),
    "rummy-runners": ("four", 140),
    "booze-barons": ("seven-nerve", 130),
    "rum-run": ("two-first", 150),
}
"""For each game, the name of a golden game and the number of its lines to replay before drawing."""
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-headless-shell",
)


def board(name: str) -> str:
    """The board as a spectator sees it in the middle of a golden game."""
    golden, lines = SHOWN[name]
    game = backroom.game(name)
    table = backroom.replay(game.folder / "tests" / "golden" / f"{golden}.log")
    v = game.view(table.state_at(min(lines, len(table.lines))), backroom.SPECTATOR)
    return str(game.rules.draw(v, backroom.SPECTATOR).svg())


def photograph(path: Path, game: str, width: int = 1280, height: int = 800) -> None:
    """A table in the browser, in the middle of a game against a bot."""
    with TemporaryDirectory() as folder:
        listener = socket.create_server(("127.0.0.1", 0))
        app = make(Services(Settings(str(Path(folder) / "tables.db"), bot_pace=0.0, warm=False)))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        chromium = next(filter(None, map(shutil.which, BROWSERS)))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/")
            page.request.post(f"{page.url}me", form={"what": "guest", "guest": "Ann"})
            page.goto(f"{page.url}")
            form = {"game": game, "seat-0": "me", "seat-1": "medium"}
            answer = page.request.post(f"{page.url}tables", form=form)
            page.goto(answer.url)
            page.wait_for_timeout(2500)
            page.screenshot(path=path)
            browser.close()
        server.should_exit = True
        thread.join(10)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in SHOWN:
        (FOLDER / f"{name}.svg").write_text(board(name), "utf-8")
        print(f"docs/pictures/{name}.svg")
    photograph(FOLDER / "table.png", "run")
    print("docs/pictures/table.png")


if __name__ == "__main__":
    main()
