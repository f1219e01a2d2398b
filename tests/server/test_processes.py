"""Processes stop, restart and run side by side without refusing any request."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import pytest
from databases import DATABASES, database
from serving import MovesInOnePiece, ending_with_parent

import backroom
from backroom.engine.options import BadOption
from backroom.server import launch
from backroom.server.processes import ALIVE, Child, Supervisor

ENV = {**os.environ, "BACKROOM_LIMITS": "1000", "NUMBA_DISABLE_JIT": "1"}
"""Kernels are not compiled, since little is played here."""
GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
LOGS = list(Path(backroom.__file__).parent.glob(f"games/{GAME.replace('-', '_')}/tests/golden/*.log"))


@contextlib.contextmanager
def serving(*words, stdin=subprocess.DEVNULL):
    child = subprocess.Popen(
        ending_with_parent("-m", "backroom", "serve", "--port", "0", *map(str, words)),
        stdin=stdin, stdout=subprocess.PIPE, text=True, env=ENV,
    )  # fmt: skip
    try:
        url = child.stdout.readline().split()[-1].rstrip("/")
        assert url.startswith("http"), url
        until(lambda: httpx.get(f"{url}/readyz", timeout=30).status_code == 200)
        yield child, url
    finally:
        if child.poll() is None:
            child.kill()
        child.wait(20)
        child.stdout.close()


def until(is_so, wait=90):
    end = time.monotonic() + wait
    while time.monotonic() < end:
        with contextlib.suppress(httpx.HTTPError):
            if is_so():
                return
        time.sleep(0.05)
    raise AssertionError("it never came to that")


class Knocking:
    """Connects again and again, and counts every refusal."""

    def __init__(self, url):
        self.url, self.answers, self.failures, self.is_over = url, 0, [], False
        self.thread = threading.Thread(target=self.knock, daemon=True)
        self.thread.start()

    def knock(self):
        while not self.is_over:
            try:
                answer = httpx.post(f"{self.url}/api/guests", json={"name": "Ann"}, timeout=90)
                assert answer.status_code == 201, answer.text
                self.answers += 1
            except (httpx.HTTPError, AssertionError) as error:
                self.failures.append(repr(error))

    def stop(self):
        self.is_over = True
        self.thread.join(100)
        assert not self.failures, self.failures
        return self.answers


class Moving(Knocking):
    """Plays both seats of a table, over kept connections.

    A move whose answer was lost with its connection is sent again with its key, as clients do; none may be refused, and
    none may be played twice.
    """

    are_several = False

    def knock(self):
        self.wires = {}
        with httpx.Client(base_url=self.url, timeout=90) as web:
            tokens = [web.post("/api/guests", json={"name": name}).json()["token"] for name in ("Ann", "Ben")]
            said = [{"authorization": f"Bearer {token}"} for token in tokens]
            new = {"game": GAME, "seats": 2, "sit": 0, "rated": False}
            self.table = web.post("/api/tables", json=new, headers=said[0]).json()["table"]
            web.post(f"/api/tables/{self.table}/seats", json={}, headers=said[1])
            while not self.is_over:
                for who in said:
                    now = self.ask(web, "GET", f"/api/tables/{self.table}/decision", who)
                    if now.get("asked"):
                        move = {"name": now["moves"][0]["name"], "ask": now["ask"], "key": str(self.answers)}
                        self.answers += self.move(who["authorization"].split()[1], move)
            log = web.get(f"/tables/{self.table}/log").text.partition("\n\n")[2]
            self.played = sum(line.startswith(("0 ", "1 ")) for line in log.splitlines())
        for wire in self.wires.values():
            wire.close()

    def ask(self, web, method, path, who):
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = web.request(method, path, headers=who)
                if answer.status_code != 200:
                    self.failures.append(answer.text)
                return answer.json()

    def move(self, token, sent):
        """Whether the move was made."""
        while True:
            with contextlib.suppress(OSError):
                wire = self.wires.get(token) or self.wires.setdefault(token, MovesInOnePiece(self.url, token))
                status, told = wire.move(self.table, **sent)
                if status == 409 and self.are_several:  # the other process hears of it a little later
                    return False
                if status != 200:
                    self.failures.append(told)
                return True
            if token in self.wires:
                self.wires.pop(token).close()


class MovingAtSeveral(Moving):
    are_several = True


def test_a_restart_turns_nobody_away_and_a_stop_is_status_0(tmp_path):
    with serving("--processes", "1", "--db", tmp_path / "t.db") as (child, url):
        knocking, moving = Knocking(url), [Moving(url) for _ in range(4)]
        until(lambda: all(each.answers > 3 for each in (knocking, *moving)))
        born = started(url)
        child.send_signal(signal.SIGHUP)
        until(lambda: started(url) != born)
        before = {each: each.answers for each in (knocking, *moving)}
        until(lambda: all(each.answers > before[each] + 3 for each in before))
        knocking.stop()
        for each in moving:
            assert each.stop() == each.played
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0


def test_a_stop_does_not_wait_for_analyses(tmp_path):
    """Without compiled kernels this one would take a minute."""
    with serving("--processes", "1", "--db", tmp_path / "t.db") as (child, url):
        form = {"log": max(LOGS, key=lambda path: path.stat().st_size).read_text()}
        with httpx.Client(base_url=url, timeout=60) as web:
            web.post("/me", data={"what": "guest", "guest": "Ann"})
            place = web.post("/import", data=form).headers["location"].split("?")[0]
            analysis = place.replace("/replay", "/analysis")
            found = web.get(analysis, params={"after": "0"}).json()
            assert found["done"] < found["of"]
        child.send_signal(signal.SIGTERM)
        assert child.wait(15) == 0


def started(url):
    """The start time of the process that answers; `url` may be a client with a kept connection."""
    own = "/metrics?own"
    text = (url.get(own) if isinstance(url, httpx.Client) else httpx.get(url + own, timeout=30)).text
    return next(line.split()[1] for line in text.splitlines() if line.startswith("backroom_started_seconds "))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
@pytest.mark.parametrize("kind", DATABASES)
def test_each_table_has_a_process_and_processes_are_revived_and_replaced_one_by_one(tmp_path, kind):
    """All connections of a table get to one process; while that process is gone another serves the table.

    This includes a connection that was used for another table before, and one that is in the middle of a body.
    """
    with database(kind, tmp_path) as db, serving("--processes", "2", "--db", db) as (child, url):
        until(lambda: len(all_started(url)) == 2)
        ann = {"authorization": f"Bearer {httpx.post(f'{url}/api/guests', json={'name': 'Ann'}).json()['token']}"}
        new = {"game": GAME, "seats": 2, "sit": 0}
        tables = [httpx.post(f"{url}/api/tables", json=new, headers=ann).json()["table"] for _ in range(6)]
        served_by = {table: {served_after(url, table, ann) for _ in range(6)} for table in tables}
        assert all(len(found) == 1 for found in served_by.values()), served_by
        with httpx.Client(base_url=url, headers=ann) as web:
            for table in tables:
                answer = web.post(f"/api/tables/{table}/seats", content=slowly(b'{"seat": 0}'))
                assert answer.status_code == 200, answer.text
                assert started(web) in served_by[table]
        mine = children(child.pid)
        os.kill(mine[0], signal.SIGKILL)
        for table in tables:
            there = f"{url}/api/tables/{table}/decision"
            until(lambda there=there: httpx.get(there, headers=ann, timeout=30).status_code == 200, wait=3)
        until(lambda: len(set(children(child.pid)) - {mine[0]}) == 2)
        knocking, moving = Knocking(url), [MovingAtSeveral(url) for _ in range(2)]
        until(lambda: all(each.answers > 3 for each in moving))
        before = set(children(child.pid))
        child.send_signal(signal.SIGHUP)
        until(lambda: not set(children(child.pid)) & before and len(children(child.pid)) == 2)
        assert knocking.stop() > 0
        for each in moving:
            assert each.stop() == each.played
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 0


def test_if_the_supervisor_is_killed_its_processes_end(tmp_path):
    """Nobody is served by a server that nobody can stop, and another can have the file."""
    with serving("--processes", "2", "--db", tmp_path / "t.db") as (child, url):
        until(lambda: len(all_started(url)) == 2)
        mine = children(child.pid)
        child.kill()
        child.wait(20)
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in mine), wait=10)
    with serving("--processes", "1", "--db", tmp_path / "t.db"):
        pass


def test_a_process_that_hangs_is_replaced_and_nobody_waits_for_it(tmp_path):
    """It is stopped while it holds the lock of the writers: moves are refused until it is killed, and none is lost."""
    with serving("--processes", "2", "--db", tmp_path / "t.db") as (child, url):
        until(lambda: len(all_started(url)) == 2)
        hung, *_ = children(child.pid)
        moving = [MovingOnceMore(url) for _ in range(4)]
        until(lambda: all(each.answers > 3 for each in moving))
        stop_with_the_lock(hung)
        stopped = time.monotonic()
        before = {each: each.answers for each in moving}
        until(lambda: all(each.answers > before[each] + 3 for each in moving), wait=30)
        assert time.monotonic() - stopped < 20  # about six on a machine that does nothing else
        assert hung not in children(child.pid)
        for each in moving:
            assert each.stop() == each.played
        assert any(each.refusals for each in moving)
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 0


class MovingOnceMore(MovingAtSeveral):
    """One who sends what was refused for the moment once more, a little later."""

    refusals = 0

    def ask(self, web, method, path, who):
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = web.request(method, path, headers=who, timeout=60)
                if answer.status_code == 200:
                    return answer.json()
                self.failures += [answer.text] * (answer.status_code != 503)
            time.sleep(0.1)

    def move(self, token, sent):
        failures = len(self.failures)
        while True:
            was_made = super().move(token, sent)
            if self.failures[failures:] and self.failures[-1].get("code") == "unkept":
                self.failures.pop()
                self.refusals += 1
                time.sleep(0.1)
                continue
            return was_made


def stop_with_the_lock(pid):
    """Stop a process at a moment at which it holds the lock of those who write."""
    files = [os.path.join(f"/proc/{pid}/fd", name) for name in os.listdir(f"/proc/{pid}/fd")]
    lock = next(os.readlink(file) for file in files if os.readlink(file).endswith("/turn"))
    with open(lock) as file:
        for _ in range(5000):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.05)  # for the others that write to be done
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if is_held_by(pid, lock):
                    return
            else:
                fcntl.flock(file, fcntl.LOCK_UN)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.001)
    raise AssertionError("it never had the lock")


def is_held_by(pid, lock):
    """Whether a file is locked by the process, which may also wait for it."""
    inode = f":{os.stat(lock).st_ino} "
    with open("/proc/locks") as file:
        return any(inode in line and f" {pid} " in line and "->" not in line for line in file)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_end_of_the_terminal_ends_the_server(tmp_path, processes):
    ours, terminal = pty.openpty()
    with serving("--processes", processes, "--db", tmp_path / "t.db", stdin=terminal) as (child, _):
        child.send_signal(signal.SIGHUP)
        assert child.wait(30) == 0
    os.close(ours)
    os.close(terminal)


def test_a_process_that_hangs_before_it_is_ready_is_killed():
    script = """
