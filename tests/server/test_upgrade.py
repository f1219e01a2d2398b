"""Upgrading a database of an older release with games in progress: some continue, others can only be read."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from alembic import command
from alembic.config import Config
from databases import DATABASES, database
from serving import TOY, served
from sqlalchemy import MetaData, delete, update

from backroom.engine.registry import game
from backroom.server import storage
from backroom.server.backup import backup, restore
from backroom.server.doctor import examine
from backroom.server.storage.database import engine_of, whole_url
from backroom.server.storage.schema import entries, tables

OLD = Path(__file__).parent / "release_0001.jsonl"
"""The database of a server with schema 0001: Ann and Ben in the middle of Run 1, Rummy Runners 1 and Rum Run 1, a game
of Run 1 that was ended, and a table of Rum Run 1 at which Ann waits. The first line has their cookies.
"""


def fill(db):
    """Load the older release's schema and rows into an empty database; returns the head of the file."""
    head, *rows = map(json.loads, OLD.read_text().splitlines())
    config = Config()
    config.set_main_option("script_location", str(Path(storage.__file__).parent / "migrations"))
    engine = engine_of(whole_url(db))
    with engine.connect() as conn:
        config.attributes["connection"] = conn
        command.upgrade(config, "0001")
        conn.commit()
    schema = MetaData()
    schema.reflect(engine)
    with engine.begin() as conn:
        for name, row in rows:
            if name == "tables":
                row["is_public"] = bool(row["is_public"])
            conn.execute(schema.tables[name].insert(), row)
    engine.dispose()
    return head


def visitor(server, head, name=None):
    """A person who comes back with a cookie of the older release."""
    cookies = {"backroom": head["cookies"][name]} if name else {}
    return httpx.Client(base_url=server.url, cookies=cookies, timeout=30)


@pytest.mark.parametrize("kind", DATABASES)
def test_a_release_with_running_tables_is_upgraded(kind, tmp_path):
    (tmp_path / "new").mkdir()
    with database(kind, tmp_path) as db, database(kind, tmp_path / "new") as new:
        head = fill(db)
        with served(db) as server:
            ids = head["tables"]
            ann, ben, nobody = (visitor(server, head, name) for name in ("Ann", "Ben", None))
            with ann, ben, nobody:
                goes_on(server, ids["rummy"], ann, ben)
                is_read_only(ids["run"], ann, nobody)
                keeps_its_secrets(ids["rum"], ann, ben, nobody)
                lobby_says_so(ids, ann, nobody)
                over = nobody.get(f"/tables/{ids['over']}/log")
                assert "game run 1" in over.text
                assert re.search(r"(?m)^seed \w+$", over.text)
        assert all(found.is_well for found in examine(db) if found.what in ("schema", "journals", "older rules"))
        backup(db, tmp_path / "b.gz")
        found = restore(tmp_path / "b.gz", new)
        assert (found.tables, found.wrong) == (5, {})
        assert set(found.old) == {ids[name] for name in ("run", "rum", "open", "over")}


def goes_on(server, table, *people):
    """Same rules: the game is continued by the same people."""
    rng = random.Random(1)
    lines = server.do(current(server, table)).lines
    for _ in range(4):
        state = server.do(current(server, table))
        seat = state.asked[0]
        said = {"name": rng.choice(state.table.moves(seat)), "ask": state.asks[seat]}
        answer = people[seat].post(f"/tables/{table}/moves", json=said)
        assert answer.status_code == 200, answer.text
    assert server.do(current(server, table)).lines >= lines + 4


async def current(server, table):
    live = await server.services.tables.get(table)
    async with live.reading() as state:
        return state


