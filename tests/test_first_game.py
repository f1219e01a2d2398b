"""What newcomers are told: situations that arise in real games, reasons in hints, and pictures in rulebooks."""

import itertools
import random
import re
from dataclasses import dataclass

import pytest
import toy

import backroom
from backroom.bots import hint, why
from backroom.bots.hints import MOST_REASONS
from backroom.engine.diagrams import diagrams, without_diagrams
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE
from backroom.engine.marks import plain
from backroom.engine.protocol import Situation
from backroom.engine.shape import BadShape, check_rules

CONTESTS = [name for name in backroom.names() if max(backroom.game(name).seats) > 1]
MOST_LINES = 1200
"""The number of lines of each golden game that are examined."""


def moments(game):
    """Each decision of the golden games: the seat and its view; the longest games last."""
    logs = [path.read_text("utf-8") for path in (game.folder / "tests" / "golden").glob("*.log")]
    for text in sorted(logs, key=len):
        table = backroom.replay(text)
        for s, line in itertools.islice(zip(table.states(), table.lines, strict=False), MOST_LINES):
            if line.seat != NATURE:
                yield line.seat, game.view(s, line.seat)


def paragraphs(text):
    return set(re.findall(r"§(\d+(?:\.\d+)?)", text))


@dataclass
class Whim:
    """A judge with fixed opinions."""

    game: Game
    rng: random.Random

    def moves(self, v, seat, seed):
        return {move: self.rng.random() for move in self.game.moves(v, seat) if move != self.game.rules.BACK}

    def view(self, v, seat, seed):
        return 0.5


@pytest.mark.parametrize("name", CONTESTS)
def test_every_situation_arises_and_names_a_paragraph_of_the_rules(name):
    game = backroom.game(name)
    left = {each.name: each for each in game.rules.SITUATIONS}
    assert len(left) == len(game.rules.SITUATIONS) >= 5
    for each in left.values():
        assert paragraphs(each.says) <= paragraphs(game.rulebook)
        assert paragraphs(each.says)
    for seat, v in moments(game):
        for each in game.situations(v, seat):
            left.pop(each.name, None)
        if not left:
            break
    assert not left


@pytest.mark.parametrize("name", CONTESTS)
def test_who_is_asked_for_the_first_time_knows_what_it_is_all_for(name):
    game = backroom.game(name)
    seat, v = next(moments(game))
    first = game.situations(v, seat)[0]
    assert re.search(r"\b(wins?|race)\b", f"{game.summary} {first.says}")


@pytest.mark.parametrize("name", CONTESTS)
def test_a_hint_says_why_in_words(name):
    """Whichever move is best, and whichever comes next: two or three facts speak for it, and no two are the same."""
    game, rng = backroom.game(name), random.Random(2)
    judge, said = Whim(game, rng), 0
    for seat, v in itertools.islice(moments(game), 0, 1200, 5):
        key, said = game.key(v), said + 1
        found = hint(game, judge, v, seat)
        reasons = why(game, v, seat, found.considered)
        words = plain(found.says, game.rules.SEAT_NAMES)
        label = plain(game.rules.label(v, found.move), game.rules.SEAT_NAMES)
        if len(found.considered) == 1:
            can_go_back = game.rules.BACK in game.moves(v, seat)
            assert words == f"Only this is open{', but for going back' if can_go_back else ''}: {label}."
            assert reasons == ["nothing else is open"]
        else:
            assert words.startswith(f"{label}. ")
            assert 2 <= len(set(reasons)) == len(reasons) <= MOST_REASONS, words
            assert plain(reasons[0], game.rules.SEAT_NAMES)[1:] in words
        assert "%" not in words
        assert not game.rules.NOTATION.search(words), words
        assert paragraphs(words) <= paragraphs(game.rulebook)
        assert game.key(v) == key  # looking changes nothing
    assert said > 20


def test_of_moves_that_are_as_good_it_is_said_too():
    game = backroom.game(CONTESTS[-1])
    seat, v = next((seat, v) for seat, v in moments(game) if len(game.moves(v, seat)) > 1)
    judge = Whim(game, random.Random(1))
    judge.moves = lambda v, seat, seed: dict.fromkeys(game.moves(v, seat), 0.5)
    words = hint(game, judge, v, seat).says
    assert words.endswith("Everything else is as good.")
    assert "; " in words


def test_a_hint_without_reasons_and_without_a_choice():
    game = Game(toy.module())
    table = game.table(seed=1)
    seat = table.asked[0]
    v = table.view(seat)
    words = plain(hint(game, Whim(game, random.Random(1)), v, seat).says, game.rules.SEAT_NAMES)
    assert re.search(r"It is (a little |much )?better than “", words)


def test_the_shape_of_situations_is_checked():
    told = Situation("always", "It is so (§1).", lambda v, seat: True)
    check_rules("pennies", toy.module(SITUATIONS=(told,)))
    with pytest.raises(BadShape, match=r"advice: reasons_for takes \(v, seat\), not \(v, seat, move, other\)"):
        check_rules("pennies", toy.module(reasons_for=lambda v, seat: []))


@pytest.mark.parametrize("name", CONTESTS)
def test_rulebooks_have_pictures_of_positions_that_can_be_played_from(name):
    game = backroom.game(name)
    found = diagrams(game)
    assert len(found) == game.rulebook.count("```position") >= 2
    for each in found:
        table = each.table(game)
        assert each.viewer in table.asked
        assert table.moves(each.viewer)
        assert each.caption.endswith(".")
        assert game.rules.draw(each.view(game), each.viewer).svg()
    assert "```" not in without_diagrams(game.rulebook)
