"""At the table: resigning, ending without a result, what makes a game unrated, and players' names."""

import re

import pytest
from serving import TOY, Clock, served

import backroom
from backroom.server.people.names import bot_name
from backroom.server.people.ratings import BOT
from backroom.server.storage.schema import ratings, results
from backroom.server.tables.messages import ways_of

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])


def seated(server, *names, game=TOY, **form):
    """A table with these people, and bots where the form says so."""
    people = [server.guest(name) for name in names]
    table = people[0].make(game, **form)
    for each in people[1:]:
        assert each.do(table, "sit").json()["ok"]
    return table, people


def kept(server, table):
    rows = server.services.store.read_now(
        lambda conn: conn.execute(results.select().where(results.c.table_id == table).order_by(results.c.seat)).all()
    )
    return [row.score for row in rows]


def replayed(server, table):
    """The result of a table's log when it is imported, and when it is replayed by the library."""
    ann = server.guest("Importer")
    log = ann.web.get(f"/tables/{table}/log").text
    copy = ann.web.post("/import", data={"log": log}).headers["location"].split("/")[2]
    assert ann.web.get(f"/tables/{copy}/log").text == log
    assert server.live(copy).state.result == server.live(table).state.result
    return backroom.replay(log)


def test_who_resigns_loses_a_game_for_two(server):
    table, [ann, ben] = seated(server, "Ann", "Ben", seats=2)
    assert ben.do(table, "resign").json()["ok"]
    now = ann.decision(table)
    assert (now["stage"], now["question"]) == ("over", "Ben resigned: Ann wins.")
    assert now["score"][0] > now["score"][1]
    assert kept(server, table) == now["score"]
    assert tuple(now["score"]) == replayed(server, table).score
    assert ann.do(table, "resign").json()["code"] == "not-playing"
    state = server.live(table).state
    (low, better), (high, worse) = state.rating_changes
    assert better > low == high > worse
    server.do(drop(server, table))
    assert server.do(loaded(server, table)).rating_changes == state.rating_changes


async def drop(server, table):
    server.services.tables.live.pop(table).drop()


async def loaded(server, table):
    live = await server.services.tables.get(table)
    async with live.reading() as state:
        return state


def test_where_others_play_on_a_bot_plays_for_the_seat_that_resigned(server):
    table, [_, ben, cid] = seated(server, "Ann", "Ben", "Cid", seats=3)
    assert ben.do(table, "resign").json()["ok"]
    live = server.live(table)
    assert live.state.stage == "playing"
    assert live.state.chairs[1].bot
    assert live.state.is_rated
    assert ben.do(table, "sit").json()["code"] == "lost"
    assert cid.do(table, "resign").json()["ok"]
    state = live.state
    assert (state.stage, state.result.winners) == ("over", (0,))
    assert state.score[0] > state.score[2] > state.score[1]
    assert replayed(server, table).score == state.score


def test_who_has_resigned_decides_nothing_any_more(server):
    """A bot plays on for the seat; its moves, the rating and the others' time are no business of the loser's."""
    table, [ann, ben, cid] = seated(server, "Ann", "Ben", "Cid", seats=3)
    assert ben.do(table, "resign").json()["ok"]
    server.rested(table)
    live = server.live(table)
    lines = live.state.lines
    for action, said in (("undo", {}), ("end", {}), ("unrate", {"text": "back"}), ("choose", {"text": "end"})):
        assert ben.do(table, action, **said).json()["code"] == "lost", action
    assert live.state.is_rated
    assert live.state.request is None
    assert live.state.lines == lines
    assert ann.do(table, "end").json()["ok"]
    assert cid.do(table, "agree").json()["ok"]
    assert live.state.stage == "over"


def test_a_game_becomes_unrated_only_by_what_is_possible_there(server):
    table, [ann, _] = seated(server, "Ann", "Ben", seats=2, hints="no")
    for what in ("hint", "back"):  # no hints here, and to take back needs Ben's consent
        answer = ann.do(table, "unrate", text=what)
        assert answer.status_code in (403, 409), answer.text
    assert server.live(table).state.is_rated


