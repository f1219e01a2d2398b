"""The life of a table, on both databases."""

import random

import pytest
from databases import DATABASES, database
from serving import TOY, news, play_out, served


@pytest.fixture(scope="module", params=DATABASES)
def server(toy, request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("both")
    with database(request.param, folder) as url, served(url) as found:
        yield found


def test_a_table_s_life(server):
    """Come in, make a table, sit, talk, play, take back, finish, be rated, play again, and be found in the lobby."""
    ann, ben = server.guest("Ann"), server.guest("Ben")
    assert ann.web.post("/me", data={"what": "keep", "password": "long enough"}).status_code == 303
    table = ann.make(TOY, seats=2, public="yes", clock="bank", minutes=5)
    assert table in ben.web.get("/").text
    assert ben.do(table, "sit").json()["ok"]
    with ben.listening(table) as messages:
        news(messages)
        assert ann.do(table, "say", text="hello").json()["ok"]
        assert news(messages)["notes"][0]["text"] == "hello"
    now = ann.decision(table)
    assert ann.move(table, now["moves"][0]["name"], now["ask"], "k").status_code == 200
    assert ann.move(table, now["moves"][0]["name"], now["ask"], "k").status_code == 200
    assert ann.do(table, "undo").json()["ok"]
    play_out(server, table, [ann, ben], random.Random(1))
    assert "Fair." in ann.web.get(f"/tables/{table}/verify").text
    assert ">Ann" in ann.web.get(f"/ladder/{TOY}").text
    again = ann.do(table, "rematch").json()["table"]
    assert again in ann.web.get("/").text
    assert ben.do(again, "sit").json()["ok"]


def test_a_sign_that_cannot_be_stored_is_refused_or_unknown(server):
    """PostgreSQL has no texts with the sign 0. That is not a database that does not answer, and is no error to log."""
    ann = server.guest("Odd Ann")
    table = ann.make(TOY, seats=2)
    for answer in (
        ann.web.get("/tables/%00"),
        ann.web.get("/api/tables", params={"game": "\0"}),
        ann.web.post("/me", data={"what": "log in", "name": "a\0", "password": "long enough"}),
        ann.web.post("/me", data={"what": "revoke", "token": "\0" * 12}),
        ann.move(table, "x", 1, "\0"),
    ):
        assert answer.status_code < 500, answer.text


def test_what_is_in_memory_is_what_is_kept(server):
    """A table that is loaded again is the same for everybody."""
    ann, ben = server.guest("Anna"), server.guest("Ben")
    table = ann.make(TOY, seats=2)
    ben.do(table, "sit")
    now = ann.decision(table)
    ann.move(table, now["moves"][0]["name"], now["ask"])
    before = [guest.decision(table) for guest in (ann, ben)]

    async def sweep():
        server.services.tables.sweep(0)

    server.do(sweep())
    assert [guest.decision(table) for guest in (ann, ben)] == before
