"""Agents at tables, with the client of the protocol's own SDK: whole games of every kind, and no leaks."""

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from mcp import Client, StdioServerParameters
from server.test_leaks import dealt, journal, setting, twins
from serving import Clock, served

import backroom
from backroom.engine.kernel import SPECTATOR, dice_from
from backroom.engine.log import BadLog
from backroom.engine.options import BadOption
from backroom.engine.table import Table
from backroom.mcp import remote
from backroom.mcp import tables as mcp_tables
from backroom.mcp.remote import RemoteTables
from backroom.mcp.server import server_of
from backroom.mcp.tables import Tables
from backroom.server.people.accounts import Person
from backroom.server.storage.schema import people

GAMES = list(backroom.names())


def played(conversation, server=None):
    """Run a conversation between a client and a server."""

    async def talk():
        async with Client(server if server is not None else server_of(Tables())) as client:

            async def call(tool, **arguments):
                found = await client.call_tool(tool, arguments)
                said = "".join(part.text for part in found.content if part.type == "text")
                if found.is_error:
                    return f"refused: {said}"
                result = found.structured_content
                return result.get("result", result) if result else said

            return await conversation(client, call)

    with ThreadPoolExecutor(1) as pool:  # of its own: a browser's tests leave a loop running in this one
        return pool.submit(anyio.run, talk).result()


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_plays_a_whole_game(name):
    game, lot = backroom.game(name), random.Random(name)
    seats = min(game.rules.SEATS)

    async def conversation(client, call):
        bots = {str(seat): "random" for seat in range(1, seats)}
        table = (await call("make_table", game=name, bots=bots))["table"]
        sat = await call("sit", table=table)
        key, called = sat["key"], sat["called"]
        seen = await call("look", table=table, key=key)
        played = 0
        while not seen["over"]:
            assert seen["asked"], seen["waiting_for"]
            assert seen["question"]
            assert seen["picture"]
            assert seen["called"] == called
            forward = [move["name"] for move in seen["moves"] if move["name"] != "back"] or ["back"]
            seen = await call("move", table=table, key=key, move=lot.choice(forward))
            assert isinstance(seen, dict), seen
            played += 1
            if played == 400 and name.endswith("setups"):  # where nobody else would end it
                break
        return seen, await call("log", table=table, key=key)

    seen, log = played(conversation)
    if seen["over"]:
        table = backroom.replay(log)
        assert list(seen["score"].values()) == list(table.score)


def test_what_an_agent_sees_is_the_view_of_its_seat():
    """No tool tells it more: with other hidden cards every answer would be the same."""
    tables = Tables()

    async def conversation(client, call):
        made = await call("make_table", game="rummy-runners", seats=2)
        name = made["table"]
        mine, other = [await call("sit", table=name) for _ in range(2)]
        at = tables._tables[name]

        async def everything():
            keys = {"table": name, "key": mine["key"]}
            return json.dumps([await call("look", **keys), await call("log", **keys), await call("look", table=name)])

        before = await everything()
        game, state = at.table.game, at.table.state
        for seed in range(20):
            imagined = game.imagined(game.view(state, mine["seat"]), mine["seat"], dice_from(seed))
            at.table.state = imagined
            spectator = await call("look", table=name)
            assert game.key(game.view(imagined, mine["seat"])) == game.key(game.view(state, mine["seat"]))
            assert (await call("look", table=name, key=mine["key"])) == json.loads(before)[0]
            assert spectator == json.loads(before)[2]
        at.table.state = state
        own = await call("look", table=name, key=other["key"])
        assert own["picture"] != json.loads(before)[0]["picture"]
        assert "not the key" in await call("look", table=name, key="guess")
        assert "not the key" in await call("move", table=name, key="guess", move="draw")

    played(conversation, server_of(tables))


