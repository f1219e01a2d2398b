"""Games for one player: they begin with one click, remember solved tasks, and make files that can be played with."""

import html
import re
import threading
import time
import tomllib
import urllib.parse
from dataclasses import replace

import pytest
from serving import Clock, served, until

import backroom
from backroom.server.errors import Refused
from backroom.server.http import links
from backroom.server.http.solo import choice_of, steps_to_solve
from backroom.server.tables import new_tasks
from backroom.server.tables.new_tasks import NewTasks

TASKS = next(name for name in backroom.names() if choice_of(backroom.game(name)))
MAKER = next(name for name in backroom.names() if hasattr(backroom.game(name).rules, "MAKES"))
FOR_TWO = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
OPTION = choice_of(backroom.game(TASKS))
MADE = backroom.game(MAKER).rules.MAKES


def begin(guest, game, **form):
    """Start with one click on the page."""
    answer = guest.web.post("/tables", data={"game": game} | form)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/tables/")


def solve(server, guest, table):
    """Play the solution that is kept beside the game."""
    live = server.live(table)
    lines = solution_of(live.config.options[OPTION.name])
    for name in lines:
        for step in (name.split()[0], name):
            now = guest.decision(table)
            assert guest.move(table, step, now["ask"]).status_code == 200
    return guest.decision(table)


def solution_of(value):
    kept = tomllib.loads(backroom.game(TASKS).folder.joinpath("puzzles.toml").read_text("utf-8"))
    return [move.strip() for move in kept[value]["solution"].split(",")]


def test_one_click_and_it_begins(server):
    ann = server.guest()
    lobby = ann.web.get("/").text
    for name in (TASKS, MAKER):
        assert f'name="game" value="{name}"' in lobby
        assert f'name="first" value="{name}"' not in lobby
        assert f"/ladder/{name}" not in lobby
        table = begin(ann, name)
        page = ann.web.get(f"/tables/{table}").text
        for needless in (
            "Invite by this link",
            "Leave the table",
            "Let a bot play",
            "Fair dice",
            "no clock",
            "Say something",
        ):
            assert needless not in page
    assert "clock" not in ann.web.get(f"/new/{MAKER}").text.split("<main")[1]


def test_what_is_solved_is_kept_and_the_next_is_offered(server):
    ann = server.guest()
    first, second = OPTION.values[:2]
    page = ann.web.get(f"/solo/{TASKS}").text
    assert f"<b>0 of {len(OPTION.values)}</b> solved" in page
    table = begin(ann, TASKS, **{f"option-{OPTION.name}": first})
    assert f'href="/tables/{table}"' in ann.web.get(f"/solo/{TASKS}").text  # to go on with
    assert solve(server, ann, table)["score"] == [1.0]
    page = ann.web.get(f"/solo/{TASKS}").text
    assert f"<b>1 of {len(OPTION.values)}</b> solved" in page
    assert re.search(rf'value="{first}" class="solved">[^<]*<span class="dim">✓ solved<', page)
    page = ann.web.get(f"/tables/{table}").text
    assert f'name="option-{OPTION.name}" value="{second}">Next:' in page
    played = begin(ann, TASKS)  # from the lobby: what comes next
    assert server.live(played).config.options[OPTION.name] == second
    ben = server.guest("Ben")
    assert "<b>0 of" in ben.web.get(f"/solo/{TASKS}").text
    assert 'class="solved"' not in ben.web.get(f"/solo/{TASKS}").text


def test_new_ones_and_today_s_are_made_on_demand_and_remembered_by_name(server):
    ann = server.guest()
    page = ann.web.get(f"/solo/{TASKS}").text
    today = re.search(rf'value="({OPTION.series[0]} \d{{8}})"', page)[1]
    assert re.findall(rf'value="({OPTION.series[1]} \d{{1,7}})"', page)
    table = begin(ann, TASKS, **{f"option-{OPTION.name}": today})
    config = server.live(table).config
    assert config.terms.requested == {OPTION.name: today}
    assert config.options[OPTION.name] == OPTION.settle(today)
    page = ann.web.get(f"/solo/{TASKS}").text
    assert re.search(rf'href="/tables/{table}">{OPTION.series[0]} <span class="dim">go on', page)
    assert today in ann.web.get("/").text  # among one's own tables, by the name that was requested
    again = ann.do(table, "end").json()["ok"] and ann.do(table, "rematch").json()["table"]
    assert server.live(again).config.terms.requested == {OPTION.name: today}


