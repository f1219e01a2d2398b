"""The HTTP API: the example bot plays every game, and the server keeps to its own description."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance
from serving import GAMES, TOY, Guest, game_of, news

from backroom.bots import bots_of
from backroom.engine.phrases import listing
from backroom.server import errors as refusals
from backroom.server.errors import Refused
from backroom.server.http import api, bodies, direct, errors, limits
from backroom.server.http.api import ABOUT
from backroom.server.tables import actions, timeouts

BOT = Path(__file__).parents[2] / "docs" / "bot.py"
SEED = 0
SEEDED = f"import random, runpy, sys; random.seed({SEED}); sys.argv.pop(0); runpy.run_path(sys.argv[0])"
"""Runs the example with dice from this seed."""


@pytest.mark.parametrize("name", GAMES)
def test_the_example_bot_plays_any_game(server, name):
    """The example bot makes a table, copies of it sit down, and they play to the end."""
    seats = game_of(name).seats[0]
    words = [sys.executable, "-c", SEEDED, str(BOT), server.url]
    first = subprocess.Popen([*words, name], stdout=subprocess.PIPE, text=True)
    table = first.stdout.readline().split("/")[-1].strip()
    others = [subprocess.Popen([*words, table], stdout=subprocess.PIPE, text=True) for _ in range(seats - 1)]
    said = [child.communicate(timeout=120)[0] for child in (first, *others)]
    assert all("over: [" in text for text in said), said
    assert len({text.split("over: ")[1] for text in said}) == 1


def test_the_example_bot_waits_when_it_was_too_quick(server, monkeypatch):
    """The first request of each for something comes too soon, as it may at a quick table."""
    refused, take = [], server.services.limits.take

    def take_or_refuse(what, who):
        if what == "look" and who not in refused:
            refused.append(who)
            raise Refused("that was too often; wait a moment", 429, "too-often")
        take(what, who)

    monkeypatch.setattr(server.services.limits, "take", take_or_refuse)
    words = [sys.executable, "-c", SEEDED, str(BOT), server.url]
    first = subprocess.Popen([*words, TOY], stdout=subprocess.PIPE, text=True)
    table = first.stdout.readline().split("/")[-1].strip()
    others = [subprocess.Popen([*words, table], stdout=subprocess.PIPE, text=True)]
    said = [child.communicate(timeout=120)[0] for child in (first, *others)]
    assert all("over: [" in text for text in said), said
    assert len(refused) >= 2


def test_the_example_is_short():
    code = [line for line in BOT.read_text().splitlines() if line and not line.startswith(('"""', "import"))]
    assert len(code) <= 24


def test_a_program_s_life(server):
    ann = Guest.program(server.url, "Ann")
    assert ann.web.get("/api/games").json()[0]["options"] is not None
    made = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()
    table = made["table"]
    with ann.listening(table, api=True) as messages:
        first = news(messages)
        assert first["asked"]
        now = ann.decision(table)
        assert now["view"]["seats"] == 2
        assert "work" not in now["view"]
        assert now["position"]
        answer = ann.web.post(f"/api/tables/{table}/moves", json={"name": now["moves"][0]["name"], "ask": now["ask"]})
        assert answer.status_code == 200
        found = news(messages)
        if found["lines"][0]["seat"] == 1:  # both choose at once, and the bot was faster
            found = news(messages)
        assert found["lines"][0] | {"says": ""} == {"seat": 0, "move": now["moves"][0]["name"], "says": ""}
    assert ann.web.request("DELETE", f"/api/tables/{table}/seats").json()["ok"]


def test_streams_go_on_where_they_stopped(server):
    ann = Guest.program(server.url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "sit": 0}).json()["table"]
    with ann.listening(table, api=True) as messages:
        since = news(messages)["n"]
    ann.do(table, "say", text="one")
    ann.do(table, "say", text="two")
    with ann.listening(table, since, api=True) as messages:
        assert [news(messages)["notes"][0]["text"] for _ in range(2)] == ["one", "two"]


