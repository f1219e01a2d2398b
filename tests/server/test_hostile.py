"""Cheap attacks do not stop a server: endless heads, half requests, quadratic texts, odd input."""

import asyncio
import contextlib
import gc
import importlib
import json
import logging
import re
import socket
import threading
import time
import tomllib
import urllib.parse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from urllib.parse import quote
from zipfile import ZipFile

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import TOY, Guest, Nursery, answers_on, in_one_piece, run, served, toy_game, until, with_toy
from starlette.requests import Request
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

import backroom
from backroom.engine import registry
from backroom.engine.log import FORMAT, BadLog, Log
from backroom.engine.options import BadOption
from backroom.engine.table import Table
from backroom.server import metrics
from backroom.server.http import connections, direct, forms, limits, replay
from backroom.server.http.bodies import Move, schema
from backroom.server.http.connections import Caps, Gate
from backroom.server.http.identity import session_of
from backroom.server.http.limits import RATES, network
from backroom.server.place import Place
from backroom.server.tables import actions
from backroom.server.tables.analyses import Analyses


@contextlib.contextmanager
def raw(server, text=b"", source="127.0.0.1"):
    """A raw connection on which something is sent."""
    port = int(server.url.rsplit(":", 1)[1])
    with contextlib.closing(socket.create_connection(("127.0.0.1", port), 20, (source, 0))) as found:
        found.sendall(text)
        yield found