@pytest.mark.parametrize("name", sorted(name for name in GAMES if backroom.game(name).rules.SECRETS))
def test_a_log_that_hides_moves_is_replayed_when_the_game_is_over(name):
    game, seats, options, lines = twins_of(name, SPECTATOR)
    table = Table(game, seats=seats, options=options, nature=False)
    for seat, move, _ in lines:
        table.play(seat, move)
    said = r"this log hides moves, written as \?; it can be replayed when the game is over"
    with pytest.raises(BadLog, match=said):
        mcp_tables.shown_again(str(table.log_seen_by(SPECTATOR)), None)
    assert mcp_tables.shown_again(str(table.log), None)["moves"] == len(lines)


READERS = [(name, reader) for name in GAMES if backroom.game(name).rules.SECRETS for reader in (SPECTATOR, 0, 1)]


def twins_of(name, reader):
    """A game, its seats and options, and the lines of two games that look the same to the reader and differ; up to a
    question to the reader if possible.
    """
    game, seats, options = setting(name)
    found = [[], []]
    for seed in range(12):
        lines = twins(game, seats, options, seed, reader)
        table, differ = Table(game, seats=seats, options=options, nature=False), False
        for number, (seat, one, other) in enumerate(lines, 1):
            table.play(seat, one)
            differ |= one != other
            if differ and not table.is_over:
                is_asked = reader != SPECTATOR and bool(table.moves(reader))
                found[is_asked] = max(found[is_asked], lines[:number], key=len)
    assert any(found), "nothing was hidden, so nothing is tested"
    return game, seats, options, found[1] or found[0]


def everything(tables, table, key, lines):
    """Every answer of every tool about a table."""
    texts = [*sorted({word for line in lines for word in line[1:]})[:12], "nonsense", "?"]

    async def conversation(client, call):
        at = {"table": table} if key is None else {"table": table, "key": key}
        seen, log = await call("look", **at), await call("log", **at)
        assert isinstance(seen, dict), seen
        found = [seen, log, await call("replay", log=log), await call("look", table=table)]
        found += [await call("log", table=table), await call("list_tables")]
        if key is not None:
            found.append(await call("hint", **at))
            closed = set(texts) - {move["name"] for move in seen["moves"]}
            for text in sorted(closed):
                found += [await call(tool, move=text, **at) for tool in ("why_not", "move")]
        return json.dumps(found)

    return played(conversation, server_of(tables))


@pytest.mark.parametrize(("name", "reader"), READERS)
def test_no_tool_tells_what_is_hidden(name, reader):
    """In the middle of two games that look the same to a seat, or a spectator, all answers are the same."""
    game, seats, options, lines = twins_of(name, reader)
    told = []
    for which in (1, 2):
        tables = Tables()
        at = tables._tables[tables.make(name, seats, {}, options)["table"]]
        at.table = Table(game, seats=seats, options=options, nature=False)
        for line in lines:
            at.table.play(line[0], line[which])
        at.keys |= {f"key {seat}": seat for seat in range(seats)}
        tables._tables = type(tables._tables)(table=at)
        told.append(everything(tables, "table", None if reader == SPECTATOR else f"key {reader}", lines))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", sorted({name for name, _ in READERS}))
def test_no_tool_tells_what_is_hidden_at_a_server(name, tmp_path):
    reader, told = 1, []
    game, seats, options, lines = twins_of(name, reader)
    for which in (0, 1):
        with served(tmp_path / f"{which}.db", now=Clock(), bot_pace=1e6) as house:
            store, person = house.services.store, Person(f"p{reader}", f"P{reader}")
            rows = [{"id": f"p{seat}", "name": f"P{seat}", "made": 0} for seat in range(seats)]
            house.do(store.write(lambda conn, rows=rows: conn.execute(people.insert(), rows)))
            house.do(house.services.tables.make(dealt(game, seats, options), journal(seats, lines, which)))
            key = house.do(house.services.people.new_token(person))
            tables = RemoteTables(house.url)
            tables._games["atable"] = name
            told.append(everything(tables, "atable", key, lines))
    assert told[0] == told[1]


