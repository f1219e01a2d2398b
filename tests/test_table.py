"""One game being played, as a library: nature, seeds, views, taking back, replay."""

import hashlib
import hmac

import pytest
import terminals
import toy

import backroom
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR
from backroom.engine.log import BadLog, Unfair
from backroom.engine.options import BadOption, Option
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import IllegalMove
from backroom.engine.table import Table, verify

GAME = backroom.game(terminals.GAME)


@pytest.fixture
def pennies():
    registry.register("pennies", toy.module)
    yield backroom.game("pennies")
    registry._loaders.pop("pennies")
    registry._games.pop("pennies")


def play_out(table, last=10**6):
    while not table.is_over and len(table.lines) < last:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    return table


def test_nature_answers_by_itself():
    table = GAME.table(seed=1)
    assert NATURE not in table.asked
    assert table.lines[0].seat == NATURE
    assert table.score is None
    play_out(table)
    assert len(table.score) == table.seats


def test_the_same_seed_is_the_same_game():
    assert str(play_out(GAME.table(seed=3)).log) == str(play_out(GAME.table(seed="3")).log)
    assert str(play_out(GAME.table(seed=3)).log) != str(play_out(GAME.table(seed=4)).log)
    assert GAME.table().seed != GAME.table().seed


def test_nature_can_be_told_what_to_do():
    table = GAME.table(nature=False)
    assert table.asked == (NATURE,)
    table.play(NATURE, table.moves(NATURE)[0])
    assert NATURE not in table.asked
    assert "seed-hash none\n" in str(table.log)
    with pytest.raises(BadOption, match="needs no seed"):
        Table(GAME, nature=False, seed=1)


def test_chance_is_drawn_as_the_documents_say():
    """HMAC-SHA256(seed, number of the move), modulo the sum of the odds."""
    table = GAME.table(seed="word")
    states = list(table.states())
    number = int.from_bytes(hmac.digest(b"word", b"1", hashlib.sha256)) % sum(GAME.odds(states[0]))
    weights = GAME.odds(states[0])
    place = next(i for i in range(len(weights)) if sum(weights[: i + 1]) > number)
    assert table.lines[0].move == GAME.moves(states[0], NATURE)[place]


def test_the_seed_is_committed_at_once_and_shown_at_the_end():
    table = GAME.table(seed="secret")
    assert hashlib.sha256(b"secret").hexdigest() in str(table.log)
    assert table.log.seed is None
    assert "secret" not in str(table.log)
    assert str(play_out(table).log).endswith("\nseed secret\n")


def test_a_log_replays_and_goes_on():
    whole = play_out(GAME.table(seed=9))
    part = play_out(GAME.table(seed=9), last=20)
    again = backroom.replay(str(part.log))
    assert again.game.key(again.state) == part.game.key(part.state)
    assert str(again.log) == str(part.log)
    assert str(play_out(backroom.replay(part.save)).log) == str(whole.log)
    assert str(play_out(backroom.replay(part.log, seed=9)).log) == str(whole.log)
    with pytest.raises(BadLog, match="commits to"):
        backroom.replay(part.log, seed=10)


def test_verify():
    table = play_out(GAME.table(seed=5))
    assert verify(str(table.log)) == sum(at.seat == NATURE for at in table.lines)
    with pytest.raises(BadLog, match="holds no seed yet"):
        verify(play_out(GAME.table(seed=5), last=9).log)
    with pytest.raises(BadLog, match="cannot be verified"):
        verify(GAME.table(nature=False).log)


def test_verify_finds_a_loaded_die():
    honest = GAME.table(seed=5)
    loaded = GAME.table(nature=False)
    other = next(name for name in loaded.moves(NATURE) if name != honest.lines[0].name)
    loaded.play(NATURE, other)
    text = str(loaded.log).replace("seed-hash none", f"seed-hash {honest.seed_hash}") + "seed 5\n"
    with pytest.raises(Unfair, match=r"move 1: nature played .* but the seed draws"):
        verify(text)
    whole = str(play_out(honest).log)
    with pytest.raises(Unfair, match="move 1"):  # whatever else became impossible by it
        verify(whole.replace(f"* {honest.lines[0].name}", f"* {other}", 1))


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"seats": 17}, "is for .* seats, not 17"),
        ({"seats": "2"}, "not '2'"),
        ({"colour": "red"}, "has no option 'colour'; there is "),
        ({"seed": "two words"}, "a seed is one word"),
        ({"seed": ""}, "a seed is one word"),
    ],
)
def test_what_there_is_not_is_refused(arguments, refusal):
    with pytest.raises(BadOption, match=refusal):
        GAME.table(**arguments)