def heard(connection):
    """Everything that comes until the server closes."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65536):
            found += part
    return found


# heads and connections


@pytest.fixture
def small(tmp_path):
    """A server with small limits."""
    caps = Caps(
        connections=150,
        by_address=110,
        unfinished=20,
        head_bytes=8192,
        head_lines=40,
        head_seconds=1.0,
        body_seconds=1.0,
    )
    with with_toy(), served(tmp_path / "t.db", caps) as found:
        yield found


def test_a_head_without_end_is_refused_at_its_cap(small):
    with raw(small, b"GET / HTTP/1.1\r\nhost: x\r\n") as connection:
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 50_000_000:
                connection.sendall(b"x-a: " + b"a" * 1000 + b"\r\n")
                sent += 1007
        assert sent < 10_000_000
    with raw(small, b"GET /healthz HTTP/1.1\r\nhost: x\r\n" + b"x-a: b\r\n" * 100 + b"\r\n") as connection:
        assert b" 431 " in heard(connection)
    with raw(small, b"GET /" + b"a" * 9000) as connection:
        assert b" 431 " in heard(connection)
    assert httpx.get(f"{small.url}/healthz").status_code == 200


def test_half_requests_have_an_end(small):
    half_body = b"POST /api/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"
    with raw(small, b"GET / HTTP/1.1\r\nhost: x\r\n") as head, raw(small, half_body) as body, raw(small) as nothing:
        start = time.monotonic()
        assert b" 408 " in heard(head)
        assert b" 408 " in heard(body)
        heard(nothing)
        assert time.monotonic() - start < 10


def test_the_lobby_answers_beside_many_half_requests(small):
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(raw(small, b"POST /me HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx"[:-20]))
        assert httpx.get(small.url, timeout=5).status_code == 200
    metrics = httpx.get(f"{small.url}/metrics").text
    assert 'backroom_connections_refused_total{why="too many half requests"}' in metrics


def test_the_lobby_answers_beside_two_thousand_half_requests(tmp_path):
    """With the default limits; the half requests come from several addresses, as in such an attack."""
    with served(tmp_path / "t.db") as server, contextlib.ExitStack() as stack:
        host, port = server.url.removeprefix("http://").split(":")
        for n in range(2000):
            source = (f"127.0.0.{2 + n // 500}", 0)
            half = stack.enter_context(socket.create_connection((host, int(port)), 10, source))
            half.sendall(b"POST /me HTTP/1.1\r\nhost: x\r\n")
        start = time.monotonic()
        assert httpx.get(server.url, timeout=10).status_code == 200
        assert time.monotonic() - start < 5


def test_an_empty_line_after_an_answer_has_an_end(small):
    """It is no request, so it must not stop the clock of the idle connection."""
    with raw(small, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n") as connection:
        assert b" 200 " in connection.recv(999)
        connection.sendall(b"\r\n")
        assert b" 408 " in heard(connection)


def test_a_client_that_reads_nothing_is_disconnected(server, monkeypatch):
    """Every answer waits in memory until it is read."""
    monkeypatch.setattr(connections, "SLOWEST", 0.1)
    page = b"GET /api/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n"
    with raw(server, page) as connection:
        until(lambda: connection.getsockname() in clients(server))
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                connection.sendall(page)
                time.sleep(0.005)
        until(lambda: connection.getsockname() not in clients(server))


@pytest.mark.parametrize("way", ["close", "keep-alive"])
def test_the_rest_of_an_answer_does_not_wait_for_ever(server, monkeypatch, way):
    """An answer that is short enough is written at once, and the connection closed when all is read."""
    monkeypatch.setattr(connections, "SLOWEST", 0.1)
    monkeypatch.setattr(server.server.config, "timeout_keep_alive", 1)
    with contextlib.closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        connection.connect(("127.0.0.1", int(server.url.rsplit(":", 1)[1])))
        until(lambda: connection.getsockname() in clients(server))
        one = next(each for each in server.server.server_state.connections if each.client == connection.getsockname())
        one.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        connection.sendall(f"GET /api/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: {way}\r\n\r\n".encode())
        until(lambda: one.transport.get_write_buffer_size() > 0)
        until(lambda: connection.getsockname() not in clients(server))


def clients(server):
    """The addresses of all connections."""
    return [each.client for each in server.server.server_state.connections]


def test_a_client_that_reads_slowly_is_served():
    did = []
    transport = SimpleNamespace(get_write_buffer_size=lambda: 80_000, abort=lambda: did.append("dropped"))
    stub = SimpleNamespace(transport=transport, _check_again=lambda: did.append("served"))
    connections.Connection._check(stub, 100_000)
    connections.Connection._check(stub, 85_000)
    assert did == ["served", "dropped"]


def test_nothing_is_written_into_an_answer_in_progress(tmp_path):
    """Not even that the next request on the connection takes too long."""
    with with_toy(), served(tmp_path / "t.db", Caps(body_seconds=0.5), is_direct=False) as server:
        table = server.guest().make(TOY)
        stream = f"GET /tables/{table}/events HTTP/1.1\r\nhost: x\r\n\r\n".encode()
        with raw(server, stream) as connection:
            assert b" 200 " in connection.recv(99)
            connection.sendall(b"POST /me HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx")
            assert b"HTTP/1.1" not in heard(connection)


@pytest.mark.parametrize("ends_by_itself", [True, False])
@pytest.mark.parametrize("path", ["/me", "/api/guests"])
def test_half_bodies_fill_no_log(small, path, ends_by_itself):
    said = []
    watch = logging.Handler()
    watch.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("uvicorn.error").addHandler(watch)
    try:
        half = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n"
        with raw(small, f"{half}content-length: 9\r\n\r\na".encode()) as connection:
            until(lambda: small.server.server_state.tasks)
            if ends_by_itself:
                assert b" 408 " in heard(connection)
        until(lambda: not small.server.server_state.tasks)
    finally:
        logging.getLogger("uvicorn.error").removeHandler(watch)
    assert said == []


@pytest.mark.parametrize("said", ["Invalid HTTP request received.", "Unsupported upgrade request."])
def test_requests_that_cannot_be_served_fill_no_log(server, said):
    log = logging.getLogger("uvicorn.error")
    assert not log.filter(log.makeRecord(log.name, logging.WARNING, "", 0, said, (), None))


@pytest.mark.parametrize("piece", [b"4;" + b"e" * 1000 + b"\r\nabcd\r\n", b"e" * 1000])
def test_a_body_without_end_is_refused_at_its_cap(server, piece):
    """Whether it is the body itself that has no end, or what is said about one of its chunks."""
    with raw(server, b"POST /me HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4;") as connection:
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 50_000_000:
                connection.sendall(piece * 100)
                sent += 100 * len(piece)
        assert sent < 20_000_000


def test_few_requests_wait_behind_one_that_is_answered(server):
    """Each takes memory, and others wait while they are answered."""
    page = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
    with raw(server, page * 300) as connection:
        assert heard(connection).count(b"HTTP/1.1 200") < 20


def test_nothing_is_written_to_a_connection_lost_before_all_is_answered(server, monkeypatch):
    """uvloop raises an error for each answer to a closed connection, which is logged."""
    asked, known_to_be_gone, send = threading.Event(), [], RequestResponseCycle.send

    async def probe():
        asked.set()
        await asyncio.sleep(0.3)

    async def noted(cycle, message):
        known_to_be_gone.append(cycle.disconnected)
        await send(cycle, message)

    monkeypatch.setattr(server.services.store, "probe", probe)
    monkeypatch.setattr(RequestResponseCycle, "send", noted)
    with raw(server, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" * 3):
        assert asked.wait(10)
        for connection in list(server.server.server_state.connections):
            server.loop.call_soon_threadsafe(connection.transport.abort)
        until(lambda: known_to_be_gone)
    assert all(known_to_be_gone)


def test_connections_are_counted_by_address(small):
    said = []
    with contextlib.ExitStack() as stack:
        for _ in range(112):
            said.append(stack.enter_context(raw(small, b"GET /web/icon.svg HTTP/1.1\r\nhost: x\r\n\r\n")).recv(99))
    assert [b" 200 " in each for each in said] == [True] * 110 + [False] * 2
    assert all(b" 503 " in each for each in said[110:])
    for _ in range(50):
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{small.url}/healthz").status_code == 200:
                break
        time.sleep(0.05)
    assert httpx.get(f"{small.url}/healthz").status_code == 200


def test_connections_are_counted_in_all(small):
    said = []
    with contextlib.ExitStack() as stack:
        for n in range(152):
            source = f"127.0.0.{2 + n // 100}"
            connection = stack.enter_context(raw(small, b"GET /web/icon.svg HTTP/1.1\r\nhost: x\r\n\r\n", source))
            said.append(connection.recv(99))
    assert [b" 200 " in each for each in said] == [True] * 150 + [False] * 2
    assert all(b" 503 too many connections\r\n" in each for each in said[150:])


def test_one_address_cannot_take_all_files_of_a_process_that_may_open_few(tmp_path):
    few = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))"
    nursery = Nursery()
    try:
        server = nursery.serve(str(tmp_path / "t.db"), fault=few)
        with contextlib.ExitStack() as held:
            for _ in range(320):
                with contextlib.suppress(ConnectionError):  # refused
                    held.enter_context(raw(server, b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"))
            with raw(server, b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", "127.0.0.2") as other:
                assert heard(other).startswith(b"HTTP/1.1 200")
        server.close()
    finally:
        nursery.close()
    assert Caps.within(float("inf"), "") == Caps()


def test_one_network_of_ipv6_is_one_address():
    assert network("2001:db8::1") == network("2001:db8::ffff") != network("2001:db8:0:1::1")
    assert network("192.0.2.1") != network("192.0.2.2")


def test_addresses_of_ipv4_are_the_same_at_a_socket_for_both_versions():
    assert network("::ffff:192.0.2.1") == "192.0.2.1" != network("::ffff:192.0.2.2")


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_a_socket_for_both_versions_tells_clients_and_proxies_apart(tmp_path):
    """There a client with IPv4 has an address of IPv6, and all of these are in one network."""
    with served(tmp_path / "t.db", Caps(by_address=3, proxies="127.0.0.9"), limits=0.25, proxies="127.0.0.9") as server:
        config, state = server.server.config, server.server.server_state

        async def listen():
            listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
            return await asyncio.get_running_loop().create_server(
                lambda: config.http_protocol_class(config=config, server_state=state, app_state={}), sock=listener
            )

        both = server.do(listen())
        port = both.sockets[0].getsockname()[1]

        def log_in(source, forwarded="192.0.2.1"):
            headers = {"x-forwarded-for": forwarded}
            with httpx.Client(transport=httpx.HTTPTransport(local_address=source), headers=headers) as web:
                wrong = {"what": "log in", "name": "nobody", "password": "wrong-wrong"}
                return web.post(f"http://127.0.0.1:{port}/me", data=wrong).status_code

        assert [log_in("127.0.0.2") for _ in range(3)] == [422, 422, 429]
        assert log_in("127.0.0.3") == 422
        assert [log_in("127.0.0.9", f"192.0.2.{n}") for n in range(2, 5)] == [422] * 3
        with contextlib.ExitStack() as stack:
            for count, source in [(5, "127.0.0.9"), (3, "127.0.0.4"), (1, "127.0.0.5")]:
                for _ in range(count):
                    one = socket.create_connection(("127.0.0.1", port), 20, (source, 0))
                    stack.enter_context(contextlib.closing(one)).sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
                    assert b" 200 " in one.recv(99), source
        server.loop.call_soon_threadsafe(both.close)


# forwarded addresses and origins


def test_one_network_of_ipv6_is_limited_as_one_address(tmp_path):
    """Whoever has one such address has billions of them."""
    with (
        served(tmp_path / "t.db", limits=0.25, proxies="127.0.0.1") as server,
        httpx.Client(base_url=server.url) as web,
    ):
        said = [
            web.post("/me", data={"what": "log in", "name": "x", "password": "x"},
                     headers={"x-forwarded-for": f"2001:db8::{n:x}"}).status_code
            for n in range(4)
        ]  # fmt: skip
    assert said == [422] * 2 + [429] * 2


@pytest.mark.parametrize("proxies", ["127.0.0.1", "10.0.0.1, 127.0.0.1", "127.0.0.0/8", "*"])
def test_connections_of_proxies_are_not_counted_by_address(proxies):
    gate = Gate(Caps(by_address=1, proxies=proxies))
    gate.by_address["127.0.0.1"] = 5
    gate.by_address["192.168.0.1"] = 5
    assert gate.admits("127.0.0.1") == ""
    assert bool(gate.admits("192.168.0.1")) == (proxies != "*")


def test_connections_of_a_proxy_with_ipv6_are_not_counted_by_address():
    gate = Gate(Caps(by_address=1, proxies="::1"))
    gate.by_address[network("::1")] = 5
    assert gate.admits("::1") == ""


def test_forwarded_addresses_are_believed_of_configured_proxies_only(tmp_path):
    wrong = {"what": "log in", "name": "nobody", "password": "wrong-wrong"}

    def codes(server):
        return [
            httpx.post(f"{server.url}/me", data=wrong, headers={"x-forwarded-for": f"192.0.2.{n}"}).status_code
            for n in range(4)
        ]

    with served(tmp_path / "a.db", limits=0.4) as server:
        assert codes(server)[-1] == 429
    with served(tmp_path / "b.db", limits=0.4, proxies="127.0.0.1") as server:
        assert set(codes(server)) == {422}


def test_passwords_are_limited_by_address_too(tmp_path):
    with served(tmp_path / "t.db", limits=0.4) as server:
        found = [
            server.guest(f"Ann {n}").web.post("/me", data={"what": "keep", "password": "long enough"}).status_code
            for n in range(4)
        ]
        assert found[0] == 303
        assert found[-1] == 429


def test_passwords_are_hashed_beside_the_event_loop(server, monkeypatch):
    people, where = server.services.people, []
    monkeypatch.setattr(type(people.hasher), "hash", lambda self, text: where.append(threading.current_thread()) or "x")

    async def keep():
        await people.keep(await people.welcome("Kept Beside"), "long enough")
        return threading.current_thread()

    loop = server.do(keep())
    assert [thread.name.split("_")[0] for thread in where] == ["passwords"]
    assert where[0] is not loop


# texts


def test_headers_of_logs_are_capped():
    lines = [FORMAT, "game x 1", "seats 2", *(f"option a{n} b" for n in range(40_000)), "", "0 x"]
    start = time.monotonic()
    with pytest.raises(BadLog, match="expected the end of the header"):
        Log.parse("\n".join(lines))
    assert time.monotonic() - start < 1


def test_options_are_not_read_however_long_they_are(server, monkeypatch):
    """A megabyte of TOML takes hours: its dotted keys are read in time that grows with the square of their number."""
    long = "a." * 30_000 + "a=1"
    for name in backroom.names():
        for option in backroom.game(name).options:
            if option.is_file or option.may_be_file:
                with pytest.raises(BadOption, match="60,003 characters, which is more than 10,000"):
                    option.settle(long)
    loads = tomllib.loads
    monkeypatch.setattr("tomllib.loads", lambda text: loads(text) if len(text) < 10_000 else pytest.fail("it is read"))
    ann = server.guest()
    for game, option in (("rum-run", "setup"), ("runaway-train", "track")):
        form = {"game": game, f"option-{option}": "*", f"text-{option}": long}
        assert ann.web.post("/tables", data=form).status_code == 422


def test_bodies_refuse_unknown_fields_and_are_described_as_they_are_decoded(server):
    ann = Guest.program(server.url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()["table"]
    now = ann.decision(table)
    move = {"name": now["moves"][0]["name"], "ask": now["ask"], "wrong": 1}
    for path, message in (
        (f"/tables/{table}/moves", move),
        (f"/api/tables/{table}/moves", move),
        (f"/tables/{table}/say", {"text": "x", "wrong": 1}),
        (f"/tables/{table}/undo", {"wrong": 1}),
        (f"/api/tables/{table}/seats", {"wrong": 1}),
        ("/api/tables", {"game": TOY, "wrong": 1}),
        ("/api/guests", {"name": "Ben", "wrong": 1}),
    ):
        answer = ann.web.post(path, json=message)
        assert answer.status_code == 422, path
        assert "wrong" in answer.json()["why"]
    described = ann.web.get("/api/openapi.json").json()["paths"]["/tables/{table}/moves"]["post"]["requestBody"]
    found, own = (each["content"]["application/json"]["schema"] for each in (described, schema(Move)["requestBody"]))
    assert found["additionalProperties"] is False
    assert set(found["properties"]) == set(own["properties"]) == {"name", "ask", "key"}
    assert found["properties"]["name"] == own["properties"]["name"]


@pytest.mark.parametrize("is_direct", [True, False])
def test_moves_are_answered_alike_with_and_without_the_fast_path(tmp_path, is_direct):
    with with_toy(), served(tmp_path / "t.db", is_direct=is_direct) as server:
        ann = Guest.program(server.url, "Ann")
        table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()["table"]
        now = ann.decision(table)
        name = now["moves"][0]["name"]
        found = [
            ann.move(table, name, now["ask"], "k"),
            ann.move(table, name, now["ask"], "k"),
            ann.move(table, name, 10**6),
        ]
        server.rested(table)  # until the bot has answered, a question may be stale when it arrives
        found += [
            ann.move(table, "nonsense", ann.decision(table)["ask"]),
            ann.move("nowhere", name, 1),
            ann.move("nowhere", 1),
            ann.web.post(f"/tables/{table}/moves", content=b"{", headers={"content-type": "application/json"}),
            httpx.post(f"{server.url}/tables/{table}/moves", json={"name": name}),
        ]
        assert [answer.status_code for answer in found] == [200, 200, 409, 422, 404, 422, 422, 401]
        assert [answer.json().get("code") for answer in found[2:]] == [
            "stale",
            "illegal",
            "unknown",
            "unreadable",
            "unreadable",
            "nobody",
        ]


@pytest.mark.parametrize("is_direct", [True, False])
def test_moves_in_one_piece_are_answered_alike_with_and_without_the_fast_path(tmp_path, is_direct, monkeypatch):
    """Also several on one connection, between other requests, and without waiting for the answers."""
    played, play = [], direct.DirectMoves.response_to
    monkeypatch.setattr(
        direct.DirectMoves,
        "response_to",
        lambda self, head, *more: (played.append(head.table), play(self, head, *more))[1],
    )
    with with_toy(), served(tmp_path / "t.db", is_direct=is_direct) as server:
        ann = Guest.program(server.url, "Ann")
        table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()["table"]
        now, token = ann.decision(table), ann.web.headers["authorization"].split()[1]
        body = json.dumps({"name": now["moves"][0]["name"], "ask": now["ask"], "key": "k"}).encode()
        path = f"/api/tables/{table}/moves"
        stale = json.dumps({"name": now["moves"][0]["name"], "ask": 10**6}).encode()
        other = (
            f"GET /api/tables/{table}/decision HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n".encode()
        )
        with raw(server) as connection:
            found = []
            for sent, count in [
                (in_one_piece(path, token, body), 1),
                (in_one_piece(path, token, stale), 1),
                (other, 1),
                (in_one_piece(f"/tables/{table}/moves", token, b"{"), 1),
                (in_one_piece(path, "nobody", body), 1),
                (in_one_piece(path, token, body) + in_one_piece(path, token, body), 2),
                (in_one_piece("/api/tables/nowhere/moves", token, body, b"connection: keep-alive\r\n"), 1),
            ]:
                connection.sendall(sent)
                found += answers_on(connection, count)
            connection.sendall(in_one_piece(path, token, body))
            connection.sendall(other)  # it may arrive while the move is played
            found += answers_on(connection, 2)
        assert [status for status, _ in found] == [200, 409, 200, 422, 401, 200, 200, 404, 200, 200]
        assert [told.get("code") for _, told in found if "code" in told] == ["stale", "unreadable", "nobody", "unknown"]
    assert bool(played) == is_direct


MOVE = in_one_piece("/tables/t1/moves", "secret", b"{}")


@pytest.mark.parametrize(
    "data",
    [
        MOVE + b"x",
        MOVE[:-1],
        MOVE[:40],
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"transfer-encoding: chunked\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"content-length: 2\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"connection: close\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"expect: 100-continue\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"x: a\r\n folded\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"x : a\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"x: a\0b\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"x: " + b"a" * direct.LONGEST_HEAD + b"\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"accept: text/html\r\n"),
        in_one_piece("/tables/t1/moves", "secret", b"{}", b"".join(b"x%d: a\r\n" % n for n in range(97))),
        MOVE.replace(b"HTTP/1.1", b"HTTP/1.0"),
        MOVE.replace(b"host: x\r\n", b""),
        MOVE.replace(b"\r\n", b"\n"),
        MOVE.replace(b"length: 2", b"length: +2"),
        MOVE.replace(b"application/json", b"text/plain"),
        MOVE.replace(b"POST", b"GET"),
        MOVE.replace(b"/t1/", b"/t%31/"),
        MOVE.replace(b"/t1/", b"/../"),
        MOVE.replace(b"/t1/", b"/" + b"t" * 33 + b"/"),
        MOVE.replace(b"/moves", b"/moves?x"),
    ],
)
def test_whatever_is_unusual_about_a_move_is_left_to_the_parser(data):
    assert direct.move_in(data) is None


def test_a_usual_move_is_read_whole():
    head, body = direct.move_in(MOVE.replace(b"host: x", b"Host:x \r\nConnection: Keep-Alive"))
    assert (head.table, head.is_api, body) == ("t1", False, b"{}")
    assert (head.headers[b"host"], head.headers[b"authorization"]) == (b"x", b"Bearer secret")


def test_a_move_leaves_nothing_to_the_collector_of_garbage(server):
    """The objects of a request are freed with it, since a garbage collection would stop everybody."""

    def requests():
        return sum(type(each) is RequestResponseCycle for each in gc.get_objects())

    ann = Guest.program(server.url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "bots": {"1": "random"}}).json()["table"]
    now = ann.decision(table)
    move = table, now["moves"][0]["name"], now["ask"], "k"
    assert ann.move(*move).status_code == 200
    gc.collect()
    before = requests()
    gc.disable()
    try:
        assert {ann.move(*move).status_code for _ in range(10)} == {200}
        assert requests() <= before + 1
    finally:
        gc.enable()


# odd input


@pytest.mark.parametrize(("path", "sent"), [
    ("/tables/T/say", {"json": {"text": "x"}, "headers": {"origin": "http://[bad"}}),
    ("/tables", {"data": {"game": TOY, "seats": "9" * 5000}}),
    ("/tables/T/moves", {"content": b'{"name":' + b"[" * 60_000, "headers": {"content-type": "application/json"}}),
    ("/api/tables", {"content": b"[" * 60_000, "headers": {"content-type": "application/json"}}),
    ("/import", {"data": {"log": "\x00"}}),
])  # fmt: skip
def test_odd_requests_are_refused(server, path, sent):
    ann = server.guest()
    table = ann.make(TOY, **{"seat-1": "random"})
    assert ann.web.post(path.replace("/T/", f"/{table}/"), **sent).status_code in (303, 401, 403, 422)


ODD = [
    "",
    "-1",
    "--1",
    "9" * 5000,
    "²",
    "٣",
    "\x00",
    "~",
    "~AAAA",
    "'",
    "<b>",
    "../..",
    "%00",
    "null",
    "1e9",
    "é" * 300,
]


@pytest.mark.parametrize("path", ["/", "/tables/{}", "/me", "/api/tables"])
def test_odd_hosts_are_refused(server, path):
    ann = server.guest()
    answer = ann.web.get(path.format(ann.make(TOY)), headers={"host": "[bad", "accept": "text/html"})
    assert answer.status_code == 400


def test_a_long_cookie_is_read_in_no_time():
    """`http.cookies` of some versions of Python takes seconds for it."""
    start = time.thread_time()
    assert session_of({b"cookie": b'backroom="' + b'\\"' * 15_000 + b'"'})
    assert time.thread_time() - start < 0.1
    assert session_of({b"cookie": b"a=b;backroom=mine ; c"}) == "mine"
    assert session_of({b"cookie": b"backrooms=x; room"}) is None
    assert session_of({}) is None


@pytest.mark.parametrize("is_direct", [True, False])
def test_the_head_of_a_stream_has_an_end(tmp_path, is_direct):
    with with_toy(), served(tmp_path / "t.db", is_direct=is_direct) as server:
        ann = server.guest()
        table = ann.make(TOY)
        for path in (f"/tables/{table}/events", "/lobby/events"):
            answer = ann.web.head(path, timeout=5)
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
        assert ann.web.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["scene", "replay", "log", "picture.svg", "analysis"])
def test_odd_readers_are_refused(server, path):
    """A view is asked for by the number of a seat, or -1 for a spectator's; anything else is unknown, not an error."""
    ann = server.guest()
    table = ann.make(TOY, **{"seat-1": "random"})
    for odd in ("--1", "-", "²", "٣", "1e9", "9" * 5000):
        answer = ann.web.get(f"/tables/{table}/{path}", params={"reader": odd})
        assert answer.status_code == 404, (odd, answer.text[:200])