def is_read_only(table, ann, nobody):
    """Other rules: the story is there as it was stored, and nothing can be done."""
    page = ann.get(f"/tables/{table}", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "version 1 of the rules of Run, and this server plays version 2" in page.text
    for said in ("<code>open 4 1</code>", "<code>1/2</code>", "Well played so far", "<b>Ben</b>"):
        assert said in page.text
        assert said in nobody.get(f"/tables/{table}").text
    log = nobody.get(f"/tables/{table}/log").text
    assert log.startswith("backroom log 1\ngame run 1\n")
    assert "seed " not in log.partition("\n\n")[2]
    for path in ("replay", "scene", "picture.svg", "verify", "hint", "events", "words"):
        answer = ann.get(f"/tables/{table}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (410, "other-rules"), path
    for action, said in (("moves", {"name": "1/2", "ask": 1}), ("sit", {}), ("say", {"text": "x"}), ("rematch", {})):
        answer = ann.post(f"/tables/{table}/{action}", json=said)
        assert (answer.status_code, answer.json()["code"]) == (410, "other-rules"), action


def keeps_its_secrets(table, ann, ben, nobody):
    """An unfinished game with secrets is shown only to its players, and to each only the player's own part."""
    rows = map(json.loads, OLD.read_text().splitlines()[1:])
    moves = [row for name, row in rows if name == "entries" and row["table_id"] == table and row["kind"] == "move"]
    for seat, reader in ((0, ann), (1, ben), (None, nobody)):
        told = re.findall(r"<code>(.*?)</code>", reader.get(f"/tables/{table}").text)
        assert told == [row["text"] for row in moves if row["seat"] == seat]
    assert nobody.get(f"/tables/{table}/log").status_code == 410


def lobby_says_so(ids, ann, nobody):
    page = ann.get("/").text
    assert page.count("older rules, to be read") == 4
    assert ids["run"] in page
    assert not [table for name, table in ids.items() if table in nobody.get("/").text and name != "rummy"]
    assert [row["id"] for row in nobody.get("/api/tables").json()] == [ids["rummy"]]


@pytest.mark.parametrize(("values", "why"), [
    ({"game": "gone"}, "no game called 'gone'"),
    ({"version": 77}, "version 77 of the rules"),
    ({"options": '{"bank": "12"}'}, "does not say option pace, which Pennies has now"),
    ({"options": '{"bank": "12", "pace": "slow", "old": "yes"}'}, "option old, which Pennies has not any more"),
], ids=["game", "version", "missing option", "removed option"])  # fmt: skip
def test_a_table_of_other_rules_says_which(server, values, why):
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    server.rested(table)
    change = update(tables).where(tables.c.id == table).values(**values)
    server.do(server.services.store.write(lambda conn: conn.execute(change)))
    forget(server)
    page = ann.web.get(f"/tables/{table}", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert why in page.text.replace("&#39;", "'")
    assert "deal" not in page.text
    for path in ("/log", "/replay", "/scene"):
        answer = ann.web.get(f"/tables/{table}{path}")
        assert answer.status_code == 410, path
        assert why in answer.json()["why"]
    assert ann.move(table, "x", 1).status_code == 410
    assert ann.web.get("/").status_code == 200


@pytest.mark.parametrize(("harm", "why"), [
    (lambda mine: update(tables).where(tables.c.id == mine).values(company="[1]"), "Expected `str`"),
    (lambda mine: delete(entries).where(entries.c.table_id == mine, entries.c.number == 2), "entry 2 is missing"),
    (lambda mine: update(entries).where(entries.c.table_id == mine).values(kind="back", text="x"), "'x'"),
], ids=["company", "gap", "take-back"])  # fmt: skip
def test_a_damaged_table_of_other_rules_says_why(server, harm, why):
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    server.rested(table)
    for change in (update(tables).where(tables.c.id == table).values(version=77), harm(table)):
        server.do(server.services.store.write(lambda conn, change=change: conn.execute(change)))
    forget(server)
    answer = ann.web.get(f"/tables/{table}")
    assert answer.status_code == 410
    assert why in answer.json()["why"]


def forget(server):
    """No table is in memory any more."""

    async def sweep():
        server.services.tables.sweep(0)

    server.do(sweep())


def test_an_option_that_may_be_unsaid_is_not_missed(server, monkeypatch):
    """Older tables need not know an option that does not affect play."""
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    server.rested(table)
    change = update(tables).where(tables.c.id == table).values(options='{"bank": "12"}')
    server.do(server.services.store.write(lambda conn: conn.execute(change)))
    rules = game(TOY).rules
    monkeypatch.setattr(rules, "OPTIONS", tuple(replace(option, may_be_unsaid=True) for option in rules.OPTIONS))
    forget(server)
    assert ann.web.get(f"/tables/{table}/log").status_code == 200
