"""A second opinion on whole turns: the rulebook in plain Python, compared over many positions and rolls.

It imports nothing of the rules but the notation. A player's men are a tuple of 26 numbers in the player's numbering.
"""

import random
from collections import Counter

import pytest

from backroom.engine.kernel import NATURE
from backroom.engine.kernel import dice_from as throw

from .boards import GAME, after, at, endings, names

POSITIONS = 6_000
SHARES = 3
FEW_GAMES = 8
OFF = 25


def closed_to(other):
    """§3.1: the points, in one's own numbers, where the opponent has a man."""
    return {(point + 12 - 1) % 24 + 1 for point in range(1, 25) if other[point]}


def steps(own, closed, die):
    """Every single man's move by one die."""
    is_past = any(own[point] for point in range(13, 26))
    runner = next((point for point in range(2, 25) if own[point]), 1)
    is_home = not any(own[point] for point in range(1, 19))
    for point in range(1, 25):
        if not own[point] or (not is_past and point != runner):  # §3.5
            continue
        to = point + die
        if to <= 24 and to not in closed:
            yield point, to
        if is_home:
            farther = any(own[at] for at in range(19, point))
            if die == 25 - point or (die > 25 - point and not farther):  # §4.2, §4.3
                yield point, OFF


def moved(own, point, to):
    men = list(own)
    men[point] -= 1
    men[to] += 1
    return tuple(men)


def all_turns(own, closed, dice):
    """Every way to play some of the dice in some order: (first step, dice played, how it ends)."""
    found = set()
    seen = set()

    def go_on(own, left, played, first):
        if (own, tuple(left), first) in seen:
            return
        seen.add((own, tuple(left), first))
        if played:
            found.add((first, tuple(sorted(played, reverse=True)), own))
        if own[OFF] == 15:
            return
        for die in set(left):
            rest = list(left)
            rest.remove(die)
            for point, to in steps(own, closed, die):
                go_on(moved(own, point, to), rest, [*played, die], first or (point, to))

    go_on(own, sorted(dice), [], None)
    return found


def holds_wall(own, other):
    """§6: six in a row, in the opponent's numbers w to w + 5, above every man of his that is on the board."""
    mine = {(point + 12 - 1) % 24 + 1 for point in range(1, 25) if own[point]}
    front = max(point for point in range(1, 25) if other[point])
    return any(all(w + k in mine for k in range(6)) for w in range(front + 1, 20))


def legal_turns(own, other, dice, must_open, mother=True, larger=True):
    """§3.4, §3.7, §6, word for word; two of these rules can be left out, to see how often they matter."""
    everything = {
        turn
        for turn in all_turns(own, closed_to(other), dice)
        if turn[2][OFF] == 15 or not mother or not all(turn[2][point] for point in range(1, 7))
    }
    if not everything:
        return set()
    most = max(len(played) for _, played, _ in everything)
    allowed = {turn for turn in everything if len(turn[1]) == most or turn[2][OFF] == 15}
    if larger and most == 1 and any(played == (max(dice),) for _, played, _ in allowed):
        allowed = {turn for turn in allowed if turn[1] == (max(dice),) or turn[2][OFF] == 15}
    if must_open and holds_wall(own, other):
        opening = {turn for turn in allowed if turn[2][OFF] == 15 or not holds_wall(turn[2], other)}
        allowed = opening or allowed
    return allowed


def is_possible(own):
    """Whether a player's men can be like this between two turns, regardless of the opponent: §3.5, §3.7, §4.1, §5.1."""
    runs_alone = any(own[13:]) or own[1] >= 14
    bears_off_from_home = not own[OFF] or not any(own[1:19])
    return runs_alone and bears_off_from_home and own[OFF] < 15 and not all(own[1:7])


# positions: some met in play, some thrown together


def thrown_together(rng):
    """A made-up position: walls at the mother, blocked runners, bear-offs against men at home."""
    taken = set()
    sides = []
    for seat in rng.sample((0, 1), 2):
        kind = rng.choice(("anywhere", "mother", "home", "bearing off", "prime", "runner", "wall"))
        places = {
            "anywhere": list(range(1, 25)),
            "mother": [1, 2, 3, 4, 5, 6, 7, 13, 24],
            "home": list(range(19, 25)),
            "bearing off": [*range(19, 25), OFF, OFF],
            "prime": [*range((start := rng.randint(1, 17)), start + 7), 24],
            "runner": [1],
            "wall": [1, 2, 3, 4, 5, 5, 20],
        }[kind]
        free = [place for place in places if place == OFF or place not in taken]
        if not free:
            return None
        men = [0] * 26
        for place in rng.choices(free, k=15):
            men[place] += 1
        if kind == "runner":
            spot = rng.choice([place for place in range(1, 13) if place not in taken])
            men[1] -= 1
            men[spot] += 1
        if kind in ("wall", "prime"):
            for place in set(free[:6]):
                if not men[place]:
                    heap = men.index(max(men))
                    men[heap] -= 1
                    men[place] += 1
        taken |= {(place + 12 - 1) % 24 + 1 for place in range(1, 25) if men[place]}
        sides.append((seat, men))
    words = []
    for seat, men in sides:
        said = " ".join(f"{'off' if place == OFF else place}:{n}" for place, n in enumerate(men) if n)
        words.append(f"{('white', 'black')[seat]} {said}")
    possible = all(is_possible(men) for _, men in sides)
    return " | ".join(words) + f" | turn {rng.choice(('white', 'black'))}", possible