def test_no_page_fails_on_anything(server):
    """All routes, with odd things in their paths, queries and bodies: whatever the response, it is not a 500.

    Of a stream the beginning is read.
    """
    ann = server.guest("Odd Ann")
    table = ann.make(TOY, **{"seat-1": "random"})
    routes = sorted(set(all_routes(server.server.config.app)))
    assert len(routes) > 80
    assert {("GET", "/lobby/events"), ("POST", "/api/tables/{table}/moves"), ("GET", "/web/{path:path}")} < set(routes)

    def ask(route, table_, part, query=None, body=None, is_json=False, accept="*/*"):
        method, path = route
        path = path.replace("{table}", quote(table_, safe=""))
        path = re.sub(r"{[a-z:]+}", quote(part, safe="").replace("\\", "%5C"), path)
        sent = {} if method in ("GET", "HEAD") else {"json": body} if is_json else {"data": body}
        with ann.web.stream(method, path, params=query, headers={"accept": accept}, **sent) as answer:
            is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
            said = "" if is_stream else answer.read().decode("utf-8", "replace")[:300]
        assert answer.status_code < 500 or answer.status_code == 501, (method, path, query, body, said)

    for route in routes:
        ask(route, table, TOY)
        ask(route, table, "1", body={"what": "x"}, is_json=True)

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(
        route=st.sampled_from(routes),
        table_=st.sampled_from([table, table, table, *filter(None, ODD)]),
        part=st.sampled_from([TOY, TOY, "say", "sit", "1", *filter(None, ODD)]),
        query=st.dictionaries(st.sampled_from(["at", "reader", "move", "width", "since", "bank", "seats", "back"]),
                              st.sampled_from([*ODD, "1"]), max_size=3),
        body=st.dictionaries(st.sampled_from(["name", "ask", "key", "seat", "text", "game", "log", "what", "guest",
                                              "password", "seats", "option-bank", "clock", "minutes"]),
                             st.sampled_from([*ODD, "1", "guest", "log in", TOY]), max_size=4),
        is_json=st.booleans(), accept=st.sampled_from(["text/html", "*/*"]),
    )  # fmt: skip
    def one(**what):
        ask(**what)

    one()