def test_a_table_in_use_makes_no_room_for_another(monkeypatch):
    monkeypatch.setattr(mcp_tables, "MOST_TABLES", 3)
    tables = Tables()
    oldest, second, third = (tables.make("run", 2, {}, {})["table"] for _ in range(3))
    tables.look(oldest, None)
    fourth = tables.make("run", 2, {}, {})["table"]
    assert list(tables._tables) == [third, oldest, fourth]  # the second was not used for longest
    tables._tables[oldest].table.stop()
    fifth = tables.make("run", 2, {}, {})["table"]
    assert list(tables._tables) == [third, fourth, fifth]
    with pytest.raises(BadOption, match="there is no table"):
        tables.look(second, None)


def test_what_is_refused_is_said_in_a_sentence():
    async def conversation(client, call):
        assert "did you mean run" in await call("make_table", game="runn")
        assert "there is no bot called 'god'" in await call("make_table", game="run", bots={"1": "god"})
        assert "there is no seat 'x' for a bot" in await call("make_table", game="run", bots={"x": "easy"})
        assert "there is no seat 7 for a bot" in await call("make_table", game="run", bots={"7": "random"})
        assert "there is no table 'x'" in await call("look", table="x")
        assert await call("make_table", game="run", seat=2) == (
            "refused: make_table has no argument 'seat'; did you mean seats?"
        )
        assert "make_table needs game" in await call("make_table", seats=2)
        assert "seats cannot be 'many': input should be a valid integer" in await call(
            "make_table", game="run", seats="many"
        )
        assert "bots.1 cannot be 3: input should be a valid string" in await call(
            "make_table", game="run", bots={"1": 3}
        )
        assert "there is no tool 'looks'; did you mean look?" in await call("looks", table="x")
        for tool, how in (
            ("rules", {"game": "x" * 9999}),
            ("replay", {"log": "x" * 9999}),
            ("sit", {"table": ["x"] * 999}),
        ):
            said = await call(tool, **how)
            assert said.startswith("refused: ")
            assert len(said) < 1100, "an agent pays for every word"
        assert (await call("make_table", game="run", options={"match": 3}))["options"]["match"] == "3"
        table = (await call("make_table", game="run", bots={"1": "random"}))["table"]
        key = (await call("sit", table=table))["key"]
        assert "all seats" in await call("sit", table=table)
        assert "cannot play" in await call("move", table=table, key=key, move="24/off")
        assert "§" in await call("why_not", table=table, key=key, move="24/off")
        hints = await call("hint", table=table, key=key)
        names = [move["name"] for move in (await call("look", table=table, key=key))["moves"]]
        assert {each["name"] for each in hints} <= set(names)
        assert all(2 <= len(each["why"]) <= 3 for each in hints) or hints[0]["why"] == ["nothing else is open"]
        assert "can be played" in await call("why_not", table=table, key=key, move=names[0])
        assert (await call("rules", game="run", section="3.1")).startswith("- §3.1")
        assert "§3" in await call("rules", game="run")
        assert "no number 999" in await call("replay", log=GOLDEN, move=999)
        assert (await call("replay", log=GOLDEN, move=3))["picture"]
        assert [each["game"] for each in await call("list_games")] == GAMES
        assert table in [each["table"] for each in await call("list_tables")]

    played(conversation)


GOLDEN = sorted((backroom.game("run").folder / "tests" / "golden").glob("*.log"))[0].read_text("utf-8")


def test_an_assistant_starts_it_as_a_program():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = StdioServerParameters(command=sys.executable, args=["-m", "backroom", "mcp"], env=environment)

    async def conversation(client, call):
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"look", "move", "sit", "make_table"}
        table = (await call("make_table", game="run", bots={"1": "random"}))["table"]
        key = (await call("sit", table=table))["key"]
        seen = await call("look", table=table, key=key)
        seen = await call("move", table=table, key=key, move=seen["moves"][0]["name"])
        assert seen["story"]

    played(conversation, program)