import sys, time
from backroom.server import processes
processes.STARTING = 0.5
sys.exit(processes.Supervisor(lambda is_to_open: time.sleep(60), [], 2).run())
"""
    done = subprocess.run([sys.executable, "-c", script], timeout=30, check=False, env=ENV, capture_output=True)
    assert done.returncode == 1


def test_who_dies_while_a_successor_starts_is_not_revived_in_its_place(monkeypatch):
    """Each of the two would take the other's socket."""
    supervisor, started = Supervisor(lambda _: 0, [], 2), []

    class Said:
        def send(self, sig):
            self.status = 0

    def start(number):
        child = Said()
        child.number, child.begun, child.said = number, supervisor.clock, b""
        child.pid, child.status, child.is_ready = 1, None, False
        started.append(child)
        return child

    def look(children):
        supervisor.clock += 2
        assert supervisor.clock < 100
        started[0].status = -9
        if len(started) > 2 and supervisor.clock > started[-1].begun + 5:
            started[-1].is_ready = True

    monkeypatch.setattr(supervisor, "_started", start)
    monkeypatch.setattr(supervisor, "_look", look)
    supervisor.children = [start(0), start(1)]
    supervisor._replace_all()
    assert [child.number for child in started[2:]] == [0, 1]


@pytest.mark.parametrize("folder", ["x" * 100, "missing"])
def test_without_a_folder_for_sockets_there_is_one_process(tmp_path, monkeypatch, folder):
    if folder != "missing":
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / folder)])
    assert launch.usual_processes("t.db") == 1
    with pytest.raises(BadOption, match="set TMPDIR"):
        launch.launch("127.0.0.1", 0, "t.db", False, processes=2)