@pytest.mark.parametrize("charset", ["punycode", "unicode_escape", "undefined", "utf-16"])
def test_forms_are_in_utf_8(server, charset):
    """Of Python's codecs some take minutes for a megabyte, and others make text that cannot be stored or shown."""
    ann = server.guest()
    table = ann.make(TOY, **{"seat-1": "random"})
    part = '--X\r\ncontent-disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    body = "".join(part.format(name, r"guest\ud800") for name in ("what", "log", "game", "guest")) + "--X--"
    kind = {"content-type": f"multipart/form-data; boundary=X; charset={charset}"}
    for path in ("/me", "/import", "/verify", "/tables", f"/tables/{table}/join", f"/find/{TOY}"):
        answer = ann.web.post(path, content=body, headers=kind)
        assert (answer.status_code, answer.json()["code"]) == (415, "unreadable"), path


def test_long_forms_are_decoded_beside_the_event_loop(server, monkeypatch):
    threads, known = [], urllib.parse.unquote

    def unquote(text, **more):
        threads.append(threading.current_thread().name.split("_")[0])
        return known(text, **more)

    monkeypatch.setattr(urllib.parse, "unquote", unquote)
    answer = httpx.post(f"{server.url}/import", data={"log": "%" * 1000})
    assert answer.status_code == 422
    assert set(threads) == {"worker"}
    assert httpx.post(f"{server.url}/import", data=dict.fromkeys(map(str, range(300)), "")).status_code == 400