def test_options_are_read_kindly(pennies):
    assert pennies.table(bank=20).options == {"bank": "20", "pace": "slow"}
    assert pennies.table(bank="033").state.bank == 33
    assert list(pennies.encoded({"bank": "33", "pace": "fast"})) == [33]  # the pace is the table's matter
    with pytest.raises(BadOption, match="option bank: '3' is no number of pennies; it can be 12, 20 or 12 to 40"):
        pennies.table(bank=3)
    with pytest.raises(BadOption, match="option pace cannot be 'none'; it can be slow or fast"):
        pennies.table(pace="none")
    with pytest.raises(BadOption, match=r"has no option 'bnak'; did you mean bank\?"):
        pennies.table(bnak=3)
    assert Option("x", ("no", "yes"), "X.").settle(True) == "yes"


def test_unknown_games_and_seats_are_refused():
    with pytest.raises(BadOption, match="there is no game called 'chess'"):
        backroom.game("chess")
    table = GAME.table(seed=1)
    for seat in (-2, 7, 14):
        with pytest.raises(IllegalMove, match=f"there is no seat {seat}"):
            table.play(seat, "x")
    done = play_out(GAME.table(seed=1))
    with pytest.raises(IllegalMove, match="the game is over"):
        done.play(0, "anything")


def test_arguments_of_the_wrong_kind_are_refused_in_a_sentence(pennies):
    table = GAME.table(seed=1)
    with pytest.raises(TypeError, match=r"not of 'run'; say backroom\.game\(NAME\)\.table\(\)"):
        Table("run")
    with pytest.raises(IllegalMove, match="cannot play 5: a move is the text that `moves` has for it"):
        table.play(table.asked[0], 5)
    with pytest.raises(IllegalMove, match="there is no seat '0' at this table"):
        table.play("0", "x")
    for read in (backroom.replay, verify):
        with pytest.raises(TypeError, match=r"a log is a Log, its text or the pathlib\.Path of its file, not None"):
            read(None)


def test_a_reader_without_a_seat_is_refused(pennies):
    """Kernels do not check their indices, so that they would read outside of the record."""
    table = play_out(pennies.table(seed=1))
    for look in (
        table.log_seen_by, table.question, table.labels, lambda seat: list(table.story(seat)),
        lambda seat: table.way(1, seat),
    ):  # fmt: skip
        with pytest.raises(IllegalMove, match="there is no seat 9"):
            look(9)


def test_lines_that_there_are_not_are_refused(pennies):
    """A negative number would count from the end, and play lines on a state that they do not belong to."""
    table = play_out(pennies.table(seed=1), 6)
    before = str(table.save)
    for number in (-1, len(table.lines) + 1):
        for look in (table.state_at, table.rewind, table.cut):
            with pytest.raises(IndexError, match="lines"):
                look(number)
    for number in (0, len(table.lines) + 1):
        with pytest.raises(IndexError, match="lines"):
            table.way(number)
    assert str(table.save) == before


def test_a_refused_move_changes_nothing():
    table = GAME.table(seed=2)
    before = (str(table.log), table.game.key(table.state))
    for text in ("", "nonsense", "\n", "x" * 10_000):
        with pytest.raises(IllegalMove):
            table.play(table.asked[0], text)
    assert (str(table.log), table.game.key(table.state)) == before


def test_a_picture_in_a_notebook():
    table = GAME.table(seed=2)
    assert table._repr_svg_().startswith("<svg")
    assert repr(table).startswith(f"<table of {GAME.name}: ")


# secrets, sealed answers and claims: the toy has them


def test_views_and_logs_keep_secrets(pennies):
    table = pennies.table(seed="unheard")
    assert len(table.asked) == 2
    log = str(table.log_seen_by(0))
    assert log.count("* ?") == 2
    assert log.count("* deal") == 2
    assert str(table.log_seen_by(SPECTATOR)).count("* ?") == 4
    table.play(1, table.moves(1)[0])
    assert str(table.log_seen_by(0)).endswith("1 ?\n")  # Ann sees that Ben is ready
    assert list(table.story(0))[-1] == "Ben gets a card."  # and no story tells of bids before all are shown
    assert list(table.story(1))[-1].startswith("Ben gets the ")
    assert table.seed not in log


def test_a_sealed_answer_may_be_changed_until_the_last(pennies):
    table = pennies.table(seed=1)
    first, second = table.moves(1)
    table.play(1, first)
    assert table.asked == (0,)
    table.play(1, second)
    assert table.asked == (0,)