def met_in_play(rng):
    """The positions before a roll in a random game."""
    s = GAME.start(*GAME.settle(2, {}))
    for _ in GAME.stroll(s, 2, throw(rng.getrandbits(60))):
        if not s.fresh and GAME.asked(s) == (NATURE,) and rng.random() < 0.3:
            yield " | ".join(GAME.rules.position(s).split(" | ")[:3]), True


def positions(seed):
    rng = random.Random(seed)
    while True:
        yield from met_in_play(rng)
        for _ in range(40):
            if found := thrown_together(rng):
                yield found


@pytest.mark.parametrize("share", range(SHARES))
def test_whole_turns_agree_with_the_plain_reading_of_the_rules(share):
    rng = random.Random(share)
    met = Counter()
    for position, possible in positions(share):
        if met["compared"] == POSITIONS // SHARES:
            break
        must_open = rng.random() < 0.5
        if not possible:
            with pytest.raises(ValueError, match=r"§(3\.5|3\.7|4\.1|5\.1)"):
                at(position)
            met["refused"] += 1
            continue
        before = at(position, must_open=must_open)
        dice = sorted((rng.randint(1, 6), rng.randint(1, 6)), reverse=True)
        seat = int(before.turn)
        own, other = (tuple(int(men) for men in before.men[side]) for side in (seat, 1 - seat))
        all_dice = [*dice] * (2 if dice[0] == dice[1] else 1)
        due = legal_turns(own, other, all_dice, must_open)
        s = after(before, f"roll {dice[0]} {dice[1]}")
        compare(s, seat, due, f"{position} | roll {dice[0]} {dice[1]}, must_open {must_open}")
        if due and len(all_dice) == 2:
            compare_second_steps(s, own, closed_to(other), dice, due)
        met["compared"] += 1
        met["lost"] += not due
        met["shortened"] += bool(due) and max(len(played) for _, played, _ in due) < len(all_dice)
        met["larger"] += legal_turns(own, other, all_dice, must_open, larger=False) != due
        met["walled"] += legal_turns(own, other, all_dice, must_open, mother=False) != due
        met["opened"] += legal_turns(own, other, all_dice, False) != due
        met["borne off"] += any(end[OFF] > own[OFF] for _, _, end in due)
    # the comparison must have met what it is for
    kinds = ("refused", "lost", "shortened", "larger", "walled", "opened", "borne off")
    assert min(met[kind] for kind in kinds) >= 10, met


@pytest.mark.parametrize("share", range(SHARES))
def test_whole_games_agree_with_the_plain_reading_of_the_rules(share, games):
    """Every turn of random games, a single game or a match, and what the winner of each has for it (§5.1, §5.2)."""
    settings = GAME.settings()
    met = Counter()
    for number in range(share, games(FEW_GAMES), SHARES):
        seats, options = settings[number % len(settings)]
        must_open = options["must_open"] == "yes"
        s = GAME.start(seats, options)
        for seat, move in GAME.stroll(s, seats, throw(number)):
            name_of = GAME.rules.name(s, move)
            before, points = GAME.copy(s), tuple(map(int, s.points))
            then = GAME.after(s, seat, move)
            if seat != NATURE and (tuple(map(int, then.points)) != points or not GAME.asked(then)):
                own, other = (tuple(int(men) for men in before.men[side]) for side in (seat, 1 - seat))
                assert own[OFF] == 14, (options, number)
                won = points[seat] + (1 if other[OFF] else 2)
                most = won if options["match"] == "single" else int(options["match"])
                assert int(then.points[seat]) == min(won, most), (options, number)
                met["doubles"] += not other[OFF]
                met["won"] += 1
            if seat != NATURE or not name_of.startswith("roll ") or s.fresh:
                continue
            dice = [int(word) for word in name_of.split()[1:]]
            turn = int(s.turn)
            own, other = (tuple(int(men) for men in s.men[side]) for side in (turn, 1 - turn))
            all_dice = dice * (2 if dice[0] == dice[1] else 1)
            due = legal_turns(own, other, all_dice, must_open)
            compare(then, turn, due, f"{options}, game {number}, {GAME.rules.position(s)}, {name_of}")
            met["turns"] += 1
    assert met["won"] > 0
    assert met["turns"] > 50


def compare(s, seat, due, where):
    """The first steps and the endings, or that the turn is lost."""
    if not due:
        assert GAME.asked(s) == (NATURE,), where
        assert s.turn == 1 - seat, where
        return
    assert GAME.asked(s) == (seat,), where
    assert endings(s) == {end for _, _, end in due}, where
    assert set(names(s)) == {name(*first) for first, _, _ in due}, where


def compare_second_steps(s, own, closed, dice, due):
    """After each first step, exactly the steps that lead to an end that is due with that first step."""
    ends = {first: {end for one, _, end in due if one == first} for first, _, _ in due}
    for first, lawful in ends.items():
        then = after(s, name(*first))
        if GAME.asked(then) != GAME.asked(s):
            continue
        between = moved(own, *first)
        seconds = {
            name(*step)
            for die in dice
            if first in steps(own, closed, sum(dice) - die)
            for step in steps(between, closed, die)
            if moved(between, *step) in lawful
        }
        assert set(names(then)) == seconds


def name(point, to):
    return f"{point}/{'off' if to == OFF else to}"