def test_nobody_waits_for_bots_that_play_on_alone(server):
    table, [ann] = seated(server, "Ann", seats=3, **{"seat-1": "random", "seat-2": "random"})
    assert ann.do(table, "resign").json()["ok"]
    state = server.live(table).state
    assert (state.stage, state.result.winners) == ("over", (1, 2))


def test_all_agree_to_end_without_a_result(server):
    table, [ann, ben] = seated(server, "Ann", "Ben", seats=2)
    assert ann.do(table, "end").json()["ok"]
    assert server.live(table).state.stage == "playing"
    assert ann.do(table, "end").json()["code"] == "asked"
    assert ben.do(table, "refuse").json()["ok"]
    assert ann.do(table, "end").json()["ok"]
    assert ben.do(table, "agree").json()["ok"]
    now = ann.decision(table)
    assert (now["stage"], now["score"]) == ("over", None)
    assert now["question"] == "The game has ended without a result."
    assert kept(server, table) == []
    assert replayed(server, table).is_over
    table, [ann] = seated(server, "Ann", seats=2, **{"seat-1": "random"})
    assert ann.do(table, "end").json()["code"] == "alone"


def played(server, table, guest, moves):
    for _ in range(moves):
        server.rested(table)
        now = guest.decision(table)
        assert guest.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    return server.rested(table)


def test_taking_back_against_bots_makes_a_game_unrated_and_says_so_before(server):
    table, [ann] = seated(server, "Ann", game=GAME, **{"seat-1": "random"})
    state = played(server, table, ann, 1)
    while state.table.can_take_back(max(n for n, line in enumerate(state.table.lines) if line.seat == 0)):
        state = played(server, table, ann, 1)  # until something is learned: in the middle of a turn it is free
    assert state.is_rated
    lines = state.lines
    refusal = ann.do(table, "undo").json()
    assert (refusal["code"], state.lines) == ("unrated", lines)
    assert "will not count" in refusal["why"]
    assert ann.do(table, "unrate", text="back").json()["ok"]
    assert ann.do(table, "undo").json()["ok"]
    state = server.live(table).state
    assert not state.is_rated
    assert any("does not count on the ladder" in note.text for note in state.notes)
    assert ann.do(table, "resign").json()["ok"]
    assert server.live(table).state.rating_changes is None


def test_with_people_a_take_back_by_consent_leaves_a_game_rated_unless_a_bot_plays(server):
    table, [ann, ben] = seated(server, "Ann", "Ben", seats=2)
    who = ann if ann.decision(table)["asked"] else ben
    other = ben if who is ann else ann
    for guest in (who, other):
        now = guest.decision(table)
        assert guest.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    assert who.do(table, "undo").json()["ok"]
    if server.live(table).state.request:
        assert other.do(table, "agree").json()["ok"]
    assert server.live(table).state.is_rated


def test_bots_have_names_of_their_own_and_their_level_beside(server):
    table, [ann] = seated(server, "Ann", seats=3, **{"seat-1": "random", "seat-2": "random"})
    with ann.listening(table) as messages:
        seats = messages.get(timeout=10)["table"]["seats"]
    assert len({seat["name"] for seat in seats}) == 3
    assert [seat["bot"] for seat in seats] == [None, "random", "random"]
    assert "random" not in {seat["name"] for seat in seats}
    assert "seat 1 random" in ann.web.get(f"/tables/{table}/log").text
    table, [ann] = seated(server, "Ann", seats=2, **{"seat-1": "random"})
    ann.do(table, "resign")
    rows = server.services.store.read_now(
        lambda conn: conn.execute(ratings.select().where(ratings.c.who == f"{BOT}random")).all()
    )
    assert {row.name for row in rows} == {"random"}


def test_guests_of_the_same_name_are_told_apart(server):
    table, [ann, _] = seated(server, "Ann", "Ann", game=GAME)
    with ann.listening(table) as messages:
        seats = messages.get(timeout=10)["table"]["seats"]
    assert len({seat["name"] for seat in seats}) == 2


