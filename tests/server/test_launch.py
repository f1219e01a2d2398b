"""Starting a server as people do: `backroom serve`, and plain `backroom` in a terminal."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pexpect
import pytest
from serving import ending_with_parent
from terminals import environment

from backroom.engine.options import BadOption
from backroom.server.compiling import Compiling
from backroom.server.launch import listen, settings_from
from backroom.server.storage.store import Store
from backroom.server.tables.thinking import HOUSE_BOTS


def env(tmp_path, **more):
    data = {"XDG_DATA_HOME": str(tmp_path / "data"), "BROWSER": "true"}
    found = {**environment(tmp_path), **data, **more}
    found.pop("CI", None)
    return found


def descendants(pid):
    children = list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    return [*children, *(each for child in children for each in descendants(child))]


def test_plain_backroom_in_a_terminal_opens_the_table(tmp_path):
    """It prints its address, keeps its tables in the data folder, and ends with Ctrl-C."""
    child = pexpect.spawn(
        sys.executable, ["-m", "backroom"], env=env(tmp_path), encoding="utf-8", timeout=60, dimensions=(40, 120)
    )
    child.expect(r"open at (http://127\.0\.0\.1:\d+/)")
    url = child.match[1]
    child.expect("Ctrl-C")
    for _ in range(100):
        try:
            page = httpx.get(url, timeout=30)
            break
        except httpx.ConnectError:
            continue
    assert "Backroom" in page.text
    assert (tmp_path / "data" / "backroom" / "tables.db").exists()
    child.sendintr()
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus in (0, 130)


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        words = [sys.executable, "-m", "backroom", "serve", "--port", str(port), "--db", str(tmp_path / "t.db")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=env(tmp_path))
    assert done.returncode == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in done.stderr
    assert "say another with --port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(("db", "why"), [("missing/t.db", "there is no such folder"), ("text.db", "not a database")])
def test_a_database_that_cannot_be_is_refused_before_the_address_is_said(tmp_path, db, why, processes):
    (tmp_path / "text.db").write_text("This is a text, and no database.\n" * 100)
    words = [sys.executable, "-m", "backroom", "serve", "--port", "0", "--db", str(tmp_path / db)]
    words += ["--processes", str(processes)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=env(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1"])
def test_an_address_that_is_not_ours_is_said(host):
    with pytest.raises(
        BadOption, match=rf"^cannot listen at {host} \(.+\); expected an address of this machine as --host"
    ):
        listen(host, 0)


def test_an_empty_address_is_not_every_address():
    with pytest.raises(BadOption, match=r"^--host is empty; expected an address of this machine"):
        listen("", 0)


def test_stopping_while_kernels_compile_is_no_error(tmp_path):
    words = ending_with_parent("-m", "backroom", "serve", "--port", "0", "--db", str(tmp_path / "t.db"))
    cold = env(tmp_path, BACKROOM_CACHE=str(tmp_path / "cache"))
    child = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cold, start_new_session=True
    )
    child.stdout.readline()
    while not [pid for pid in descendants(child.pid) if b"warm" in Path(f"/proc/{pid}/cmdline").read_bytes()]:
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
    _, said = child.communicate(timeout=60)
    assert "could not be compiled" not in said
    assert child.returncode == 0


def test_with_a_cold_cache_the_page_is_there_at_once_and_says_how_compiling_goes(tmp_path):
    words = ending_with_parent("-m", "backroom", "serve", "--port", "0", "--db", str(tmp_path / "t.db"))
    cold = env(tmp_path, BACKROOM_CACHE=str(tmp_path / "cache"))
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cold)
    url = re.search(r"open at (\S+)/", child.stdout.readline())[1]
    for _ in range(100):
        try:
            page = httpx.get(url, timeout=30).text
            break
        except httpx.ConnectError:
            continue
    assert "data-compiling" in page
    news = httpx.get(f"{url}/compiling", timeout=30).json()
    assert not news["over"]
    (compiling,) = [pid for pid in descendants(child.pid) if b"warm" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(compiling, signal.SIGKILL)
    while not news["over"]:
        news = httpx.get(f"{url}/compiling", timeout=30).json()
    assert "could not be compiled" in news["failed"]
    ready = httpx.get(f"{url}/readyz", timeout=30)
    assert (ready.status_code, ready.text.strip()) == (200, news["failed"])
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=60)
    assert "Traceback" not in said
    assert "backroom warm" in said
    assert not os.path.exists(f"/proc/{child.pid}")


def test_what_installed_games_print_does_not_stop_the_progress_of_compiling(tmp_path):
    """All pages of games would wait for ever."""
    said = "welcome to my game\n1 2 run rules\n1 2 nonsense rules\n2 2 run judge\n"
    child = subprocess.Popen([sys.executable, "-c", f"print({said!r})"], stdout=subprocess.PIPE, text=True)
    compiling = Compiling()
    compiling._listen(child, tmp_path / "warm")
    child.stdout.close()
    assert (compiling.is_over, compiling.failed, compiling.steps, "run" in compiling.ready) == (True, "", 2, True)


def test_settings_that_cannot_be_are_said(tmp_path, monkeypatch):
    with pytest.raises(BadOption, match="mysql"):
        Store("mysql://house/tables")
    monkeypatch.setenv("BACKROOM_BOT_PACE", "quick")
    with pytest.raises(BadOption, match="BACKROOM_BOT_PACE is a number from 0 on, not 'quick'"):
        settings_from(str(tmp_path / "t.db"), HOUSE_BOTS)
    monkeypatch.delenv("BACKROOM_BOT_PACE")
    for name, value, why in [
        ("BACKROOM_BOT_PACE", "nan", "a number from 0 on"),
        ("BACKROOM_BOT_SECONDS", "-1", "a number from 0 on"),
        ("BACKROOM_LIMITS", "0", "a number above 0"),  # it would refuse everybody, not nobody
        ("BACKROOM_LIMITS", "inf", "a number above 0"),
        ("BACKROOM_PROXIES", "nginx", "addresses or networks, separated by commas, or `*`"),
        ("BACKROOM_PROXIES", "10.0.0.1 10.0.0.2", "addresses or networks"),
        ("BACKROOM_PROXIES", "10.0.0.1/24", "addresses or networks"),
    ]:
        monkeypatch.setenv(name, value)
        with pytest.raises(BadOption, match=f"{re.escape(name)} is {re.escape(why)}"):
            settings_from(str(tmp_path / "t.db"), HOUSE_BOTS)
        monkeypatch.delenv(name)
    monkeypatch.setenv("BACKROOM_PROXIES", "10.0.0.1, 10.1.0.0/24,::1")
    assert settings_from(str(tmp_path / "t.db"), HOUSE_BOTS).proxies == "10.0.0.1, 10.1.0.0/24,::1"