def test_the_solution_is_shown_and_counts_for_nobody(server):
    ann, ben = server.guest(), server.guest("Ben")
    for value in (OPTION.values[0], f"{OPTION.series[0]} 7"):
        table = begin(ann, TASKS, **{f"option-{OPTION.name}": value})
        assert ben.web.post(f"/tables/{table}/solution").status_code == 403
        wheres = {ann.web.post(f"/tables/{table}/solution").headers["location"] for _ in range(2)}
        assert len(wheres) == 1
        state = server.live(wheres.pop().split("/")[2]).state
        assert state.game.score(state.shown, 1) == (1.0,)
    assert "<b>0 of" in ann.web.get(f"/solo/{TASKS}").text


def test_a_streak_of_days_and_how_many_have_solved_todays(tmp_path):
    clock = Clock(1_700_000_000_000)
    with served(tmp_path / "t.db", now=clock) as server:
        ann = server.guest()
        for day in range(3):
            page = ann.web.get(f"/solo/{TASKS}").text
            assert ("in a row" in page) == (day > 0)
            today = re.search(rf'value="({OPTION.series[0]} \d{{8}})"', page)[1]
            table = begin(ann, TASKS, **{f"option-{OPTION.name}": today})
            for step in steps_to_solve(backroom.game(TASKS), server.live(table).config.options):
                assert ann.move(table, step, ann.decision(table)["ask"]).status_code == 200
            page = ann.web.get(f"/solo/{TASKS}").text
            assert f"<b>{day + 1} day{'s' if day else ''} in a row.</b>" in page
            assert "solved by 1" in page
            clock.go(24 * 3600)
        clock.go(2 * 24 * 3600)
        assert "in a row" not in ann.web.get(f"/solo/{TASKS}").text


def test_games_for_one_leave_the_lobby_when_they_are_over(server):
    ann = server.guest()
    table = begin(ann, TASKS)
    assert table in ann.web.get("/").text
    ann.do(table, "end")
    assert table not in ann.web.get("/").text


def test_only_games_for_one_have_such_a_page(server):
    ann = server.guest()
    assert ann.web.get(f"/solo/{FOR_TWO}").status_code == 404
    assert ann.web.get(f"/solo/{MAKER}").status_code == 404
    assert ann.web.get("/solo/nothing").status_code == 404


# files that games make


def made_at(ann, table):
    return ann.web.get(f"/tables/{table}/file")


def test_what_is_made_is_saved_and_begun_with_again(server):
    ann = server.guest()
    table = begin(ann, MAKER, **{f"option-{MADE.draft}": backroom.game(MADE.game).options[0].values[1]})
    file = made_at(ann, table)
    assert file.headers["content-disposition"] == f'attachment; filename="{MADE.file}"'
    other = begin(ann, MAKER, **{f"option-{MADE.draft}": "*", f"text-{MADE.draft}": file.text})
    assert made_at(ann, other).text == file.text
    upload = {f"other-{MADE.draft}": ("mine.txt", b"\xef\xbb\xbf" + file.text.replace("\n", "\r\n").encode())}
    answer = ann.web.post("/tables", data={"game": MAKER, f"option-{MADE.draft}": "*"}, files=upload)
    assert made_at(ann, answer.headers["location"].removeprefix("/tables/")).text == file.text
    assert made_at(server.guest("Ben"), table).text == file.text  # everybody who has the link may watch
    assert made_at(ann, begin(ann, TASKS)).status_code == 404


def test_a_link_leads_to_the_form_and_is_short_enough_for_every_program(server):
    ann, ben = server.guest(), server.guest("Ben")
    option = backroom.game(MADE.game).options[0]
    for value in option.values:
        table = begin(ann, MAKER, **{f"option-{MADE.draft}": value})
        link = ann.web.get(f"/tables/{table}/use").headers["location"]
        assert link.startswith(f"/new/{MADE.game}?{MADE.option}=~")
        assert len(link) < 1000
    page = ben.web.get(link).text
    text = re.search(r"<textarea[^>]*>([^<]*)</textarea>", page)[1]
    assert "<svg" in page
    assert 'value="*" selected' in page
    form = {"game": MADE.game, f"option-{MADE.option}": "*", f"text-{MADE.option}": unescaped(text)}
    answer = ben.web.post("/tables", data=form)
    assert answer.status_code == 303, answer.text
    config = server.live(answer.headers["location"].removeprefix("/tables/")).config
    assert config.options[MADE.option] == option.settle(unescaped(text))