def test_a_port_that_is_taken_is_said(run):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, _, errors = run("mcp", "--http", "--port", str(port))
    assert code == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in errors


def test_agents_meet_over_http():
    """Two clients at one table, each with its own key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [sys.executable, "-m", "backroom", "mcp", "--http", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    server = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None
            time.sleep(0.1)

        async def first(client, call):
            table = (await call("make_table", game="run"))["table"]
            return table, (await call("sit", table=table))["seat"]

        async def second(client, call):
            (at,) = await call("list_tables")
            sat = await call("sit", table=at["table"])
            return at["table"], sat["seat"], (await call("look", table=at["table"], key=sat["key"]))["question"]

        table, seat = played(first, url)
        assert (seat, played(second, url)[:2]) == (0, (table, 1))
    finally:
        server.terminate()
        server.wait()


def test_an_agent_plays_at_a_running_server(tmp_path):
    """Against a bot of the server and beside a person's browser: the same seats, refusals and log."""
    with served(tmp_path / "tables.db") as house:
        tables = RemoteTables(house.url)

        async def conversation(client, call):
            made = await call("make_table", game="runaway-train", bots={"1": "random", "2": "random"})
            table, lot = made["table"], random.Random(1)
            assert made["page"] == f"{house.url}/tables/{table}"
            assert [each["free_seats"] for each in await call("list_tables")] == [[0]]
            sat = await call("sit", table=table)
            assert "refused" in await call("sit", table=table)
            said = await call("move", table=table, key="0" * 16, move="x")
            assert "this is not the key of a seat; sit gives one" in said
            look, key = {"table": table, "key": sat["key"]}, sat["key"]
            drawn = drawn_at(house, table, sat["seat"])
            seen = await call("look", **look)
            assert "moves" not in await call("look", table=table)
            assert seen["picture"] == drawn
            assert seen["called"] == sat["called"]
            refused = await call("why_not", table=table, key=key, move="nonsense")
            assert refused
            hints = await call("hint", **look)
            assert {each["name"] for each in hints} <= {move["name"] for move in seen["moves"]}
            assert all(each["why"] and each["worth"] >= 0 for each in hints)
            while not seen["over"]:
                if seen["asked"]:
                    seen = await call("move", table=table, key=key, move=lot.choice(seen["moves"])["name"])
                    assert isinstance(seen, dict), seen
                else:
                    seen = await call("look", **look)
            return seen, await call("log", **look)

        seen, log = played(conversation, server_of(tables))
        assert list(seen["score"].values()) == list(backroom.replay(log).score)
        with pytest.raises(BadOption, match="there is no public table"):
            tables.look("nowhere", None)
    with pytest.raises(BadOption, match="there is no answer from"):
        RemoteTables(house.url)
    with pytest.raises(BadOption, match="begins with http"):
        RemoteTables("localhost:8642")


def test_a_sealed_answer_can_be_changed_at_a_running_server(tmp_path, monkeypatch):
    """Until all have answered, as at a table in this process: moves that are listed can be played."""
    monkeypatch.setattr(remote, "PATIENCE", 0.0)
    with served(tmp_path / "tables.db") as house:
        for tables in (Tables(), RemoteTables(house.url)):
            table = tables.make("runaway-train", 3, {}, {})["table"]
            keys = [tables.sit(table, seat)["key"] for seat in range(3)]
            first, second = (each["name"] for each in tables.look(table, keys[0])["moves"][:2])
            seen = tables.move(table, keys[0], first)
            assert not seen["asked"]
            assert second in [each["name"] for each in seen["moves"]]
            again = tables.move(table, keys[0], second)
            assert again["position"] != seen["position"]
            assert tables.move(table, keys[0], first)["position"] == seen["position"]
        tables.look(table, None)
        with pytest.raises(BadOption, match="seat"):
            tables.move(table, tables._guest(), first)


def drawn_at(house, table, seat):
    """The picture of a seat's view, as the server itself would draw it."""
    state = house.rested(table)
    return state.game.rules.draw(state.view(seat), seat).text()