def test_streams_give_signs_of_life(server):
    """A stream sends heartbeats, so that proxies do not close it."""
    ann = Guest.program(server.url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "sit": 0}).json()["table"]

    async def beat():
        server.services.tables.live[table].beat()

    with ann.web.stream("GET", f"/api/tables/{table}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "retry: 1000"
        server.do(beat())
        assert any(line.startswith(":") for line in lines)


@pytest.mark.parametrize(("path", "message", "code"), [
    ("/api/guests", {"name": ""}, 422),
    ("/api/guests", {"name": "greedy"}, 422),
    ("/api/tables", {"game": "nothing"}, 422),
    ("/api/tables", {"game": TOY, "seats": 9}, 422),
    ("/api/tables", {"game": TOY, "sit": 5}, 422),
    ("/api/tables", {"game": TOY, "bots": {"1": "nobody"}}, 422),
    ("/api/tables", {"game": TOY, "options": {"x": "y"}}, 422),
    ("/api/tables/none/seats", {}, 404),
    ("/api/tables/none/moves", {"name": "x"}, 404),
])  # fmt: skip
def test_what_cannot_be_done_is_said(server, path, message, code):
    ann = Guest.program(server.url, "Ann")
    answer = ann.web.post(path, json=message)
    assert answer.status_code == code, answer.text


def test_programs_are_told_which_bots_there_are(server):
    ann = Guest.program(server.url, "Ann")
    told = {game["name"]: game["bots"] for game in ann.web.get("/api/games").json()}
    assert told[TOY] == bots_of(game_of(TOY))
    answer = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "nobody"}}).json()
    assert answer["why"] == f"there is no bot called 'nobody'; there is {listing(sorted(told[TOY]), 'and')}"
    answer = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"0": "random"}}).json()
    assert answer["why"] == "seat 0 is yours: no bot can play it; say another seat, or null, as sit"


def test_without_a_token_nobody_plays(server):
    for method, path in (("GET", "decision"), ("GET", "events"), ("POST", "moves"), ("POST", "seats")):
        for headers in ({}, {"authorization": "Bearer nonsense"}):
            answer = httpx.request(method, f"{server.url}/api/tables/x/{path}", headers=headers, json={})
            assert answer.status_code == 401
            assert answer.json()["code"] == "nobody"
            for word in ("Authorization: Bearer TOKEN", "POST /api/guests", "/me"):
                assert word in answer.json()["why"]


def test_an_address_that_does_not_answer_so_says_where_that_is_described(server):
    answer = httpx.post(f"{server.url}/api/games", json={})
    assert answer.status_code == 405
    assert answer.json()["why"] == "this address does not answer POST; /api/openapi.json says what it answers"


# its own description


def test_the_address_of_the_api_leads_to_its_description(server):
    for address in ("/api", "/api/"):
        assert httpx.get(server.url + address, follow_redirects=True).json()["info"]["title"] == "Backroom"


def test_every_refusal_is_described_as_it_is(server):
    for path, answers in httpx.get(f"{server.url}/api/openapi.json").json()["paths"].items():
        for method, described in answers.items():
            for code, answer in described["responses"].items():
                if code >= "400":
                    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/Problem"), (method, path)


def test_generated_clients_know_where_the_token_goes(server):
    described = httpx.get(f"{server.url}/api/openapi.json").json()
    assert described["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            answer = httpx.request(method, f"{server.url}/api{path}", json={}, params={"move": "x"})
            is_open = answer.status_code != 401
            assert operation.get("security", []) == ([] if is_open else [{"token": []}]), (method, path)
    refused = httpx.get(f"{server.url}/api/tables/none/decision")
    assert refused.headers["www-authenticate"] == "Bearer"


def test_every_code_of_a_refusal_is_listed(server):
    """Those that `backroom/server` gives on the ways that lead from the API."""
    listed = set(re.findall(r"`([a-z-]+)`", ABOUT.partition("Errors are JSON")[2]))
    ways = [inspect.getsource(way) for way in (actions.sit, actions.play, actions.rise, actions.seat_of, timeouts)]
    ways += [inspect.getsource(module) for module in (api, bodies, errors, refusals, limits, direct)]
    given = {code for way in ways for code in re.findall(r"[0-9]{3}, \"([a-z-]+)\"", way)}
    assert {"stale", "no-seat", "taken"} <= given
    assert given <= listed


def test_it_keeps_to_its_description(server):
    """Requests of all kinds, valid and invalid: every response is one that OpenAPI announces, and none is a 500."""
    ann = Guest.program(server.url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()["table"]
    schema = schemathesis.openapi.from_dict(ann.web.get("/api/openapi.json").json())
    headers = {"authorization": ann.web.headers["authorization"]}
    tried = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        if not operation.path.endswith("/events"):  # a stream has no end; other tests listen to it
            check(operation, f"{server.url}/api", headers, table)
            tried.add(operation.label)
    assert len(tried) >= 8


def check(operation, url, headers, table):
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy())
    def one(case):
        case.path_parameters = dict.fromkeys(case.path_parameters or {}, table)
        answer = case.call(base_url=url, headers=headers)
        assert answer.status_code < 500, answer.text
        # no schema knows which names can be had, and our token replaces the one that was generated
        case.validate_response(answer, excluded_checks=[positive_data_acceptance, ignored_auth])

    one()
