"""Tables as people use them: from the lobby to the result, by real HTTP and real streams."""

import random
import re
import threading
import time

import pytest
from serving import GAMES, TOY, game_of, news, play_out

import backroom
from backroom.engine.registry import renamed

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
"""A game for two without secrets, for tests that need only one game."""


def two(server, game=GAME, **form):
    """A table where Ann and Ben play."""
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(game, **form)
    assert ben.do(table, "sit").json()["ok"]
    return table, ann, ben


def asked(table, *guests):
    """Who is asked, with the decision, and the others."""
    for guest in guests:
        now = guest.decision(table)
        if now["asked"]:
            return guest, now, [other for other in guests if other is not guest]
    raise AssertionError("nobody is asked")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_from_the_lobby_to_the_result(server, name):
    game = game_of(name)
    seats = max(game.seats) if name == TOY else game.seats[0]
    guests = [server.guest(f"Guest {seat}") for seat in range(seats)]
    table = guests[0].make(name, seats=seats, public="yes")
    if seats > 1:
        assert f"/tables/{table}" in guests[1].web.get("/").text
    for guest in guests[1:]:
        assert guest.do(table, "sit").status_code == 200
    last = play_out(server, table, guests, random.Random(1))
    assert all(now["score"] is not None for now in last.values())
    log = guests[0].web.get(f"/tables/{table}/log").text
    assert backroom.replay(log).is_over
    assert "Fair." in guests[0].web.get(f"/tables/{table}/verify").text
    assert f"/tables/{table}" not in server.guest("Cid").web.get("/").text


def test_a_table_with_bots_plays_by_itself(server):
    ann = server.guest()
    table = ann.make(GAME, **{"seat-0": "greedy", "seat-1": "random"})
    for _ in range(600):
        if (now := ann.decision(table))["stage"] == "over":
            break
        time.sleep(0.05)
    assert now["score"] is not None


# moves