@pytest.mark.parametrize("names", [("Ann", "Ben"), ("Ann", "Ben", "Cid")])
def test_a_flagged_game_has_a_winner(tmp_path, names):
    clock = Clock()
    with served(tmp_path / "t.db", now=clock) as server:
        table, _ = seated(server, *names, seats=len(names), clock="bank", minutes=1, step=0, out="end")
        clock.go(61)
        server.do(server.live(table).tick())
        state = server.live(table).state
        late = next(iter(state.lost))
        assert state.stage == "over"
        assert set(state.result.winners) == set(range(len(names))) - {late}
        assert replayed(server, table).score == state.score


def test_the_page_and_the_stream_offer_the_same_ways_with_a_seat(server):
    """Free, left, and played by a bot: each kind of reader is offered what it can do, and nothing else."""
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY, seats=2)

    def ways():
        state = server.live(table).state
        return [ways_of(state, seat) for seat in range(2)]

    assert ways() == [{}, {"player": ["bot", "Ask a bot"], "guest": ["sit", "Sit here"]}]
    assert "Ask a bot" in ann.web.get(f"/tables/{table}").text
    assert "Sit here" in ben.web.get(f"/tables/{table}").text
    ben.do(table, "sit")
    assert ways() == [{}, {}]
    ben.do(table, "rise")
    assert ways() == [{}, {"player": ["bot", "Let a bot play"], "owner": ["sit", "Take your seat back"]}]
    assert "Take your seat back" in ben.web.get(f"/tables/{table}").text
    ann.do(table, "bot", seat=1)
    assert ways() == [{}, {"owner": ["sit", "Take your seat back"]}]


def test_what_is_said_around_a_take_back_stays_in_its_order(server):
    table, [ann, ben] = seated(server, "Ann", "Ben", game=GAME)
    state = server.live(table).state
    first = state.asked[0]
    mover, other = (ann, ben) if first == 0 else (ben, ann)
    while state.asked[0] == first:
        now = mover.decision(table)
        mover.move(table, now["moves"][0]["name"], now["ask"])
    assert ann.do(table, "say", text="before").json()["ok"]
    assert mover.do(table, "undo").json()["ok"]
    assert other.do(table, "agree").json()["ok"]
    assert ann.do(table, "say", text="after").json()["ok"]
    with ann.listening(table) as messages:
        story = re.findall(r'<li class="(?:note|said)">.*?</li>', messages.get(timeout=10)["story"])
    said = [next(n for n, text in enumerate(story) if part in text) for part in ("before", "asks", "agrees", "takes")]
    assert said == sorted(said)
    assert story[-1].endswith(" after</li>")


def test_somebody_with_two_pages_watches_once_and_who_lets_a_bot_play_is_asked_nothing(server):
    table, [ann, _] = seated(server, "Ann", "Ben", game=GAME)
    cid = server.guest("Cid")
    with cid.listening(table) as messages, cid.listening(table):
        found = messages.get(timeout=10)
        while found["table"]["watchers"] == 0:
            found = messages.get(timeout=10)
        assert server.live(table).watchers() == 1
    assert ann.do(table, "bot", seat=0, bot="random").json()["ok"]
    with ann.listening(table) as messages:
        found = messages.get(timeout=10)
    assert (found["question"], found["moves"]) == ("A bot plays for you; you can take your seat back.", [])


def test_who_has_left_is_asked_nothing_until_the_seat_is_taken_back(server):
    table, people = seated(server, "Ann", "Ben", game=GAME)
    who = people[server.live(table).state.asked[0]]

    def asked():
        with who.listening(table) as messages:
            found = messages.get(timeout=10)
        return (
            found["question"],
            bool(found["moves"]),
            f'href="/tables/{table}" class="my-turn"' in who.web.get("/").text,
        )

    (question, *is_asked) = asked()
    assert is_asked == [True, True]
    who.do(table, "rise")
    assert asked() == ("You have left this table; you can take your seat back.", False, False)
    who.do(table, "sit")
    assert asked() == (question, True, True)


@pytest.mark.parametrize("name", list(backroom.names()))
def test_bots_are_never_called_like_a_seat(name):
    seats = backroom.game(name).rules.SEAT_NAMES
    called = {bot_name(str(table), seat, seats) for table in range(60) for seat in range(9)}
    assert len(called) > 9
    assert not called & set(seats)