def test_logs_that_are_sent_hold_no_pages_up(server, monkeypatch):
    """They have threads of their own, and so have solvers. Why a piece cannot be touched takes a few milliseconds."""
    ann, threads = server.guest(), []
    table = ann.make(TOY, rated="no", **{"seat-1": "random"})
    server.rested(table)
    monkeypatch.setattr(replay, "taken_over", noted(replay.taken_over, threads))
    monkeypatch.setattr(replay, "verify", noted(replay.verify, threads))
    monkeypatch.setattr(actions, "why_not", noted(lambda *what: "", threads))  # in those of pages, before hints
    monkeypatch.setattr(registry.game(TOY).rules, "solution", noted(lambda v: None, threads), raising=False)
    monkeypatch.setattr(forms, "parse_qsl", noted(forms.parse_qsl, threads))
    for path, status in [("/import", 422), ("/verify", 200)]:
        threads.clear()
        assert httpx.post(f"{server.url}{path}", data={"log": "%" * 100_000}).status_code == status
        assert set(threads) == {"importer"}, path
    for path, status, where in [("why?piece=x", 200, "worker"), ("hint", 409, "judge")]:
        threads.clear()
        assert ann.web.get(f"/tables/{table}/{path}").status_code == status
        assert set(threads) == {where}, path


