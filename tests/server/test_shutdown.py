"""A server stops or restarts while moves are being played: each is answered whole, or refused; none is half done."""

import json
import os
import signal
import threading

import pytest
from kills import Player, stored, wait_until
from serving import TOY, Guest, MovesInOnePiece, Nursery, ToyBots, in_one_piece, served, until

from backroom.server.http import direct

TIMES = 2


@pytest.fixture
def server(tmp_path):
    with served(tmp_path / "t.db") as found:
        yield found


@pytest.fixture
def move(server):
    """A connection, and the bytes of a move that may be made."""
    ann = Guest.program(server.url, "Ann")
    new = {"game": TOY, "seats": 2, "bots": {"1": "random"}, "rated": False}
    table = ann.web.post("/api/tables", json=new).json()["table"]
    now = ann.decision(table)
    body = json.dumps({"name": now["moves"][0]["name"], "ask": now["ask"], "key": "mine"}).encode()
    wire = MovesInOnePiece(server.url, ann.token)
    ann.web.close()
    yield table, wire.socket, in_one_piece(f"/api/tables/{table}/moves", ann.token, body)
    wire.close()


def all_heard(connection):
    """The statuses and heads of the answers until the server closes."""
    found = b""
    while part := connection.recv(65536):
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    return int(head.split()[1]), head, json.loads(body)


def hold(server, monkeypatch):
    """Have the writer wait; returns an event that lets it go on, and one that says that it waits."""
    go_on, waits, write = threading.Event(), threading.Event(), server.services.store._write

    def slow(jobs, *more):
        waits.set()
        assert go_on.wait(20)
        return write(jobs, *more)

    monkeypatch.setattr(server.services.store, "_write", slow)
    return go_on, waits


def keys(server, table):
    store = server.services.store
    return {entry.key for entry in store.read_now(lambda conn: store.journal(conn, table)) if entry.key}


def test_a_move_that_is_being_stored_is_answered_before_its_connection_is_closed(server, move, monkeypatch):
    table, connection, sent = move
    go_on, waits = hold(server, monkeypatch)
    connection.sendall(sent)
    assert waits.wait(10)
    server.server.should_exit = True
    until(lambda: all(each.is_to_close for each in server.server.server_state.connections if each.is_playing))
    go_on.set()
    status, head, told = all_heard(connection)
    assert (status, told["ok"]) == (200, True)
    assert b"connection: close" in head
    assert len(keys(server, table)) == 1


def test_an_answer_that_waits_to_be_written_is_written_before_its_connection_is_closed(server, move, monkeypatch):
    """The server stops between the end of a move and the write of its answer, which is made with others."""
    _, connection, sent = move
    put = direct.Outbox.put

    def put_and_stop(self, transport, data):
        for each in list(server.server.server_state.connections):
            server.loop.call_soon(each.shutdown)
        put(self, transport, data)

    monkeypatch.setattr(direct.Outbox, "put", put_and_stop)
    connection.sendall(sent)
    status, _, told = all_heard(connection)
    assert (status, told["ok"]) == (200, True)


def test_a_move_that_cannot_be_stored_in_time_is_refused(server, move, monkeypatch):
    """It may be stored all the same: its key prevents that it is made twice when it is sent again."""
    _, connection, sent = move
    go_on, waits = hold(server, monkeypatch)
    connection.sendall(sent)
    assert waits.wait(10)
    server.server.should_exit = True
    try:
        status, head, told = all_heard(connection)
    finally:
        go_on.set()
    assert (status, told["ok"], told["code"]) == (503, False, "draining")
    assert b"retry-after: 1" in head
    assert b"connection: close" in head


@pytest.mark.parametrize("what", ["hint", "analysis"])
def test_who_waits_for_a_thought_is_told_that_the_server_stops(tmp_path, capfd, what):
    """The log says how many requests were given up, and nothing else."""
    bots, answers = Musing(), []
    with served(tmp_path / "t.db", bots=bots) as server:
        ann = server.guest("Ann")
        table = ann.make(TOY, seats=2, **{"seat-1": "random"})
        server.rested(table)
        before = {"hint": ("unrate", {"text": "hint"}), "analysis": ("resign", {})}[what]
        assert ann.do(table, before[0], **before[1]).json()["ok"]
        asking = threading.Thread(target=lambda: answers.append(ann.web.get(f"/tables/{table}/{what}")))
        asking.start()
        assert bots.is_asked.wait(10)
        server.server.should_exit = True
        asking.join(20)
        bots.is_over.set()
    (answer,) = answers
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "draining", "1")
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert "CancelledError" not in said


class Musing(ToyBots):
    """Bots whose judge does not answer until the server has stopped."""

    def __init__(self):
        self.is_asked, self.is_over = threading.Event(), threading.Event()

    def judge(self, game):
        self.is_asked.set()
        self.is_over.wait(20)
        return super().judge(game)


def test_what_is_stored_was_acknowledged_and_what_was_acknowledged_is_stored(tmp_path):
    """Under load, with SIGTERM: unlike a kill, it also leaves no move that was stored without an answer."""
    nursery, db = Nursery(), tmp_path / "t.db"
    try:
        for turn in range(TIMES):
            server = nursery.serve(db)
            players = [Player(server.url, 10 * turn + n) for n in range(2)]
            for player in players:
                player.begin()
            threads = [threading.Thread(target=player.play, daemon=True) for player in players]
            for thread in threads:
                thread.start()
            wait_until(lambda these=players: all(len(player.acknowledged) > 3 for player in these))
            os.kill(server.pid, signal.SIGTERM)
            for thread in threads:
                thread.join(20)
            server._until_gone()
            for player in players:
                mine = [name for name in stored(db, player.table) if not name.startswith(("deal", "roll"))]
                assert mine == player.acknowledged
                for guest in player.guests:
                    guest.web.close()
    finally:
        nursery.close()