def test_taking_back_is_free_until_somebody_has_learned_something(pennies):
    table = pennies.table(seed=1)
    with pytest.raises(IllegalMove, match="Ben has made no move to take back"):
        table.take_back(1)
    table.play(1, table.moves(1)[0])
    table.take_back(1)
    assert len(table.lines) == 4
    table.play(1, table.moves(1)[0])
    table.play(0, table.moves(0)[0])  # opens the bids, and nature rolls
    with pytest.raises(IllegalMove, match="somebody has learned something since, so the others must agree"):
        table.take_back(0)
    table.take_back(0, consent=True)
    assert len(table.lines) == 5


def test_a_step_that_nobody_notices_is_in_nobody_elses_log():
    """What Ben picks up and puts down again leaves no trace for Ann, not even a line number."""
    table = Table(Game(toy.module()), seed=1)
    table.play(1, table.moves(1)[0])
    told = list(table.story(0))
    table.play(1, table.moves(1)[0])  # another card, still sealed: Ann sees no difference
    assert str(table.log_seen_by(0)).count("1 ?") == 1
    assert list(table.story(0)) == told
    assert len(table.log_seen_by(1).moves) == len(table.log_seen_by(0).moves) + 1


def test_a_log_for_a_seat_begins_with_what_it_may_see(pennies):
    hands = pennies.table(seed=1)
    position = pennies.rules.position(hands.state)
    begun = Table(pennies, start=position, nature=False)
    assert position in str(begun.log)
    assert position not in str(begun.log_seen_by(0))
    assert "-1" in begun.log_seen_by(0).start


def test_nature_shows_her_view_to_nobody(pennies):
    table = pennies.table(seed=1)
    for look in (table.view, table.moves):
        with pytest.raises(IllegalMove, match="shows her view to nobody"):
            look(NATURE)


def test_a_table_follows_another_line_by_line(pennies):
    """Nature's moves too come from the other table: a seed is kept, but not drawn from."""
    first = pennies.table(seed=1)
    second = Table(pennies, seed=first.seed, seed_hash=first.seed_hash, nature=False)
    for _ in range(40):
        if first.is_over:
            break
        first.play(first.asked[-1], first.moves(first.asked[-1])[-1])
    for at in first.lines:
        second.append(second.steps_told(at.seat, at.name))
    assert str(second.save) == str(first.save)
    assert pennies.key(second.state) == pennies.key(first.state)
    with pytest.raises(IllegalMove):
        second.steps_told(0, "no such move")


def test_the_steps_of_a_move_change_nothing_until_they_are_appended(pennies):
    table, twin = pennies.table(seed=1), pennies.table(seed=1)
    while not table.is_over:
        seat, before, lines = table.asked[0], table.state, list(table.lines)
        key = pennies.key(before)
        steps = table.steps(seat, table.moves(seat)[-1])
        assert (table.state is before, pennies.key(before), table.lines) == (True, key, lines)
        table.append(steps)
        twin.play(seat, twin.moves(seat)[-1])
        assert table.lines == twin.lines
        assert table.lines[len(lines) :] == [step.line for step in steps]
    with pytest.raises(ValueError, match="another state"):
        table.append(steps)


def test_what_can_be_taken_back_freely(pennies):
    """Only a sealed answer with nothing after it can be taken back freely, never a move that others saw."""
    table = pennies.table(seed=1)
    seat, other = table.asked[:2]
    number = len(table.lines)
    table.play(seat, table.moves(seat)[0])
    assert table.can_take_back(number)
    table.play(other, table.moves(other)[0])
    assert not table.can_take_back(number)
    assert not table.can_take_back(len(table.lines) - 1)  # the last answer opened them all


def test_a_guess_that_others_hear_is_not_taken_back_freely(pennies):
    """Even one that told nothing this time: it might have."""
    table = pennies.table(seed=1)
    while table.asked != (0,) and table.asked != (1,):
        for seat in table.asked[:2]:
            table.play(seat, table.moves(seat)[0])
    (seat,) = table.asked
    table.play(seat, "keep")
    with pytest.raises(IllegalMove, match="learned"):
        table.take_back(seat)


def test_a_position_is_kept_on_one_line():
    start = GAME.rules.position(GAME.start(*GAME.settle(None, {})))
    table = GAME.table(start="  " + start.replace(" ", "\n ", 1), seed=1)
    assert backroom.replay(str(table.save)).start == start


def test_a_table_is_small():
    """Equal lines are the same object."""
    one, other = (play_out(GAME.table(seed=3)) for _ in range(2))
    assert all(a is b for a, b in zip(one.lines, other.lines, strict=True))


