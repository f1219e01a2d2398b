"""How tests use the server: a real server in this process or another, real HTTP, real streams."""

import asyncio
import contextlib
import ctypes
import json
import os
import queue
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import toy
import uvicorn

import backroom
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.server.http.app import make
from backroom.server.http.connections import Caps, protocol
from backroom.server.services import Services, Settings
from backroom.server.tables.thinking import HouseBots

TOY = toy.NAME
OPEN = []
"""Connections to be closed with the server."""


@contextlib.contextmanager
def with_toy():
    """Register the toy temporarily, since other tests list all registered games."""
    if TOY in set(backroom.names()):
        yield
        return
    registry.register(TOY, toy.module)
    try:
        yield
    finally:
        registry._loaders.pop(TOY)
        registry._games.pop(TOY, None)


@dataclass
class Anything:
    """A bot in plain Python, and a judge for which everything is worth the same."""

    game: Game
    name: str = "anything"
    patience: float = 1.0

    def memory(self):
        return None

    def answer(self, v, seat, seed, memory=None, until=None):
        found = self.game.moves(v, seat)
        return found[seed % len(found)]

    def moves(self, v, seat, seed):
        return dict.fromkeys(self.game.moves(v, seat), 0.5)

    def view(self, v, seat, seed):
        return 0.5


class ToyBots(HouseBots):
    """The normal bots, and one for the toy, whose rules are not kernels."""

    def bot(self, name, game):
        return Anything(game, name) if game.name == TOY else super().bot(name, game)

    def judge(self, game):
        return Anything(game) if game.name == TOY else super().judge(game)


TLS = ssl.create_default_context()
"""One context for all clients: making one takes longer than what most tests do with it."""
GAMES = [*backroom.names(), TOY]


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, at=1_700_000_000_000):
        self.at = at

    def __call__(self):
        return self.at

    def go(self, seconds):
        self.at += round(1000 * seconds)


class Served:
    """A running server and its internals."""

    def __init__(self, url, services, loop, server):
        self.url, self.services, self.loop, self.server = url, services, loop, server

    def do(self, work, timeout=30):
        """Run something inside the server."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout)

    def guest(self, name="Ann"):
        return Guest(self.url, name)

    def live(self, table):
        return self.do(self.services.tables.get(table))

    def rested(self, table):
        """The table's state when no bot has to move any more."""
        live = self.live(table)
        for _ in range(3000):
            if not live.bots.is_busy:
                return live.state
            time.sleep(0.01)
        raise AssertionError("the bots do not come to rest")


@contextlib.contextmanager
def served(db, caps=None, **settings):
    """A server on a free port, in a thread."""
    services = Services(
        Settings(str(db), **{"bots": ToyBots(), "bot_pace": 0.0, "limits": 1000, "warm": False, **settings})
    )
    app = make(services)
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=protocol(caps or Caps(), services.settings.is_direct, services=services),
            log_level="error",
            timeout_graceful_shutdown=1,
            proxy_headers=False,
        )
    )
    started = threading.Event()
    found = {}

    async def run():
        found["loop"] = asyncio.get_running_loop()
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        started.set()
        await task

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(30)
    try:
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", services, found["loop"], server)
    finally:
        close_all()
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def run(work):
    """Run a coroutine in a loop of its own, since a browser test may have one in this thread already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result(120)


def close_all():
    while OPEN:
        OPEN.pop().close()


class Guest:
    """A person with a browser, or a program with a token."""

    def __init__(self, url, name, token=None):
        self.url, self.name = url, name
        self.token = token
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.web = httpx.Client(base_url=url, headers=headers, timeout=30, verify=TLS)
        OPEN.append(self.web)
        if token is None:
            answer = self.web.post("/me", data={"what": "guest", "guest": name})
            assert answer.status_code == 303, answer.text

    @classmethod
    def program(cls, url, name):
        token = httpx.post(f"{url}/api/guests", json={"name": name}, verify=TLS).json()["token"]
        return cls(url, name, token)

    def make(self, game, **form):
        """Make a table; returns its id. All seats but the first are open unless said otherwise."""
        form = {f"seat-{seat}": "open" for seat in range(1, 14)} | {"game": game} | form
        answer = self.web.post("/tables", data={k: str(v) for k, v in form.items()})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/tables/")

    def do(self, table, action, **said):
        return self.web.post(f"/tables/{table}/{action}", json=said)

    def move(self, table, name, ask=None, key=None):
        return self.do(table, "moves", name=name, ask=ask, key=key)

    def decision(self, table):
        answer = self.web.get(f"/api/tables/{table}/decision")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def listening(self, table, since=None, api=False):
        """A table's stream as a queue of messages."""
        return self.stream(
            f"{'/api' if api else ''}/tables/{table}/events" + ("" if since is None else f"?since={since}")
        )

    @contextlib.contextmanager
    def stream(self, path):
        """A stream as a queue of messages."""
        found = queue.Queue()
        headers = {"authorization": self.web.headers.get("authorization", "")}
        slow = httpx.Timeout(10, read=60)
        client = httpx.Client(base_url=self.url, cookies=self.web.cookies, headers=headers, timeout=slow, verify=TLS)
        opened, sockets = threading.Event(), []

        def listen():
            with contextlib.suppress(httpx.HTTPError), client.stream("GET", path) as answer:
                sockets.append(answer.extensions["network_stream"].get_extra_info("socket"))
                opened.set()
                event = {}
                for line in answer.iter_lines():
                    if line == "" and "data" in event:
                        found.put({"event": event.get("event", ""), "id": event.get("id"), **json.loads(event["data"])})
                    if line == "":
                        event = {}
                    elif not line.startswith(":"):
                        name, _, value = line.partition(": ")
                        event[name] = value
            opened.set()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        assert opened.wait(20)
        try:
            yield found
        finally:
            for each in sockets:  # closing alone would not wake the thread that reads from it
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            client.close()