def test_a_server_that_cannot_start_says_why_whatever_the_number_of_processes(tmp_path):
    db = tmp_path / "t.db"
    db.write_text("this is not a database" * 100)
    done = subprocess.run(
        [sys.executable, "-m", "backroom", "serve", "--port", "0", "--processes", "2", "--db", str(db)],
        capture_output=True, text=True, timeout=60, check=False, env=ENV,
    )  # fmt: skip
    assert done.returncode == 2
    assert "the database cannot be opened" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_process_says_either_that_it_is_alive_or_why_it_cannot_serve():
    ours, theirs = socket.socketpair()
    child = Child(0, 0, ours, 0.0)
    theirs.send(b"t.db cannot be opened.")
    child.listen(1.0)
    assert (child.said, child.is_ready) == (b"t.db cannot be opened.", False)
    theirs.send(ALIVE)
    child.listen(2.0)
    assert (child.is_ready, child.heard) == (True, 2.0)
    ours.close()
    theirs.close()


def test_there_is_a_process_for_each_core_at_most_two_where_that_is_possible(monkeypatch):
    cores = {0}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores)
    assert launch.usual_processes("t.db") == 1
    cores |= {1, 2, 3}
    usual = {db: launch.usual_processes(db) for db in ("t.db", "postgresql://x/y", "sqlite://", "sqlite:///:memory:")}
    assert list(usual.values()) == [2, 2, 1, 1]
    monkeypatch.setattr(launch, "CAN_FORK", False)
    assert launch.usual_processes("t.db") == 1
    monkeypatch.setattr(launch, "CAN_BE_SEVERAL", False)
    with pytest.raises(BadOption, match="several processes"):
        launch.launch("127.0.0.1", 0, "t.db", False, processes=2)


def test_two_servers_cannot_have_one_file(tmp_path):
    with serving("--processes", "2", "--db", tmp_path / "t.db"):
        done = subprocess.run(
            [sys.executable, "-m", "backroom", "serve", "--port", "0", "--db", str(tmp_path / "t.db")],
            capture_output=True, text=True, timeout=60, check=False, env=ENV,
        )  # fmt: skip
    assert done.returncode == 2
    assert "another server has its tables in" in done.stderr


def all_started(url):
    """When each process was started, by its number."""
    text = httpx.get(f"{url}/metrics", timeout=30).text
    return dict(re.findall(r'(?m)^backroom_started_seconds\{process="(\d+)"\} (\S+)$', text))


def served_after(url, table, who):
    """The process that has a connection after a request about the table, by its start time."""
    with httpx.Client(base_url=url, headers=who) as web:
        assert web.get(f"/api/tables/{table}/decision").status_code == 200
        return started(web)


def slowly(body):
    """A body in pieces, which come one after the other."""
    for at in range(len(body)):
        yield body[at : at + 1]
        time.sleep(0.002)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))