def unescaped(text):
    return html.unescape(text)


def test_what_cannot_be_played_yet_is_refused_with_the_reason(server):
    ann = server.guest()
    table = begin(ann, MAKER, **{f"option-{MADE.draft}": backroom.game(MAKER).options[0].default})
    answer = ann.web.get(f"/tables/{table}/use", headers={"accept": "text/html"})
    assert answer.status_code == 409
    question = html.escape(ann.decision(table)["question"], quote=False)
    assert f"{question}</p>" in re.sub(r"</?a[^>]*>", "", answer.text)  # as the table says it, with the next step
    assert f'href="/tables/{table}"' in answer.text
    draft = made_at(ann, table).text
    form = {"game": MADE.game, f"option-{MADE.option}": "*", f"text-{MADE.option}": draft, "seats": "3"}
    page = ann.web.post("/tables", data=form)
    assert page.status_code == 422
    assert draft.splitlines()[0] in page.text  # nothing that was said is lost
    assert '<option value="3" selected>' in page.text
    assert ann.web.get(f"/new/{MADE.game}?{MADE.option}={links.packed(draft)}").status_code == 200


def test_links_that_are_damaged_or_too_large():
    assert links.unpacked(links.packed("a" * 5000)) == "a" * 5000
    assert links.packed("standard") == links.unpacked("standard") == "standard"
    assert urllib.parse.quote(links.packed("x = [1]"), safe="~") == links.packed("x = [1]")
    for wrong in (links.packed("a" * 5000)[:-3], "~???", "~", links.packed("a" * 100_000), "~" + "A" * 40):
        with pytest.raises(Refused, match="damaged"):
            links.unpacked(wrong)


def test_a_page_with_a_damaged_link(server):
    assert server.guest().web.get(f"/new/{MADE.game}?{MADE.option}=~nonsense").status_code == 422


def test_new_ones_are_made_ahead_and_no_more_of_them_however_often_they_are_looked_at(server, monkeypatch):
    """Tasks on offer are made in a thread before somebody begins them; then another is offered."""
    ann, made = server.guest(), []
    monkeypatch.setattr(server.services, "new_tasks", NewTasks())
    monkeypatch.setattr(new_tasks, "_made", lambda option, value: made.append(value))

    def offered():
        page = ann.web.get(f"/solo/{TASKS}").text
        return re.findall(rf'value="((?:{"|".join(OPTION.series)}) \d+)"', page)

    for _ in range(5):
        seen = set(offered())
    until(lambda: set(made) <= seen and len(made) == len(OPTION.series))
    taken = made[0]
    begin(ann, TASKS, **{f"option-{OPTION.name}": taken})
    assert taken not in offered()
    until(lambda: len(made) == len(OPTION.series) + 1)


def test_a_hard_new_one_by_a_link_holds_up_no_page_and_is_limited(tmp_path, monkeypatch):
    """Other people's replays and forms do not wait while one person requests many hard tasks."""
    slow = threading.Event()

    def settle(text):
        slow.wait(10)
        raise ValueError("it could not be made")

    hard = replace(OPTION, read=settle)
    monkeypatch.setattr(backroom.game(TASKS).rules, "OPTIONS", (hard,))
    with served(tmp_path / "t.db", limits=1) as server:
        ann, ben = server.guest(), server.guest("Ben")
        link = f"/new/{TASKS}?{OPTION.name}=" + urllib.parse.quote(f"{OPTION.series[-1]} 7")
        threads = [threading.Thread(target=ann.web.get, args=(link,), daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        start = time.monotonic()
        assert ben.web.get(f"/new/{MADE.game}?{MADE.option}={backroom.game(MADE.game).options[0].values[0]}").is_success
        assert time.monotonic() - start < 5
        slow.set()
        for thread in threads:
            thread.join(20)
        assert 429 in [ann.web.get(link).status_code for _ in range(12)]


def test_making_a_hard_one_does_not_hold_up_the_others(server):
    """Slow generation runs beside the event loop."""
    ann, ben = server.guest(), server.guest("Ben")

    worker = threading.Thread(
        target=begin, args=(ann, TASKS), kwargs={f"option-{OPTION.name}": f"{OPTION.series[-1]} 20261119"}
    )
    worker.start()
    slowest = 0.0
    while worker.is_alive():
        before = time.monotonic()
        assert ben.web.get("/healthz").status_code == 200
        slowest = max(slowest, time.monotonic() - before)
        time.sleep(0.02)
    worker.join()
    assert slowest < 3
