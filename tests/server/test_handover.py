"""Connections handed over between processes at any time: every request is answered once and in order.

Two servers in one event loop take the place of two processes; each says in its responses which one it is.
"""

import asyncio
import contextlib
import socket
import zlib

import pytest
import uvicorn

from backroom.server.http.connections import Caps, protocol
from backroom.server.http.handover import Handover
from backroom.server.place import Place as PlaceOf

uvloop = pytest.importorskip("uvloop")
LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
TABLES = [next(f"t{n}" for n in range(99) if zlib.crc32(b"t%d" % n) % 2 == place) for place in (0, 1)]
"""An id of a table for each of the two servers."""
BIG = 3_000_000
PATIENCE = 60
"""Seconds that a busy machine may take for what is done at once otherwise."""


class Place:
    """One of the two servers, at a port of its own so that a test can choose where it connects."""

    def __init__(self, number, folder):
        self.number = number
        self.handover = Handover(PlaceOf(number, 2, folder))
        self.config = uvicorn.Config(
            self.app,
            interface="asgi3",
            http=protocol(Caps(), is_direct=False, handover=self.handover),
            lifespan="off",
            log_level="error",
        )
        self.config.load()
        self.state = uvicorn.server.ServerState()
        self.served = []

    async def app(self, scope, receive, send):
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        self.served.append(scope["path"])
        if "slow" in scope["path"]:
            await asyncio.sleep(0.02)
        words = b"%d %b %b" % (self.number, scope["path"].encode(), body)
        words += b"x" * (BIG if "big" in scope["path"] else 0)
        headers = [(b"content-length", b"%d" % len(words))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": words})

    def made(self, read_before=b""):
        found = self.config.http_protocol_class(config=self.config, server_state=self.state, app_state={})
        found.read_before = read_before
        return found

    async def open(self):
        self.server = await asyncio.get_running_loop().create_server(self.made, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.handover.open(self.made)

    def close(self):
        self.server.close()
        with contextlib.suppress(OSError, ValueError):
            self.handover.close()


class Client:
    """One connection, on which bytes are sent as the test says."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def send(self, *pieces):
        for piece in pieces:
            self.writer.write(piece)

    async def answer(self):
        """The server and the path of each response."""
        async with asyncio.timeout(PATIENCE):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            place, path, body = (await self.reader.readexactly(length)).split(b" ", 2)
        assert head.startswith(b"HTTP/1.1 200 "), head
        return int(place), path.decode(), body


def request(path, body=b""):
    return b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (path.encode(), len(body), body)


@pytest.fixture(params=LOOPS)
def run(request, tmp_path):
    """Run a test with both places and a connection to the first."""

    def runs(test):
        async def whole():
            places = [Place(number, tmp_path) for number in (0, 1)]
            for place in places:
                await place.open()
            client = Client(*await asyncio.open_connection("127.0.0.1", places[0].port, limit=2 * BIG))
            try:
                await test(client, *places)
            finally:
                client.writer.close()
                for place in places:
                    place.close()

        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            runner.run(whole())

    return runs


def test_each_request_is_answered_where_its_table_is(run):
    async def test(client, *places):
        for turn in range(50):
            place = turn * 7 % 3 % 2
            path = f"/api/tables/{TABLES[place]}/moves"
            client.send(request(path, b"%d" % turn))
            assert await client.answer() == (place, path, b"%d" % turn)
        client.send(request("/healthz"))
        assert (await client.answer())[1] == "/healthz"
        assert sum(len(place.served) for place in places) == 51

    run(test)


def test_a_request_may_come_in_two_pieces(run):
    async def test(client, *places):
        path = f"/tables/{TABLES[1]}/moves"
        whole = request(path, b"body")
        for cut in range(1, len(whole)):
            wire = Client(*await asyncio.open_connection("127.0.0.1", places[0].port))
            wire.send(whole[:cut])
            await asyncio.sleep(0.001)
            wire.send(whole[cut:])
            assert (await wire.answer())[1:] == (path, b"body"), cut
            wire.send(whole)
            assert await wire.answer() == (1, path, b"body"), cut
            wire.writer.close()

    run(test)


def test_requests_sent_at_once_are_answered_in_order(run):
    async def test(client, *places):
        for first, second in ((0, 1), (1, 0), (1, 1)):
            paths = [
                f"/tables/{TABLES[place]}/{name}" for place, name in ((first, "slow"), (second, "b"), (first, "c"))
            ]
            client.send(b"".join(request(path) for path in paths))
            assert [(await client.answer())[1] for _ in paths] == paths
            for path in paths:  # the later ones come while the first is still being answered
                client.send(request(path))
                await asyncio.sleep(0.002)
            assert [(await client.answer())[1] for _ in paths] == paths

    run(test)


def test_an_answer_that_is_still_being_sent_is_not_cut_off(run):
    async def test(client, *places):
        client.send(request(f"/tables/{TABLES[0]}/big"))
        await asyncio.sleep(0.05)
        client.send(request(f"/tables/{TABLES[1]}/next"))
        await asyncio.sleep(0.05)
        assert len((await client.answer())[2]) == BIG
        assert (await client.answer())[1] == f"/tables/{TABLES[1]}/next"

    run(test)


def test_many_connections_at_once_are_all_answered_where_their_table_is(run):
    """The system has room for few of them; a stream would stay in the wrong process for as long as it is open."""

    async def test(client, here, other):
        there = f"/tables/{TABLES[1]}/events"
        wires = [Client(*await asyncio.open_connection("127.0.0.1", here.port)) for _ in range(100)]
        for wire in wires:
            wire.send(request(there))
        found = [(await wire.answer())[0] for wire in wires]
        for wire in wires:
            wire.writer.close()
        assert found == [1] * len(wires)

    run(test)


def test_clients_that_leave_while_another_process_has_too_many_to_take_disturb_nobody(run):
    async def test(client, here, other):
        loop, found = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _, context: found.append(context))
        loop.remove_reader(other.handover._socket)
        wires = [Client(*await asyncio.open_connection("127.0.0.1", here.port)) for _ in range(600)]
        for wire in wires:
            wire.send(request(f"/tables/{TABLES[1]}/events"))
        await asyncio.sleep(0.05)
        for wire in wires:
            wire.writer.transport.abort()
        client.send(request(f"/tables/{TABLES[0]}/moves"))
        assert (await client.answer())[0] == 0
        await asyncio.sleep(0.6)
        assert found == []

    run(test)


def test_a_place_that_is_gone_or_has_no_room_is_stood_in_for(run):
    async def test(client, here, other):
        there = f"/tables/{TABLES[1]}/moves"
        asyncio.get_running_loop().remove_reader(other.handover._socket)
        wires = [Client(*await asyncio.open_connection("127.0.0.1", here.port)) for _ in range(600)]
        for wire in wires:
            wire.send(request(there))
        async with asyncio.timeout(PATIENCE):
            while not here.served:
                await asyncio.sleep(0.05)
        asyncio.get_running_loop().add_reader(other.handover._socket, other.handover._take, other.made)
        assert {(await wire.answer())[0] for wire in wires} == {0, 1}
        for wire in wires:
            wire.writer.close()
        other.handover.close()
        client.send(request(there))
        assert await client.answer() == (0, there, b"")

    run(test)


@pytest.mark.parametrize("run", ["uvloop"], indirect=True)
def test_a_loop_ends_although_a_connection_is_open(run):
    """uvloop warns of it. As an error the warning would leave the connection open, and the loop would wait forever."""
    with socket.socket() as left_open:

        async def test(client, here, other):
            left_open.connect(("127.0.0.1", here.port))
            async with asyncio.timeout(PATIENCE):
                while len(here.state.connections) < 2:
                    await asyncio.sleep(0.01)

        run(test)


def test_a_connection_counts_where_it_is(run):
    """The server that hands a connection over forgets it; the other closes it after the keep-alive timeout."""

    async def test(client, here, other):
        other.config.timeout_keep_alive = 0.05
        client.send(request(f"/tables/{TABLES[1]}/moves"))
        await client.answer()
        assert not here.state.connections
        assert len(other.state.connections) == 1
        async with asyncio.timeout(PATIENCE):
            assert await client.reader.read() == b""
        assert not other.state.connections

    run(test)