def noted(work, threads):
    """The same function, which also appends to `threads` for what its thread is."""

    def named(*what, **more):
        threads.append(threading.current_thread().name.split("_")[0])
        return work(*what, **more)

    return named


def test_what_takes_long_is_done_beside_the_event_loop(server, monkeypatch):
    """Such as the page of a replay, an analysis and its storing, one's logs in a file, a rematch's configuration."""
    ann, threads = server.guest(), {}
    for what in (
        *("http.replay.render", "tables.messages.encode", "tables.analyses.packed", "tables.analyses.unpacked"),
        *("http.table_routes.config", "metrics.generate_latest"),
    ):
        where, _, name = f"backroom.server.{what}".rpartition(".")
        work = getattr(importlib.import_module(where), name)
        monkeypatch.setattr(f"{where}.{name}", noted(work, threads.setdefault(name, [])))
    monkeypatch.setattr(ZipFile, "writestr", noted(ZipFile.writestr, threads.setdefault("writestr", [])))
    table = ann.make(TOY, **{"seat-1": "random"})
    server.rested(table)
    assert ann.do(table, "resign").status_code == 200
    assert ann.web.get("/me/logs").status_code == 200
    for path in ("replay", "analysis"):
        threads["encode"].clear()
        assert ann.web.get(f"/tables/{table}/{path}").status_code == 200
    assert set(threads["encode"]) == {"worker"}
    server.services.analyses._found.clear()
    assert ann.web.get(f"/tables/{table}/analysis?after=0").json()["of"] > 0
    assert ann.do(table, "rematch").status_code == 200
    assert httpx.get(f"{server.url}/metrics").status_code == 200
    assert {name: set(found) for name, found in threads.items() if name != "encode"} == {
        "render": {"worker"},
        "packed": {"loader"},
        "unpacked": {"loader"},
        "config": {"worker"},
        "generate_latest": {"loader"},
        "writestr": {"worker"},
    }


