"""The tables of a running server, for agents: the same tools, over the server's HTTP API.

Each seat that an agent takes is a guest of the server, and its key is that guest's token. The server decides what a
seat sees and may do; the picture and hints are made here, from the view that it sends.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from backroom.bots import bots_of, hint, judge_of
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.protocol import Seat, State
from backroom.mcp.tables import EFFORT, advice

PATIENCE = 10.0
"""Most seconds that a move waits for the bots' answers."""
PAUSE = 0.05
"""Seconds between two checks for the bots' answers."""
TIMEOUT = 60.0


class RemoteTables:
    """The interface of `Tables`, for the tables of a running server."""

    def __init__(self, url: str) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise BadOption(f"a server's address begins with http:// or https://, not {url!r}")
        self._url = url.rstrip("/")
        self._games: dict[str, str] = {}
        self._own = ""
        self.games()

    def games(self) -> list[dict[str, Any]]:
        """The games of the server."""
        return [
            {
                "game": told["name"],
                "title": told["title"],
                "about": registry.game(told["name"]).summary,
                "seats": told["seats"],
                "options": {option["name"]: f"{option['values']}. {option['says']}" for option in told["options"]},
                "bots": bots_of(registry.game(told["name"])),
            }
            for told in self._call("/api/games")
            if told["name"] in registry.names()
        ]

    def listed(self) -> list[dict[str, Any]]:
        """The public tables, and their free seats."""
        return [
            {
                "table": told["id"],
                "game": told["game"],
                "free_seats": [seat for seat, name in enumerate(told["seats"]) if not name],
                "over": told["stage"] == "over",
            }
            for told in self._call("/api/tables")
        ]

    def make(self, game: str, seats: int | None, bots: Mapping[int, str], options: Mapping[str, str]) -> dict[str, Any]:
        """Make a public table, with bots in some seats. The game begins when all seats are taken."""
        count, settled = registry.game(game).settle(seats, options)
        wanted = {"game": game, "seats": count, "options": dict(options), "rated": False, "sit": None}
        bodies = {str(seat): name for seat, name in bots.items()}
        table = self._call("/api/tables", self._token, {**wanted, "bots": bodies})["table"]
        self._games[table] = game
        free = [seat for seat in range(count) if seat not in bots]
        return {"table": table, "seats": count, "options": settled, "free_seats": free, "page": self._page(table)}

    def sit(self, name: str, seat: int | None) -> dict[str, Any]:
        """Take a free seat as a new guest; the key is the guest's token."""
        key = self._guest()
        where = self._call(f"/api/tables/{quoted(name)}/seats", key, {} if seat is None else {"seat": seat})["seat"]
        game = self._game(name)
        return {"table": name, "seat": where, "called": game.seat_name(where), "key": key, "page": self._page(name)}

    def look(self, name: str, key: str | None) -> dict[str, Any]:
        """The question, view and moves of a seat; without a key, the spectators' view."""
        return self._seen(self._game(name), self._decision(name, key))

    def move(self, name: str, key: str, move: str) -> dict[str, Any]:
        """Play a move by its name, and wait for the bots; returns what `look` returns then."""
        now = self._decision(name, key)
        sent = {"name": move, "ask": now["ask"], "key": f"{now['n']}-{move}"[:64]}
        self._call(f"/api/tables/{quoted(name)}/moves", key, sent)
        until = time.monotonic() + PATIENCE
        while True:
            now = self._decision(name, key)
            if now["asked"] or now["stage"] == "over" or time.monotonic() > until:
                return self._seen(self._game(name), now)
            time.sleep(PAUSE)

    def why_not(self, name: str, key: str, move: str) -> str:
        """Why a move is refused, with the §."""
        asked = urllib.parse.urlencode({"move": move})
        told: str = self._call(f"/api/tables/{quoted(name)}/why?{asked}", key)["why"]
        return told or f"{move} can be played"

    def hint(self, name: str, key: str) -> list[dict[str, Any]]:
        """The best moves according to our strongest bot, which runs here on the view that the server sends."""
        game, now = self._game(name), self._decision(name, key)
        seat = now["seat"]
        if not now["moves"] or seat is None:
            raise BadOption("you have no move now: it is for others to answer, or the game is over")
        v = view_of(game, now["view"])
        return advice(game, v, seat, hint(game, judge_of(game, EFFORT), v, seat))

    def log(self, name: str, key: str | None) -> str:
        """The log with what the seat, or a spectator, has seen; complete when the game is over."""
        return str(self._call(f"/tables/{quoted(name)}/log", key or self._token, is_text=True))

    def _seen(self, game: Game, now: dict[str, Any]) -> dict[str, Any]:
        seat: Seat = SPECTATOR if now["seat"] is None else now["seat"]
        found: dict[str, Any] = {
            "question": now["question"],
            "asked": now["asked"],
            "position": now["position"],
            "over": now["stage"] == "over",
        }
        if now["view"] is not None:
            found["picture"] = game.rules.draw(view_of(game, now["view"]), seat).text()
        if seat != SPECTATOR:
            found["called"] = game.seat_name(seat)
            found["moves"] = [{"name": move["name"], "label": move["label"]} for move in now["moves"]]
        if now["score"] is not None:
            found["score"] = {game.seat_name(other): result for other, result in enumerate(now["score"])}
        return found

    def _decision(self, name: str, key: str | None) -> dict[str, Any]:
        found: dict[str, Any] = self._call(f"/api/tables/{quoted(name)}/decision", key or self._token)
        return found

    def _game(self, name: str) -> Game:
        if name not in self._games:
            self._games |= {told["id"]: told["game"] for told in self._call("/api/tables")}
        if name not in self._games:
            raise BadOption(f"there is no public table {name!r}; list_tables says which there are")
        return registry.game(self._games[name])

    def _page(self, name: str) -> str:
        """The address of the table's page for people."""
        return f"{self._url}/tables/{quoted(name)}"

    @property
    def _token(self) -> str:
        """The token of the guest that makes tables and watches."""
        self._own = self._own or self._guest()
        return self._own

    def _guest(self) -> str:
        token: str = self._call("/api/guests", message={"name": "Agent"})["token"]
        return token

    def _call(self, path: str, token: str = "", message: Any = None, is_text: bool = False) -> Any:
        """Send a request to the server; a refusal becomes a BadOption with the server's message."""
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        body = None if message is None else json.dumps(message).encode()
        request = urllib.request.Request(self._url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refusal:
            raise BadOption(sentence(refusal)) from None
        except (urllib.error.URLError, TimeoutError) as error:
            raise BadOption(f"there is no answer from {self._url}: {getattr(error, 'reason', error)}") from None
        return text if is_text else json.loads(text)


def sentence(refusal: urllib.error.HTTPError) -> str:
    """The server's message in a refusal."""
    said = refusal.read()
    if refusal.code == HTTPStatus.UNAUTHORIZED:
        return "this is not the key of a seat; sit gives one"
    try:
        return str(json.loads(said)["why"])
    except (ValueError, KeyError, TypeError):
        return f"the server answers {refusal.code} {refusal.reason}"


def quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def in_words(game: Game, text: str) -> str:
    return plain(text, game.rules.SEAT_NAMES)


def view_of(game: Game, told: Mapping[str, Any]) -> State:
    """A view made from its named numbers."""
    v = game.blank()
    for name, value in told.items():
        v[name] = value
    return v