def test_the_last_sealed_answer_teaches_by_itself(pennies):
    """Nobody moved after it, but it has revealed the other's bid."""
    table = Table(pennies, nature=False)
    while len(table.asked) == 1:
        table.play(NATURE, table.moves(NATURE)[0])
    table.play(1, table.moves(1)[0])
    table.play(0, table.moves(0)[0])
    assert table.lines[-1].seat == 0
    with pytest.raises(IllegalMove, match="learned"):
        table.take_back(0)


def test_dice_fall_the_same_way_again():
    table = play_out(GAME.table(seed=8), last=30)
    text = str(table.log)
    table.rewind(10)
    replayed = backroom.replay(text)
    for at in replayed.lines[len(table.lines) :]:
        if at.seat != NATURE:
            table.play(at.seat, at.name)
    assert str(table.log) == text


def test_lists_in_words():
    assert listing(["a"]) == "a"
    assert listing("abc") == "a, b or c"
    assert listing("ab", "and") == "a and b"
    assert did_you_mean("x", []) == "; there are none"
    assert [listing(words, "and") for words in ([], "a", "abc")] == ["none", "a", "a, b and c"]


def test_a_copy_is_a_table_of_its_own():
    table = GAME.table(seed=5)
    twin = table.copy()
    assert str(twin.save) == str(table.save)
    seat = table.asked[0]
    twin.play(seat, twin.moves(seat)[0])
    assert len(twin.lines) > len(table.lines)
    table.play(seat, table.moves(seat)[0])
    assert str(twin.save) == str(table.save), "dice fall the same way"


def test_a_game_reads_well_from_outside():
    game = GAME
    assert (game.title, game.seats, game.options) == (game.rules.TITLE, tuple(game.rules.SEATS), game.rules.OPTIONS)


def test_states_far_into_a_long_game_are_found_from_snapshots(pennies, monkeypatch):
    monkeypatch.setattr("backroom.engine.table.SNAPSHOT_EVERY", 4)
    table = play_out(pennies.table(seed=1))
    keys = [pennies.key(s) for s in table.states()]
    for number in range(len(table.lines) + 1):
        assert [pennies.key(s) for s in table.states(number)] == keys[number:]
        assert list(table.chronicle(since=number)) == [told for told in table.chronicle() if told[0] > number]
    other = table.copy()
    other.cut(6)
    assert pennies.key(other.state) == keys[6]
    assert [pennies.key(s) for s in table.states()] == keys


def test_a_table_that_is_over_has_a_result():
    table = GAME.table(seed=3)
    assert table.result is None
    play_out(table)
    assert table.result.winners
    assert table.result == GAME.rules.result(table.state)


def test_who_resigns_has_lost_and_the_log_says_so(pennies):
    table = play_out(Table(GAME, seed=1, who={0: "Ann", 1: "Ben"}), 6)
    table.concede(1)
    assert table.is_over
    assert table.asked == ()
    assert table.moves(0) == table.moves(1) == []
    assert table.labels(0) == table.labels(1) == []
    assert table.score is not None
    assert table.score[0] > table.score[1]
    assert table.result is not None
    assert table.result.winners == (0,)
    assert list(table.story())[-1] == "Ben resigns."
    again = backroom.replay(str(table.log))
    assert (again.score, again.result) == (table.score, table.result)
    assert verify(str(table.log)) > 0
    with pytest.raises(IllegalMove, match="the game is over"):
        table.play(0, "pass")


def test_where_three_play_two_go_on_without_the_one_who_resigned(pennies):
    table = pennies.table(seats=3, seed=1)
    table.concede(2)
    assert not table.is_over
    play_out(table)
    assert table.score is not None
    assert min(table.score) == table.score[2]
    assert table.result is not None
    assert 2 not in table.result.winners
    assert table.result.seats[2] == "resigned"
    assert backroom.replay(str(table.log)).score == table.score


def test_a_game_that_is_stopped_has_a_result_only_if_somebody_has_lost(pennies):
    table = pennies.table(seats=3, seed=1)
    stopped = table.copy()
    stopped.stop()
    assert stopped.is_over
    assert (stopped.score, stopped.result) == (None, None)
    assert backroom.replay(str(stopped.log)).is_over
    table.concede(0, "time")
    table.stop()
    assert table.result is not None
    assert table.result.winners == (1, 2)
    assert not stopped.lost
    with pytest.raises(BadLog, match=r"'resign 7': there is no seat 7"):
        backroom.replay(str(table.log).replace("time 0", "resign 7"))