def test_metrics_of_all_processes_are_made_once_a_second(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(metrics, "Labelled", lambda found: made.append(found) or SimpleNamespace(collect=list))

    async def ask():
        shared = metrics.SharedMetrics(Place(0, 1, tmp_path))
        await asyncio.gather(*[shared.text() for _ in range(5)], shared.text())
        assert len(made) == 1
        monkeypatch.setattr(metrics, "FRESH", 0)
        await shared.text()
        assert len(made) == 2

    run(ask())


def test_pages_are_limited(tmp_path):
    pages = ["/me", f"/ladder/{TOY}", f"/rules/{TOY}", f"/new/{TOY}", "/solo/rum-run-puzzles", "/style", "/import"]
    with (
        served(tmp_path / "t.db", limits=0.025, proxies="127.0.0.1") as server,
        httpx.Client(base_url=server.url) as web,
    ):
        for n, path in enumerate([*pages, "/verify", "/metrics", "/api/games"]):
            headers = {"x-forwarded-for": f"192.0.2.{n}"}
            found = [web.get(path, headers=headers).status_code for _ in range(6)]
            assert (found[0], 429 in found) == (200, True), path


def test_replaying_a_whole_log_is_limited_more_than_looking(tmp_path, monkeypatch):
    """A log of 100,000 lines takes a second of one of the threads for logs."""
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=float))
    with served(tmp_path / "t.db", limits=1) as server:
        ann = server.guest()
        table = ann.make(TOY, **{"seat-1": "random"})
        found = Counter(ann.web.get(f"/tables/{table}/verify").status_code for _ in range(15))
        assert found == {200: 10, 429: 5}


@pytest.mark.parametrize("path", ["/me", f"/find/{TOY}", "/tables/{}/join"])
def test_forms_are_limited_before_they_are_read(tmp_path, monkeypatch, path):
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=float))  # no bucket fills again
    with served(tmp_path / "t.db", limits=0.25) as server:
        ann = server.guest()
        path, read = path.format(ann.make(TOY)), []
        monkeypatch.setattr(Request, "body", lambda self, body=Request.body: read.append(1) or body(self))
        found = [ann.web.post(path, data={"what": "nothing", "here": "x"}).status_code for _ in range(14)]
    assert found[-1] == 429
    assert len(read) <= 11


