"""Lessons at a server's table: played through, with answers to unwanted moves, and stored like any table."""

import httpx
import pytest
from serving import served

import backroom
from backroom.engine.lessons import lessons

TAUGHT = [name for name in backroom.names() if lessons(backroom.game(name))]


def begin(guest, name):
    answer = guest.web.post(f"/learn/{name}")
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/tables/")


@pytest.mark.parametrize("name", TAUGHT)
def test_a_lesson_is_played_through(server, name):
    ann = server.guest()
    table, lesson = begin(ann, name), lessons(backroom.game(name))[0]
    for number, step in enumerate(lesson.steps, 1):
        turn = ann.decision(table)
        page = ann.web.get(f"/tables/{table}").text
        assert f'"at": {number}' in page or f"&#34;at&#34;: {number}" in page
        if not step.right:
            assert ann.do(table, "next").status_code == 200
            continue
        names = [move["name"] for move in turn["moves"]]
        assert set(step.right) <= set(names)
        if wrong := [name for name in names if name not in step.right]:
            refused = ann.move(table, wrong[0], turn["ask"])
            assert (refused.status_code, refused.json()["why"]) == (422, step.wrong)
            assert ann.decision(table) == turn
        assert ann.do(table, "next").status_code == 409
        assert ann.move(table, step.right[0], turn["ask"]).status_code == 200
    assert ann.decision(table)["stage"] == "over"
    assert ann.web.post(f"/tables/{table}/rematch", json={}).status_code == 409


def test_a_lesson_is_the_same_after_a_restart(tmp_path):
    name = TAUGHT[0]
    step = lessons(backroom.game(name))[0].steps[0]
    with served(tmp_path / "t.db") as server:
        ann = server.guest()
        table = begin(ann, name)
        assert ann.move(table, step.right[0], ann.decision(table)["ask"]).status_code == 200
        before, cookies = ann.web.get(f"/tables/{table}/words").text, ann.web.cookies
    with served(tmp_path / "t.db") as again:
        ben = again.guest("Ben")
        ben.web.cookies = cookies
        assert ben.web.get(f"/tables/{table}/words").text == before


def test_no_lesson_and_nothing_to_go_on_from(server):
    ann = server.guest()
    assert ann.web.post("/learn/rum-run-puzzles").status_code == 404
    assert ann.web.post("/learn/nothing").status_code == 404
    table = ann.make(TAUGHT[0], **{f"seat-{seat}": "random" for seat in range(1, 9)})
    assert ann.do(table, "next").status_code == 409


def test_who_says_no_name_gets_one(server):
    answer = httpx.post(f"{server.url}/learn/{TAUGHT[0]}")
    assert answer.status_code == 303
    assert "backroom" in answer.cookies
