"""Security: cookies, origins, policies, limits, sizes, passwords, and what is never sent or logged."""

import re
import unicodedata

import httpx
import pytest
from serving import TOY, served

from backroom.server.errors import BadName, Refused
from backroom.server.http.limits import Limits
from backroom.server.people.names import clean, folded, printable


def test_cookies_are_signed_and_out_of_reach_of_scripts(server):
    answer = httpx.post(f"{server.url}/me", data={"what": "guest", "guest": "Ann"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    value = answer.cookies["backroom"]
    assert value.count(".") == 1
    for forged in (value + "x", value.split(".")[0], "x." + value.split(".")[1], "", "é" * 300):
        page = httpx.get(f"{server.url}/me", headers={"cookie": f"backroom={forged}".encode()}).text
        assert "Come in</h1>" in page


def test_policies_are_on_every_page(server):
    ann = server.guest()
    table = ann.make(TOY)
    for path in ("/", "/me", f"/new/{TOY}", f"/tables/{table}", f"/rules/{TOY}", "/import", "/verify", "/nowhere"):
        answer = ann.web.get(path, headers={"accept": "text/html"})
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        scripts = re.findall(r"<script(?![^>]*(?:src=|application/json))", answer.text)
        assert not scripts
        assert not re.search(r"\son\w+=|<[^>]*\sstyle=|javascript:", answer.text)


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_other_sites_cannot_send_anything(server, headers):
    ann = server.guest()
    table = ann.make(TOY)
    for path in (f"/tables/{table}/say", "/tables", "/me", "/import"):
        assert ann.web.post(path, data={"text": "x"}, headers=headers).status_code == 403
    assert ann.web.post(f"/tables/{table}/say", json={"text": "x"}, headers={"origin": server.url}).status_code == 200


def test_a_proxy_that_is_not_set_up_is_said(tmp_path, capfd):
    """Without its address in BACKROOM_PROXIES all clients are one, and without their host all forms are refused."""
    with served(tmp_path / "t.db") as server, httpx.Client(base_url=server.url) as web:
        for _ in range(2):
            assert web.get("/healthz", headers={"x-forwarded-for": "192.0.2.1"}).status_code == 200
        answer = web.post("/me", data={"what": "guest"}, headers={"origin": "https://game.example", "host": "inner:1"})
        assert answer.status_code == 403
        assert "https://game.example" in answer.text
        assert "inner:1" in answer.text
    said = [line for line in "".join(capfd.readouterr()).splitlines() if "BACKROOM_PROXIES" in line]
    assert len(said) == 1
    assert "127.0.0.1" in said[0]
    with served(tmp_path / "t.db", proxies="127.0.0.1") as server:
        httpx.get(f"{server.url}/healthz", headers={"x-forwarded-for": "192.0.2.1"})
    assert "BACKROOM_PROXIES" not in "".join(capfd.readouterr())


def test_what_is_too_long_is_not_read(server):
    ann = server.guest()
    table = ann.make(TOY)
    assert ann.web.post(f"/tables/{table}/say", content=b"x" * 70_000).status_code == 413
    assert ann.move(table, "x" * 70_000, 1).status_code == 413
    assert ann.web.post("/import", data={"log": "x" * 1_100_000}).status_code == 413


def test_who_asks_too_often_has_to_wait(tmp_path):
    with served(tmp_path / "t.db", limits=0.4) as server:
        ann = server.guest()
        table = ann.make(TOY)
        codes = [ann.do(table, "say", text="x").status_code for _ in range(8)]
        assert codes[0] == 200
        assert codes[-1] == 429
        wrong = {"what": "log in", "name": "nobody", "password": "wrong-wrong"}
        codes = [ann.web.post("/me", data=wrong).status_code for _ in range(5)]
        assert codes[0] == 422
        assert codes[-1] == 429


def test_buckets_fill_again(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("backroom.server.http.security.time.monotonic", lambda: now[0])
    limits = Limits()
    for _ in range(6):
        limits.take("say", "ann")
    with pytest.raises(Refused, match="too often"):
        limits.take("say", "ann")
    limits.take("say", "ben")
    now[0] = 1.0
    limits.take("say", "ann")


def test_only_so_many_buckets_are_kept(monkeypatch):
    """Finding a place for one more costs nothing, however many addresses an attack comes from."""
    monkeypatch.setattr("backroom.server.http.limits.MOST_BUCKETS", 100)
    limits = Limits()
    for n in range(150):
        limits.take("say", f"{n}")
        if n % 10 == 0:
            limits.take("act", "ann")
    assert len(limits.buckets) == 100
    assert ("act", "ann") in limits.buckets
    assert ("say", "0") not in limits.buckets


def test_a_name_can_be_kept_with_a_password(server):
    ann = server.guest("Änn Kept")
    assert ann.web.post("/me", data={"what": "keep", "password": "short"}).status_code == 422
    assert ann.web.post("/me", data={"what": "keep", "password": "long enough"}).status_code == 303
    thief = httpx.Client(base_url=server.url)
    for name in ("Änn Kept", "änn  kept", "ANN KEPT"):
        assert "kept by somebody" in thief.post("/me", data={"what": "guest", "guest": name}).text
    wrong = thief.post("/me", data={"what": "log in", "name": "Änn Kept", "password": "long enoughx"})
    unknown = thief.post("/me", data={"what": "log in", "name": "No Such", "password": "long enoughx"})
    assert wrong.status_code == unknown.status_code == 422
    assert "No such name and password" in wrong.text
    assert "No such name and password" in unknown.text
    right = thief.post("/me", data={"what": "log in", "name": "änn kept", "password": "long enough"})
    assert right.status_code == 303
    assert "Änn Kept" in thief.get("/me").text
    thief.close()


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 25, "\u202e\u202e", "a\x00b", "greedy", "GREEDY", "…", "\u3164", "\u115f"]
)
def test_names_that_cannot_be_had(name):
    with pytest.raises(BadName):
        clean(name)


def test_marks_are_not_heaped_on_a_letter():
    """They would cover the lines above and below, on everybody's screen."""
    heap = "\u0335\u0301\u0316\u0327" * 5
    assert sum(unicodedata.combining(sign) > 0 for sign in clean(f"B{heap}en")) == 3
    assert printable(f"so{heap} what") == f"so{heap[:3]} what"
    for said in ("Zo\u00eb", "\u05d1\u05bc\u05b8\u0591", "\u0e19\u0e49\u0e33", "\u0939\u093f\u0928\u094d\u0926\u0940"):
        assert printable(said) == said


def test_names_that_look_alike_are_the_same():
    assert folded("Ａnn") == folded("ann") == folded(" ÁNN ")
    assert clean("  Ann   Lee ") == "Ann Lee"
    assert clean("A\ufe0fn\u034fn\u3164 \U000e0101Lee") == "Ann Lee"


def test_places_to_go_back_to_are_in_this_house(server):
    for evil in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        answer = httpx.post(f"{server.url}/me", data={"what": "guest", "guest": "Ann", "back": evil})
        assert answer.headers["location"] == "/"


def test_passwords_tokens_and_seeds_are_not_logged_nor_kept(tmp_path, capfd):
    db = tmp_path / "t.db"
    with served(db) as server:
        ann = server.guest("Ann Logs")
        ann.web.post("/me", data={"what": "keep", "password": "a secret password"})
        page = ann.web.post("/me", data={"what": "token"}).text
        token = re.search(r"<code>([\w-]{20,})</code>", page)[1]
        table = ann.make(TOY, **{"seat-1": "random"})
        seed = server.live(table).config.seed
        assert httpx.get(f"{server.url}/api/tables", headers={"authorization": f"Bearer {token}"}).status_code == 200
        metrics = ann.web.get("/metrics").text
    said = "".join(capfd.readouterr()) + metrics
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("t.db*"))
    for secret in ("a secret password", token, seed):
        assert secret not in said
    assert b"a secret password" not in kept
    assert token.encode() not in kept


def test_what_there_is_not_is_said_kindly(server):
    ann = server.guest()
    for path in ("/tables/nothing", "/new/nothing", "/rules/nothing", "/web/nothing.js", "/web/pages/frame.html", "/x"):
        answer = ann.web.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 404, path
        assert "To the lobby" in answer.text
    assert ann.web.get("/tables/nothing").json()["code"] == "unknown"
    assert ann.do("nothing", "sit").status_code == 404
    assert ann.web.post(f"/tables/{ann.make(TOY)}/nothing", json={}).status_code == 404


def test_operators_can_see_how_it_goes(server):
    assert httpx.get(f"{server.url}/healthz").text == "well\n"
    metrics = httpx.get(f"{server.url}/metrics").text
    for name in ("backroom_loop_delay_seconds_bucket", 'queue_length{queue="readers"}', 'queue_length{queue="bots"}'):
        assert name in metrics
    for name in ("backroom_moves_total", "backroom_live_tables", "backroom_streams", "backroom_requests_total"):
        assert name in metrics