@pytest.mark.parametrize("path", ["/tables/{}/moves", "/tables/{}/say", "/api/tables/{}/moves", "/api/tables"])
def test_long_forms_for_short_messages_are_not_decoded(server, monkeypatch, path):
    """They are decoded on the event loop, and 64 KB of signs that have to be decoded take it 65 ms."""
    ann, lengths, known = server.guest(), [], urllib.parse.unquote
    table = ann.make(TOY, **{"seat-1": "random"})
    monkeypatch.setattr(urllib.parse, "unquote", lambda text, **more: lengths.append(len(text)) or known(text, **more))
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert ann.web.post(path.format(table), content=b"text=" + b"%" * 60_000, headers=form).status_code == 413
    assert max(lengths, default=0) < 1000
    assert ann.web.post(f"/tables/{table}/say", data={"text": "\N{PARTY POPPER}" * 400}).status_code == 200


def all_routes(app, before=""):
    """The methods and paths of all routes of an application, through its middleware and in all that is mounted."""
    while not hasattr(app, "routes"):
        if not hasattr(app, "app"):  # files
            return [("GET", before + "/{path:path}")]
        app = app.app
    return [
        found
        for route in app.routes
        for found in (
            [(method, before + route.path) for method in route.methods]
            if hasattr(route, "methods")
            else all_routes(route.app, before + route.path)
        )
    ]


# analyses


class Slow:
    """A slow judge that records the thread it was called in."""

    def __init__(self, seconds):
        self.seconds, self.threads = seconds, set()

    def judge(self, game):
        return self

    def moves(self, v, seat, seed):
        self.threads.add(threading.current_thread().name.split("_")[0])
        time.sleep(self.seconds)
        return dict.fromkeys(toy_game().moves(v, seat), 0.5)

    def view(self, v, seat, seed):
        return 0.5


def test_guests_at_one_address_cannot_ask_for_analyses_without_end(server, monkeypatch):
    monkeypatch.setitem(RATES, "analyses", (0, 2 / server.services.limits.factor))
    codes = []
    for name in ("Ann", "Ben", "Cid"):
        guest = server.guest(name)
        table = guest.make(TOY, seats=2, **{"seat-1": "random"})
        assert guest.do(table, "resign").json()["ok"]
        codes.append(guest.web.get(f"/tables/{table}/analysis").status_code)
    assert codes == [200, 200, 429]


def test_analyses_are_fair_and_have_an_end():
    """One person's long games do not keep another waiting, and no analysis exceeds its time limit."""
    game = toy_game()
    table = game.table(seed=1)
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    judge = Slow(0.01)

    async def ask():
        analyses = Analyses(judge, seconds=0.3)
        analyses.pool._max_workers = 1
        loop = asyncio.get_running_loop()
        start, done = loop.time(), {}

        async def one(name, who):
            found = await analyses.of(name, table, who)
            done[name] = (loop.time() - start, "too long" in found.get("wrong", ""))
            assert 0 < found["done"] < found["of"]  # the finished part is shown

        judge.seconds = 0.2
        mine = [asyncio.ensure_future(one(f"mine {n}", "ann")) for n in range(4)]
        await asyncio.sleep(0.01)
        await one("yours", "ben")
        assert analyses.queued > 0
        await asyncio.gather(*mine, one("mine 0", "cid"))
        assert analyses.queued == 0
        analyses.close()
        return done

    done = run(ask())
    assert all(is_cut for _, is_cut in done.values())
    assert done["yours"][0] < done["mine 2"][0]
    assert judge.threads == {"analysis"}


# long games


def test_a_long_game_holds_nobody_up(server, monkeypatch):
    """A long game is replayed in a thread, and from a nearby saved state."""
    ann = server.guest("Long Ann")
    table = ann.make(TOY, **{"seat-1": "random"})
    threads, known = [], Table.states

    def states(self, since=0):
        threads.append(threading.current_thread().name)
        return known(self, since)

    monkeypatch.setattr(Table, "states", states)
    for path in ("scene?at=1", "replay", "picture.svg"):
        assert ann.web.get(f"/tables/{table}/{path}").status_code == 200
    assert any(name.startswith("worker") for name in threads)
    assert all(name.startswith(("worker", "bot")) for name in threads), threads


@pytest.mark.parametrize("path", ["scene?at=1", "replay", "picture.svg", "moments.gif"])
def test_a_move_does_not_wait_for_a_replay(server, monkeypatch, path):
    ann = Guest.program(server.url, "Ann")
    table = ann.make(TOY, **{"seat-1": "random"})
    begun, may_go_on, draw = threading.Event(), threading.Event(), replay.Moment.__init__

    def slowly(self, *what):
        begun.set()
        assert may_go_on.wait(20)
        draw(self, *what)

    monkeypatch.setattr(replay.Moment, "__init__", slowly)
    server.rested(table)
    now = ann.decision(table)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(httpx.get, f"{server.url}/tables/{table}/{path}")
        try:
            assert begun.wait(10)
            assert httpx.post(
                f"{server.url}/tables/{table}/moves", json={"name": now["moves"][0]["name"], "ask": now["ask"]},
                headers={"authorization": f"Bearer {ann.token}"}, timeout=5,
            ).status_code == 200  # fmt: skip
        finally:
            may_go_on.set()
        assert answer.result(20).status_code == 200