def test_a_double_post_is_played_once(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    name = now["moves"][0]["name"]
    first = who.move(table, name, now["ask"], "k1")
    lines = len(server.live(table).state.table.lines)
    again = who.move(table, name, now["ask"], "k1")
    assert first.status_code == again.status_code == 200
    assert len(server.live(table).state.table.lines) == lines


def test_a_stale_answer_is_refused_with_a_reason(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    assert who.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    late = who.move(table, now["moves"][0]["name"], now["ask"])
    assert late.status_code == 409
    assert late.json()["code"] == "stale"
    assert "earlier question" in late.json()["why"]


def test_an_illegal_move_says_why_and_the_paragraph(server):
    table, ann, ben = two(server, TOY, seats=2)
    who, now, _ = asked(table, ann, ben)
    answer = who.move(table, "keep", now["ask"])
    assert answer.status_code == 422
    assert answer.json()["why"] == "Ann cannot play keep: not now (§1)"
    why = who.web.get(f"/tables/{table}/why", params={"move": "keep"}).json()["why"]
    assert why == answer.json()["why"]
    assert who.web.get(f"/tables/{table}/why", params={"move": now["moves"][0]["name"]}).json()["why"] == ""


def test_a_seat_is_moved_by_its_owner_alone(server):
    table, ann, ben = two(server)
    _, now, [other] = asked(table, ann, ben)
    cid = server.guest("Cid")
    name = now["moves"][0]["name"]
    assert other.move(table, name, now["ask"]).status_code in (409, 422)
    assert cid.move(table, name, now["ask"]).status_code == 403
    assert cid.do(table, "undo").status_code == 403
    forged = server.guest("Dan")
    cookie = forged.web.cookies["backroom"]
    forged.web.cookies.set("backroom", cookie[:-3] + "abc")
    assert forged.move(table, name, now["ask"]).status_code == 401
    assert len(server.live(table).state.table.lines) == 1


def test_everybody_hears_of_a_move_after_it_is_stored(server):
    table, ann, ben = two(server)
    cid = server.guest("Cid")
    who, now, _ = asked(table, ann, ben)
    with ann.listening(table, 0) as at_ann, ben.listening(table) as at_ben, cid.listening(table) as at_cid:
        for messages in (at_ann, at_ben, at_cid):
            assert "picture" in news(messages)
        assert who.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
        for messages in (at_ann, at_ben, at_cid):
            found = news(messages)
            assert found["beats"][0]["say"]
            assert found["beats"][0]["up"]
            assert found["id"] == str(found["n"])


def test_who_was_away_gets_what_was_missed_and_not_more(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    with ann.listening(table) as messages:
        since = news(messages)["n"]
    who.move(table, now["moves"][0]["name"], now["ask"])
    with ann.listening(table, since) as messages:
        found = news(messages)
        assert "picture" not in found
        assert found["n"] > since
    with ann.listening(table, 10**6) as messages:
        assert "picture" in news(messages)


def test_sealed_answers_at_the_same_time(server):
    """Both bid at once: neither makes the other's answer stale, and a choice can be changed until the last one."""
    table, ann, ben = two(server, TOY, seats=2)
    at_ann, at_ben = ann.decision(table), ben.decision(table)
    assert at_ann["asked"]
    assert at_ben["asked"]
    first, second = (move["name"] for move in at_ann["moves"] if move["name"].startswith("bid"))
    with ben.listening(table) as messages:
        news(messages)
        assert ann.move(table, first, at_ann["ask"]).status_code == 200
        assert news(messages)["table"]["ready"] == [1, 2]
    assert ann.move(table, second, key="changed").status_code == 200
    assert ben.move(table, at_ben["moves"][0]["name"], at_ben["ask"]).status_code == 200
    names = [line.name for line in server.live(table).state.table.lines]
    assert names.index(first) < names.index(second)
    assert len(server.live(table).state.asked) == 1


@pytest.mark.parametrize("last", [0, 1])
def test_when_all_have_chosen_nobody_is_counted_any_more(server, last):
    """Not even if one of them is asked something else at once."""
    table, *guests = two(server, TOY, seats=2)
    for guest in (guests[1 - last], guests[last]):
        now = guest.decision(table)
        assert guest.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    state = server.live(table).state
    assert len(state.asked) == 1
    assert state.ready() is None


def test_a_claim_out_of_turn_carries_no_ask(server):
    for _ in range(40):
        table, ann, ben = two(server, TOY, seats=2)
        for guest in (ann, ben):
            now = guest.decision(table)
            guest.move(table, now["moves"][0]["name"], now["ask"])
        claims = [g for g in (ann, ben) if "claim" in [m["name"] for m in g.decision(table)["moves"]]]
        if claims:
            idle = next(g for g in claims if not g.decision(table)["asked"])
            assert idle.move(table, "claim", key="first").status_code == 200
            assert idle.move(table, "claim", key="again").status_code == 422
            return
    raise AssertionError("no prize in forty games")


# taking back


def test_undo_is_free_until_somebody_has_learned_something(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    while len(now["moves"]) == 1:  # a move that leaves the turn with the same seat
        who.move(table, now["moves"][0]["name"], now["ask"])
        who, now, _ = asked(table, ann, ben)
    before = len(server.live(table).state.table.lines)
    who.move(table, now["moves"][0]["name"], now["ask"])
    again, then, _ = asked(table, ann, ben)
    if again is who:
        assert who.do(table, "undo").status_code == 200
        assert len(server.live(table).state.table.lines) == before
        assert who.move(table, then["moves"][0]["name"], then["ask"]).json()["code"] == "stale"


def test_after_that_by_consent(server):
    table, ann, ben = two(server)
    who, now, [other] = asked(table, ann, ben)
    first = who
    while who is first:
        before = len(server.live(table).state.table.lines)
        who.move(table, now["moves"][0]["name"], now["ask"])
        who, now, _ = asked(table, ann, ben)
    assert first.do(table, "undo").json()["ok"]
    request = server.live(table).state.request
    assert request is not None
    assert first.do(table, "agree").status_code == 409
    assert other.do(table, "refuse").json()["ok"]
    assert server.live(table).state.request is None
    assert first.do(table, "undo").json()["ok"]
    assert other.do(table, "agree").json()["ok"]
    assert len(server.live(table).state.table.lines) == before


# company


def test_a_leaver_s_seat_goes_to_a_bot_and_back(server):
    table, ann, ben = two(server)
    seat = 1
    assert ann.do(table, "bot", seat=seat, bot="random").status_code == 409
    assert ben.do(table, "rise").json()["ok"]
    assert ann.do(table, "bot", seat=seat, bot="random").json()["ok"]
    assert server.live(table).state.chairs[seat].bot == "random"
    assert server.guest("Cid").do(table, "sit", seat=seat).status_code == 409
    assert ben.do(table, "sit").json() == {"ok": True, "seat": seat}
    assert server.live(table).state.chairs[seat].bot is None


def test_a_rematch_in_one_click(server):
    ann = server.guest()
    table = ann.make(GAME, **{"seat-1": "random"})
    assert ann.do(table, "rematch").status_code == 409
    assert ann.do(table, "resign").json()["ok"]
    new = ann.do(table, "rematch").json()["table"]
    assert ann.do(table, "rematch").json()["table"] == new
    state = server.live(new).state
    assert [chair.bot or chair.name for chair in state.chairs] == ["random", "Ann"]


def test_nobody_makes_the_rematch_of_a_game_to_come(server):
    """Others would get that table later, as its maker wanted it."""
    table = server.guest().make(GAME)
    answer = server.guest("Cid").do(table, "rematch")
    assert (answer.status_code, answer.json()["code"]) == (409, "not-over")
    made = server.services.people.keyed(f"rematch {table}")
    assert server.guest("Dan").web.get(f"/tables/{made}").status_code == 404


def test_chat_is_kept_and_is_never_markup(server):
    table, ann, ben = two(server)
    assert ann.do(table, "say", text="<script>alert(1)</script> & §3.1\x00\n").json()["ok"]
    page = ben.web.get(f"/tables/{table}").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; §3.1" in page
    with ben.listening(table) as messages:
        story = news(messages)["story"]
    item = '<li class="said"><b>Ann (White)</b> &lt;script&gt;alert(1)&lt;/script&gt; &amp; §3.1</li>'
    assert story.endswith(item)
    assert ann.do(table, "say", text=" \n").status_code == 422


def test_names_are_never_markup(server):
    evil = server.guest('"><img src=x>')
    table = evil.make(GAME, public="yes")
    for path in ("/", f"/tables/{table}", "/me"):
        assert "<img src=x" not in evil.web.get(path).text


def test_private_tables_are_not_listed(server):
    ann = server.guest()
    hidden, shown = ann.make(GAME, public="no"), ann.make(GAME, public="yes")
    cid = server.guest("Cid")
    assert hidden not in cid.web.get("/").text
    assert shown in cid.web.get("/").text
    listed = [row["id"] for row in cid.web.get("/api/tables").json()]
    assert hidden not in listed
    assert shown in listed
    assert cid.do(hidden, "sit").json()["ok"]  # a link is an invitation


def test_what_happened_since_i_was_here(server):
    table, ann, ben = two(server)
    assert "Since you were here" not in ann.web.get(f"/tables/{table}").text
    who, now, _ = asked(table, ann, ben)
    who.move(table, now["moves"][0]["name"], now["ask"])
    with ann.listening(table) as messages:
        news(messages)
    time.sleep(0.3)  # what was heard live has been seen
    who, now, _ = asked(table, ann, ben)
    who.move(table, now["moves"][0]["name"], now["ask"])
    page = ann.web.get(f"/tables/{table}").text
    assert page.split("Since you were here")[1].split("</ol>")[0].count("<li>") <= 2
    assert "Since you were here" not in ann.web.get(f"/tables/{table}").text


def test_hints_come_from_the_judge_where_they_are_allowed(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    refusal = who.web.get(f"/tables/{table}/hint")
    assert (refusal.status_code, refusal.json()["code"]) == (409, "unrated")
    assert who.do(table, "unrate", text="hint").json()["ok"]
    hint = who.web.get(f"/tables/{table}/hint").json()
    found, worths = zip(*((one["move"], one["worth"]) for one in hint["considered"]), strict=True)
    assert set(found) <= {move["name"] for move in now["moves"]}
    assert hint["move"] == found[0]
    assert list(worths) == sorted(worths, reverse=True)
    assert all(0 <= worth <= 1 for worth in worths)
    table, ann, ben = two(server, hints="no")
    assert ann.web.get(f"/tables/{table}/hint").status_code == 403


def test_why_a_piece_cannot_be_touched_does_not_wait_for_hints(server):
    table, ann, ben = two(server)
    who, _, _ = asked(table, ann, ben)
    judges, may_go_on = server.services.thinking.pools["judges"], threading.Event()
    hints = [judges.submit(may_go_on.wait, 30) for _ in range(judges._max_workers)]
    try:
        assert "why" in who.web.get(f"/tables/{table}/why", params={"piece": "anything"}, timeout=10).json()
        assert not any(hint.done() for hint in hints)
    finally:
        may_go_on.set()


def test_the_page_works_without_scripts(server):
    """Every legal move is a button of a form, and a form leads back to the page."""
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    page = who.web.get(f"/tables/{table}").text
    assert f'name="ask" value="{now["ask"]}"' in page
    for move in now["moves"]:
        assert f'<button name="name" value="{move["name"]}"' in page
    form = {"ask": now["ask"], "name": now["moves"][0]["name"]}
    answer = who.web.post(f"/tables/{table}/moves", data=form, headers={"accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/tables/{table}"


# replays, logs and pictures


def test_replay_as_one_s_own_seat_and_afterwards_as_any(server):
    table, ann, ben = two(server, TOY, seats=2)
    assert ann.web.get(f"/tables/{table}/scene?reader=1").status_code == 403
    assert ann.web.get(f"/tables/{table}/scene?reader=0").status_code == 200
    assert ann.web.get(f"/tables/{table}/scene?reader=-1").status_code == 200
    assert "?" in ann.web.get(f"/tables/{table}/log").text
    play_out(server, table, [ann, ben], random.Random(2))
    found = ann.web.get(f"/tables/{table}/scene?reader=1&at=3").json()
    assert found["at"] == 3
    assert found["picture"].startswith("<div")
    assert ann.web.get(f"/tables/{table}/replay?at=2&reader=1").status_code == 200


def test_old_links_name_the_reader_as_eyes(server):
    table, ann, ben = two(server, TOY, seats=2)
    assert ann.web.get(f"/tables/{table}/scene?eyes=1").status_code == 403
    play_out(server, table, [ann, ben], random.Random(2))
    old, new = (ann.web.get(f"/tables/{table}/scene?at=3&{word}=1").json() for word in ("eyes", "reader"))
    assert old == new


def test_a_log_goes_out_and_comes_in_again(server):
    table, ann, ben = two(server, TOY, seats=2)
    play_out(server, table, [ann, ben], random.Random(3))
    log = ann.web.get(f"/tables/{table}/log").text
    answer = ann.web.post("/import", data={"log": log})
    assert answer.status_code == 303
    copy = answer.headers["location"].split("/")[2]
    assert ann.web.get(f"/tables/{copy}/log").text == log
    odd = ann.web.post("/import", data={"log": log.replace("seat 0 Ann", "seat 0 \u202eAnn\0\u200bLee")})
    assert ">Ann Lee<" in ann.web.get(odd.headers["location"]).text
    assert ann.web.post("/import", data={"log": "nonsense"}).status_code == 422
    for path in ("/import", "/verify"):  # a name of a file means nothing here
        assert "pathlib" not in ann.web.post(path, data={"log": "x.log"}).text
    assert "Fair." in ann.web.post("/verify", data={"log": log}).text
    other = "0" if log.rstrip()[-1] != "0" else "1"
    assert "not the one" in ann.web.post("/verify", data={"log": log.rstrip()[:-1] + other + "\n"}).text


def test_a_game_begun_elsewhere_goes_on_here(server):
    table = backroom.game(TOY).table(seed="abc")
    table.play(table.asked[0], table.moves(table.asked[0])[0])
    ann, ben = server.guest("Ann"), server.guest("Ben")
    answer = ann.web.post("/import", data={"log": str(table.save)})
    here = answer.headers["location"].split("/")[2]
    for guest in (ann, ben):
        assert guest.do(here, "sit").json()["ok"]
    play_out(server, here, [ann, ben], random.Random(4))
    assert "Fair." in ann.web.get(f"/tables/{here}/verify").text


def test_a_bot_that_the_game_does_not_have_leaves_its_seat_free(server):
    """A log may name a bot of another game, like `net` or `beginner`."""
    table = backroom.game(TOY).table(seed="abc")
    table.who = {0: "beginner", 1: "easy"}
    ann = server.guest("Ann")
    answer = ann.web.post("/import", data={"log": str(table.save)})
    here = answer.headers["location"].split("/")[2]
    assert [chair.bot for chair in server.live(here).state.chairs][:2] == [None, "easy"]
    assert ann.do(here, "sit").json()["ok"]


def test_pictures(server):
    table, ann, _ = two(server)
    svg = ann.web.get(f"/tables/{table}/picture.svg?reader=-1")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in svg.headers["content-security-policy"]
    png = ann.web.get(f"/tables/{table}/picture.png?width=300")
    assert png.content.startswith(b"\x89PNG")


def test_rules_have_an_anchor_for_every_paragraph(server):
    for name in backroom.names():
        book = backroom.game(name).rulebook
        page = server.guest().web.get(f"/rules/{name}").text
        for number in re.findall(r"^(?:- |## )§([\d.]+) ", book.split("Facts to test against")[0], re.M):
            assert f'id="s{number}"' in page


def test_results_move_people_on_the_ladder(server):
    table, ann, ben = two(server, TOY, seats=2)
    play_out(server, table, [ann, ben], random.Random(5))
    page = ann.web.get(f"/ladder/{TOY}").text
    assert ">Ann" in page
    assert ">Ben" in page


def test_the_seed_is_secret_until_the_end(server):
    table, ann, ben = two(server, TOY, seats=2)
    seed = server.live(table).config.seed
    paths = ("", "/log", "/verify", "/replay", "/scene", "/words", "/picture.svg")
    assert not any(seed in ann.web.get(f"/tables/{table}{path}").text for path in paths)
    play_out(server, table, [ann, ben], random.Random(6))
    assert seed in ann.web.get(f"/tables/{table}/verify").text
    assert seed in ann.web.get(f"/tables/{table}/log").text


def test_idle_tables_leave_memory_and_come_back(server):
    table, ann, ben = two(server)
    who, now, _ = asked(table, ann, ben)
    who.move(table, now["moves"][0]["name"], now["ask"])
    before = ann.decision(table)

    async def sweep():
        server.services.tables.sweep(0)
        return table in server.services.tables.live

    assert not server.do(sweep())
    assert ann.decision(table) == before


def test_an_analysis_calls_a_bot_by_its_name_at_the_table(server, monkeypatch):
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    state = server.live(table).state
    monkeypatch.setattr(state.game.rules, "label", lambda v, move: f"Take {move} from @1@")
    now = ann.decision(table)
    ann.move(table, now["moves"][0]["name"], now["ask"])
    ann.do(table, "resign")
    found = ann.web.get(f"/tables/{table}/analysis").json()
    assert state.names[1] != "random"
    assert all(row["label"].endswith(f"from {state.names[1]}") for row in found["decisions"])
    assert found["decisions"]


def test_a_game_is_analysed_when_it_is_over(server):
    table, ann, ben = two(server)
    assert ann.web.get(f"/tables/{table}/analysis").json()["code"] == "not-over"
    who, now, _ = asked(table, ann, ben)
    who.move(table, now["moves"][0]["name"], now["ask"])
    assert ben.do(table, "rise").json()["ok"]
    assert ann.do(table, "resign").json()["ok"]
    found = ann.web.get(f"/tables/{table}/analysis?reader=-1").json()
    assert set(found) == {"game", "version", "seats", "decisions", "chances", "names", "lines", "done", "of"}
    assert [row["seat"] for row in found["seats"]] == [0, 1]
    assert len(found["names"]) == 2
    assert any("Ann" in called for called in found["names"])
    assert {row["line"] for row in found["chances"]} < set(found["lines"])
    assert ben.web.get(f"/tables/{table}/analysis?reader=-1").json() == found


def test_links_to_a_renamed_game_lead_to_its_present_address(server):
    for former, now in renamed().items():
        for page in ("new", "alone", "solo", "rules", "ladder"):
            answer = server.guest("Ann").web.get(f"/{page}/{former}?a=1")
            assert (answer.status_code, answer.headers["location"]) == (308, f"{server.url}/{page}/{now}?a=1")
