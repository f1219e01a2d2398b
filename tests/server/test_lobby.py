"""The lobby: games with their boards, tables in order of importance, friends by link, and what to do next."""

import re
import time

import httpx
import pytest
from serving import TOY, person_of, served

import backroom
from backroom import __main__
from backroom.engine.kernel import SPECTATOR
from backroom.engine.registry import parent
from backroom.scene.svg import board_svg
from backroom.server.http import previews, table_lists
from backroom.server.http.profile import opponents
from backroom.terminal import warming

GAMES = [name for name in backroom.names() if max(backroom.game(name).rules.SEATS) > 1]
GAME = next(name for name in GAMES if list(backroom.game(name).rules.SEATS) == [2])
SOLO = next(name for name in backroom.names() if name not in GAMES)


def sections(page):
    """The tables that a page lists, by the heading above them."""
    parts = re.split(r'<h2 id="(\w+)"', page)
    return {
        name: re.findall(r'href="/tables/(\w+)"', text) for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_one_card_for_each_game_that_is_inside_no_other(server):
    page = httpx.get(server.url).text
    for name in backroom.names():
        assert f'name="game" value="{name}"' in page
        assert (f'src="/games/{name}/board.svg"' in page) == (parent(name) is None)
    assert page.count('<article class="card">') == len([name for name in backroom.names() if not parent(name)])
    assert "2 players · 10–20 minutes" in page


@pytest.mark.parametrize("name", [GAME, TOY])
def test_the_picture_of_a_board_is_small_and_kept(server, name):
    answer = httpx.get(f"{server.url}/games/{name}/board.svg", timeout=60)  # kernels may have to be loaded
    assert answer.status_code == 200
    assert answer.text.startswith("<svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    again = httpx.get(f"{server.url}/games/{name}/board.svg", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_games_to_watch_have_pictures_as_far_as_they_can_be_drawn_at_once(tmp_path):
    with served(tmp_path / "t.db") as server:
        ann = server.guest()
        tables = [ann.make(TOY, public="yes", **{"seat-1": "random"}) for _ in range(table_lists.MOST_PICTURED + 1)]
        waiting, private = ann.make(TOY, public="yes"), ann.make(TOY, **{"seat-1": "random"})
        page = httpx.get(server.url).text
        assert re.findall(r'src="/tables/(\w+)/board.svg"', page) == tables[:0:-1]  # the newest
        assert waiting in page
        assert private not in page
        server.services.compiling.is_over, server.services.compiling.ready = False, set()
        assert "data-board" not in httpx.get(server.url).text  # a picture would wait, and take a connection
        server.services.compiling.finish()


def test_the_board_of_a_table_is_what_everybody_may_see_and_drawn_once_a_moment(server, monkeypatch):
    drawn = []
    usual = previews.preview
    monkeypatch.setattr(previews, "preview", lambda *args: drawn.append(1) or usual(*args))
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY)
    where = f"/tables/{table}/board.svg"
    assert httpx.get(server.url + where).status_code == 409  # nothing to be seen yet
    ben.do(table, "sit", seat=1)
    live = server.live(table)
    answers = [httpx.get(server.url + where), ann.web.get(where), ben.web.get(where)]
    plain = httpx.get(server.url + where, headers={"accept-encoding": "identity"})
    assert {answer.text for answer in answers} == {plain.text}
    assert plain.text == board_svg(live.state.game.rules.draw(live.state.view(SPECTATOR), SPECTATOR))
    assert len(drawn) == 1
    etag = plain.headers["etag"]
    assert httpx.get(server.url + where, headers={"if-none-match": etag}).status_code == 304
    seat = live.state.asked[0]
    (ann, ben)[live.state.seat_of(server.do(person_of(server, ben)).id) == seat].move(
        table, live.state.table.moves(seat)[0], live.state.asks[seat]
    )
    ann.web.get(where)
    assert len(drawn) == 2


def test_a_picture_that_could_not_be_drawn_is_drawn_again(server, monkeypatch):
    table = server.guest().make(TOY, **{"seat-1": "random"})
    where = f"{server.url}/tables/{table}/board.svg"
    server.rested(table)
    with monkeypatch.context() as patched:
        patched.setattr(previews, "board_svg", lambda scene: 1 / 0)
        assert httpx.get(where).status_code == 500
    assert httpx.get(where).status_code == 200


def test_one_touch_without_a_name_against_the_level_that_was_chosen(server):
    answer = httpx.post(f"{server.url}/tables", data={"game": TOY, "level": "random"})
    assert answer.status_code == 303
    assert "backroom" in answer.cookies
    chairs = server.live(answer.headers["location"].removeprefix("/tables/")).state.chairs
    assert [chair.bot for chair in chairs[1:]] == ["random"] * (len(chairs) - 1)


@pytest.mark.parametrize(("game", "level"), [(TOY, "easy"), ("rum-run", "beginner")])
def test_a_first_game_is_against_the_weakest_level(server, game, level):
    answer = httpx.post(f"{server.url}/tables", data={"first": game, "level": "hard"}, timeout=60)
    chairs = server.live(answer.headers["location"].removeprefix("/tables/")).state.chairs
    assert {chair.bot for chair in chairs[1:]} == {level}


def test_my_tables_come_first_and_those_where_it_is_my_turn_before_them(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    waiting = ann.make(GAME)
    tables = [ann.make(GAME) for _ in range(2)]
    for table in tables:
        ben.do(table, "sit", seat=1)
    to_join, to_watch = ben.make(GAME, public="yes"), ben.make(GAME, public="yes", **{"seat-1": "random"})
    found = sections(ann.web.get("/lobby").text)
    asked = [table for table in tables[::-1] if 0 in server.live(table).state.asked]
    others = [table for table in tables[::-1] if table not in asked]
    assert found.get("moves", []) == asked
    assert found["mine"] == [*others, waiting]
    assert to_join in found["open"]
    assert to_watch in found["watch"]


def test_finished_games_against_bots_are_in_the_profile_alone(server):
    """They ended before one's eyes; a game with somebody else may have ended while one was away."""
    ann, ben = server.guest("Ann"), server.guest("Ben")
    alone = ann.make(GAME, **{"seat-1": "random"})
    together = ann.make(GAME)
    ben.do(together, "sit", seat=1)
    found = sections(ann.web.get("/lobby").text)
    assert {*found.get("mine", []), *found.get("moves", [])} == {alone, together}
    for table in (alone, together):
        ann.do(table, "resign")
    assert sections(ann.web.get("/lobby").text)["mine"] == [together]
    profile = ann.web.get("/me").text
    assert "lost against a bot (random)</span>" in profile
    assert "lost against Ben</span>" in profile


def test_the_first_game_against_bots_is_explained_and_those_after_it_are_not(server):
    ann = server.guest("Ann")

    def begun():
        answer = ann.web.post("/tables", data={"game": GAME, "level": "random"})
        table = answer.headers["location"].removeprefix("/tables/")
        return table, server.live(table).config.terms.lead

    table, is_explained = begun()
    assert is_explained
    assert begun()[1]  # it has not been finished yet
    ann.do(table, "resign")
    assert not begun()[1]


def test_opponents_in_words():
    assert opponents([]) == ""
    others = [("easy", "bot:easy"), ("Ben", "x"), ("easy", "bot:easy"), ("hard", "bot:hard"), ("Cid", None)]
    assert opponents(others) == "Ben, Cid, 2 bots (easy) and a bot (hard)"


def test_who_knows_the_lists_is_told_that_nothing_has_changed(server):
    ann = server.guest()
    etag = ann.web.get("/lobby").headers["etag"]
    assert ann.web.get("/lobby", headers={"if-none-match": etag}).status_code == 304
    ann.make(GAME)
    assert ann.web.get("/lobby", headers={"if-none-match": etag}).status_code == 200


def test_friends_by_link(server):
    made = httpx.post(f"{server.url}/friends/{GAME}")
    where = made.headers["location"]
    page = httpx.get(server.url + where, cookies=made.cookies).text
    assert f'value="{server.url}{where}"' in page
    assert 'class="qr"' in page
    assert "<path" in page.split('class="qr"')[1][:2000]
    host = server.live(where.removeprefix("/tables/")).state.chairs[0].name
    assert f"{host} invites you to" in httpx.get(server.url + where).text
    joined = httpx.post(f"{server.url}{where}/join", data={"guest": "Bo"})
    assert (joined.status_code, joined.headers["location"]) == (303, where)
    state = server.live(where.removeprefix("/tables/")).state
    assert [chair.name for chair in state.chairs] == [host, "Bo"]
    assert state.stage == "playing"
    late = httpx.post(f"{server.url}{where}/join", data={"guest": "Cy"})  # somebody who comes too late can watch
    assert (late.status_code, late.headers["location"]) == (303, where)
    assert httpx.post(f"{server.url}/friends/{SOLO}").status_code == 404


@pytest.mark.parametrize("name", GAMES)
def test_beside_a_player_is_what_the_seat_s_pieces_look_like(server, name):
    """The picture and the story call players differently: the sign says whose pieces are whose."""
    ann, most = server.guest("Ann"), max(backroom.game(name).rules.SEATS)
    page = ann.web.get(f"/tables/{ann.make(name, seats=most)}").text
    seats = page.split('<div class="seat')[1:]
    assert len(seats) == most
    for seat, text in enumerate(seats):
        assert f"#glyph-seat-{seat}'" in text
        assert f'<symbol id="glyph-seat-{seat}"' in page


def test_bots_fill_up(server):
    ann = server.guest()
    table = ann.make(TOY)
    assert server.guest("Ben").do(table, "fill").status_code == 403
    assert ann.do(table, "fill", bot="random").json()["ok"]
    assert all(chair.bot == "random" for chair in server.live(table).state.chairs[1:])
    assert ann.do(table, "fill").status_code == 409


def test_who_is_asked_to_sit_anywhere_gets_a_free_seat_before_a_bot_s(server):
    name = next(name for name in GAMES if 3 in backroom.game(name).rules.SEATS)
    ann, ben = server.guest(), server.guest("Ben")
    table = ann.make(name, seats=3, **{"seat-1": "random"})
    assert ben.do(table, "sit").json() == {"ok": True, "seat": 2}


def test_a_rematch_seats_everybody_who_agrees(server):
    ann, ben = server.guest(), server.guest("Ben")
    table = ann.make(GAME)
    ben.do(table, "sit", seat=1)
    ben.do(table, "rise")
    assert ann.do(table, "resign").json()["ok"]
    new = ann.do(table, "rematch").json()["table"]
    assert server.live(new).state.stage == "open"
    assert "<h2>Waiting for Ben</h2>" in ann.web.get(f"/tables/{new}").text
    assert "<h2>Send this link" in ann.web.get(f"/tables/{ann.make(GAME)}").text
    assert ben.do(table, "rematch").json()["table"] == new
    state = server.live(new).state
    assert [chair.name for chair in state.chairs] == ["Ben", "Ann"]
    assert state.stage == "playing"


def test_who_comes_in_without_a_name_gets_one(server):
    for said in ("", "  "):
        came = httpx.post(f"{server.url}/me", data={"what": "guest", "guest": said, "back": f"/rules/{GAME}"})
        assert (came.status_code, came.headers["location"]) == (303, f"/rules/{GAME}")
        assert re.search(r"<h1>[A-Z]\w+ [A-Z]\w+ \d\d</h1>", httpx.get(f"{server.url}/me", cookies=came.cookies).text)


def test_a_guest_takes_another_name(server):
    ann = server.guest("Anne")
    assert ann.web.post("/me", data={"what": "rename", "guest": "Annika"}).status_code == 303
    assert "<h1>Annika</h1>" in ann.web.get("/me").text
    assert ann.web.post("/me", data={"what": "rename", "guest": "hard"}).status_code == 422
    ann.web.post("/me", data={"what": "keep", "password": "a long password"})
    assert ann.web.post("/me", data={"what": "rename", "guest": "Ann"}).status_code == 422
    ben = server.guest("Ben")
    assert ben.web.post("/me", data={"what": "rename", "guest": "Annika"}).status_code == 422


def test_games_are_compiled_in_the_order_of_their_cards(server, monkeypatch):
    """The game on the first card is compiled first."""
    compiled = []
    monkeypatch.setattr(warming, "warm_plainly", lambda games, gym: compiled.extend(game.name for game in games))
    monkeypatch.setattr(__main__, "mark", lambda word: None)
    __main__.warm(None, plain=True)
    cards = re.findall(r'src="/games/([\w-]+)/board.svg"', httpx.get(server.url).text)
    assert [name for name in compiled if name in cards] == cards
    assert set(compiled) == set(backroom.names())


def test_it_is_said_which_games_are_compiled(tmp_path):
    with served(tmp_path / "t.db") as server:
        server.services.compiling.is_over = False
        server.services.compiling.ready = {TOY}
        start = time.monotonic()
        assert httpx.get(f"{server.url}/compiling").json()["ready"] == [TOY]
        assert "data-compiling" in httpx.get(server.url).text
        assert time.monotonic() - start < 5  # the lobby waits for no game
        server.services.compiling.finish()