def in_one_piece(path, token, body, more=b""):
    """A request with JSON, as one piece of bytes."""
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n"
    return head.encode() + more + b"content-length: %d\r\n\r\n%b" % (len(body), body)


def answers_on(connection, count):
    """The statuses and bodies of this number of responses."""
    found, rest = [], b""
    while len(found) < count:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError("the server has closed the connection")
        rest += part
        while b"\r\n\r\n" in rest:
            head, _, after = rest.partition(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head)[1])
            if len(after) < length:
                break
            found.append((int(head.split()[1]), json.loads(after[:length])))
            rest = after[length:]
    return found


class MovesInOnePiece:
    """A connection for moves, each sent as one piece of bytes, as browsers do; httpx sends the body by itself."""

    def __init__(self, url, token):
        self.token = token
        self.socket = socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 30)

    def move(self, table, **message):
        """The status and body of the answer."""
        self.socket.sendall(in_one_piece(f"/api/tables/{table}/moves", self.token, json.dumps(message).encode()))
        return answers_on(self.socket, 1)[0]

    def close(self):
        self.socket.close()


def until(is_so):
    """Wait for something that comes soon."""
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def news(messages, wait=10):
    """The next message that is not just somebody coming or going."""
    end = time.monotonic() + wait
    while True:
        found = messages.get(timeout=max(0.01, end - time.monotonic()))
        if found["event"] != "here":
            return found


def play_out(server, table, guests, rng, most=5000):
    """Everybody plays randomly until the game is over; returns the last decision of each. Guests sit in their order."""
    live = server.live(table)
    seats = {live.state.seat_of(server.do(person_of(server, guest)).id): guest for guest in guests}
    for _ in range(most):
        state = live.state
        if state.stage == "over":
            return {guest.name: guest.decision(table) for guest in guests}
        seat = rng.choice(state.asked)
        answer = seats[seat].move(table, rng.choice(state.table.moves(seat)), state.asks[seat])
        assert answer.status_code == 200, answer.text
    raise AssertionError("it does not end")


async def person_of(server, guest):
    return await server.services.people.by_cookie(guest.web.cookies["backroom"])


PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In a new process: end with the process that has started it, even if that is killed; only on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def ending_with_parent(*words):
    """The command of a Python that runs these words, and ends with the process that has started it."""
    if sys.platform != "linux":
        return [sys.executable, *words]
    become = f"import ctypes, os, sys; ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {signal.SIGKILL:d}); "
    become += "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    return [sys.executable, "-c", become, *words]


NURSERY = """
import os, sys
import serving
serving.end_with_parent()
toy = serving.with_toy()
toy.__enter__()
from backroom.server import launch
from backroom.server.http import app
from backroom.server.storage import pg_notify, store

for line in sys.stdin:
    db, port, fault = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        serving.end_with_parent()
        os.close(0)
        exec(fault.replace(";;", "\\n"), {"store": store, "os": os})
        print(os.getpid(), end=" ", flush=True)
        try:
            launch.launch("127.0.0.1", int(port), db, False, serving.ToyBots(), processes=1)
        except BaseException as error:
            print("it failed:", repr(error), flush=True)
        os._exit(0)
"""
"""A script that imports everything and forks servers on demand, for lines with a database, a port and a fault."""


class Nursery:
    """Starts servers in processes of their own, quickly."""

    def __init__(self, **environment):
        tests = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, "PYTHONPATH": tests, "BACKROOM_BOT_PACE": "0", "BACKROOM_LIMITS": "1000", **environment}
        self.child = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def serve(self, db, port=0, fault=""):
        fault = fault.strip().replace("\n", ";;")
        self.child.stdin.write(f"{db}\t{port}\t{fault}\n")
        self.child.stdin.flush()
        return Process(self.child.stdout)

    def close(self):
        self.child.stdin.close()
        self.child.wait(20)
        self.child.stdout.close()


class Process:
    """A server in a process of its own, which can be killed."""

    def __init__(self, said):
        line = said.readline()
        while "open at" not in line:
            assert line, "the server did not start"
            assert "it failed" not in line, line
            line = said.readline()
        self.pid, self.url = int(line.split()[0]), line.split()[-1].rstrip("/")
        for _ in range(1000):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/healthz", timeout=5, verify=TLS).status_code == 200:
                    return
            time.sleep(0.01)
        raise AssertionError("the server does not answer")

    def kill(self):
        """Kill it with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)
        self._until_gone()

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        self._until_gone()

    def _until_gone(self):
        for _ in range(1000):
            if is_gone(self.pid):
                return
            time.sleep(0.01)
        raise AssertionError("the server does not stop")


def is_gone(pid):
    """Whether a process has ended; its parent may not have asked for its status yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def game_of(name):
    """A game by its name, the toy too, whether it is registered now or not."""
    return toy_game() if name == TOY else backroom.game(name)


def toy_game(**planted):
    return Game(toy.module(**planted))
