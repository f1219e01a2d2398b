"""OpenSpiel: every game as a Python game with chance nodes, information states, resampling and serialization.

import backroom.gym.openspiel
table = pyspiel.load_game("backroom_run")

The parameter `start` is a position to begin from. Seats that are asked at once answer one after the other, and no
information state shows a sealed answer; with `simultaneous=true` they answer at a simultaneous node.
"""

import ctypes
import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from backroom.gym.extras import missing

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise missing(__name__, error, "openspiel") from None

from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN, dice_from
from backroom.engine.options import Option
from backroom.engine.protocol import IllegalMove, Seat
from backroom.gym.batch import vocabulary_of
from backroom.gym.kernels import pay, views_of

SEEDS = 1 << 52
TERMINAL, CHANCE, SIMULTANEOUS = (
    int(player) for player in (pyspiel.PlayerId.TERMINAL, pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.SIMULTANEOUS)
)
DIGEST = 12
"""The size of the hash of a seat's history, in bytes."""


def name_of(game: Game) -> str:
    """The short name of a game in OpenSpiel."""
    return f"backroom_{game.name.replace('-', '_')}"


def parameter_of(option: Option, value: str) -> int | str:
    """An option's value as a parameter of OpenSpiel: a number if all values of the option are numbers.

    A number among words is written as `_7`, since OpenSpiel parses what looks like a number as one.
    """
    if all(each.isdecimal() for each in option.values):
        return int(value)
    return f"_{value}" if value.isdecimal() else value


def value_of(parameter: object) -> object:
    """The value of an option from its parameter."""
    is_marked = isinstance(parameter, str) and parameter[:1] == "_" and parameter[1:].isdecimal()
    return str(parameter)[1:] if is_marked else parameter


def type_of(game: Game, simultaneous: bool = False) -> pyspiel.GameType:
    """The game type for OpenSpiel; its parameters are seats and rules."""
    kinds = pyspiel.GameType
    rules = {option.name: option for option in game.rules.OPTIONS if option.is_rule}
    return kinds(
        short_name=name_of(game),
        long_name=game.rules.TITLE,
        dynamics=kinds.Dynamics.SIMULTANEOUS if simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(
            kinds.Information.IMPERFECT_INFORMATION
            if game.rules.SECRETS or simultaneous
            else kinds.Information.PERFECT_INFORMATION
        ),
        utility=kinds.Utility.ZERO_SUM if max(game.rules.SEATS) > 1 else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(game.rules.SEATS),
        min_num_players=min(game.rules.SEATS),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "seats": min(game.rules.SEATS),
            "simultaneous": False,
            "start": "",
            **{name: parameter_of(option, option.default) for name, option in rules.items()},
        },
    )


class SpielGame(pyspiel.Game):
    """A game with given seats and rules."""

    def __init__(self, game: Game, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.simultaneous = bool(given.pop("simultaneous", False))
        start = str(given.pop("start", ""))
        try:
            seats = given.pop("seats", None)
            self.seats, self.options = game.settle(seats, {name: value_of(each) for name, each in given.items()})
            self.first = game.start(self.seats, self.options)
            if start:
                game.rules.place(self.first, start)
        except ValueError as error:
            raise pyspiel.SpielError(str(error)) from None
        self.rules_of = game
        self.key_size = len(game.key(self.first))
        moves, numbers = vocabulary_of(game.rules.verbs(self.options))
        self.moves, self.numbers = moves.tolist(), numbers.tolist()  # lists are faster for reading single items
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.moves),
            max_chance_outcomes=game.rules.MOST_MOVES,
            num_players=self.seats,
            min_utility=-1.0 if self.seats > 1 else 0.0,
            max_utility=1.0,
            utility_sum=0.0 if self.seats > 1 else None,
            max_game_length=game.rules.LONGEST,
        )
        kept = {
            option.name: parameter_of(option, str(value_of(given[option.name])))
            for option in game.options
            if option.name in given
        }
        super().__init__(type_of(game, self.simultaneous), info, {**(params or {}), **kept})

    def new_initial_state(self, *_: object) -> "SpielState":
        """The state before any chance node, or the position given as `start`."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """An observer of the game's features, and of its position as text."""
        return Observer(self, iig_obs_type, params)

    def max_chance_nodes_in_history(self) -> int:
        """The length of the longest game, which includes nature's moves."""
        return int(self.rules_of.rules.LONGEST)


class Held:
    """The engine's state inside a `SpielState`; it is copied and pickled as bytes."""

    def __init__(self, game: Game, s: Any) -> None:
        self.game, self.s = game, s

    def __deepcopy__(self, memo: object) -> "Held":
        return Held(self.game, self.game.copy(self.s))

    def __reduce__(self) -> tuple[Any, ...]:
        return _held_again, (self.game.name, self.s.tobytes())


def _held_again(name: str, content: bytes) -> Held:
    game = registry.game(name)
    return Held(game, np.ndarray(1, game.rules.STATE, bytearray(content))[0])


class SpielState(pyspiel.State):
    """A state, with a hash of all that each player has seen so far, for perfect recall."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.held = Held(game.rules_of, game.rules_of.copy(game.first))
        self.told = ("",) * game.seats
        self.views = self._views()
        self._find_asked()

    def _find_asked(self) -> None:
        """Cache whose turn it is, since OpenSpiel asks for it several times a move."""
        self.waiting = self.held.game.asked(self.held.s)
        if not self.waiting:
            self.player = TERMINAL
        elif self.waiting[0] == NATURE:
            self.player = CHANCE
        else:
            self.player = SIMULTANEOUS if self.get_game().simultaneous else self.waiting[0]

    def current_player(self) -> int:
        """The lowest seat that is asked, or the id for a chance, simultaneous or terminal node."""
        return self.player

    def is_terminal(self) -> bool:
        """Whether nobody is asked."""
        return not self.waiting

    def _legal_actions(self, player: int) -> list[int]:
        if player not in self.waiting:
            return []
        found = self.held.game.moves(self.held.s, player)
        if len(found) > 1 and found[-1] == self.held.game.rules.BACK:
            found.pop()  # a step back leads to an earlier state
        numbers = self.get_game().numbers
        return sorted([numbers[move] for move in found])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The indices of nature's moves, and their probabilities."""
        return list(_outcomes(tuple(self.held.game.odds(self.held.s))))

    def _apply_action(self, action: int) -> None:
        if not self.waiting:
            raise IllegalMove(f"action {action} cannot be played: the game is over")
        if self.waiting[0] == NATURE:
            found = self.held.game.moves(self.held.s, NATURE)
            if not 0 <= action < len(found):
                raise IllegalMove(f"nature cannot play action {action}; expected 0 to {len(found) - 1}")
            self._play(NATURE, found[action])
        else:
            self._play(self.waiting[0], self._open_move(self.waiting[0], action))
        self._find_asked()

    def _apply_actions(self, actions: list[int]) -> None:
        chosen = [(seat, self._open_move(seat, actions[seat])) for seat in self.waiting]
        for seat, move in chosen:
            self._play(seat, move)
        self._find_asked()

    def _open_move(self, seat: Seat, action: int) -> int:
        """The move of an open action. OpenSpiel passes on any action, and rules expect legal moves."""
        known = self.get_game().moves
        if 0 <= action < len(known) and known[action] in self.held.game.moves(self.held.s, seat):
            return int(known[action])
        raise IllegalMove(f"player {seat} cannot play action {action}: it is not open; see legal_actions")

    def _play(self, seat: Seat, move: int) -> None:
        """Play a move, and update the hashes of those who notice it: by the move, if they see which it is, and by what
        they see after it, for later views may show less. Games without secrets need none: the history tells all.
        """
        rules, s = self.held.game.rules, self.held.s
        seen = int(rules.seen(s, seat, move)) if rules.SECRETS else 0
        rules.play(s, seat, move)
        before, self.views = self.views, self._views()
        told = list(self.told)
        for player, view in enumerate(self.views):
            sees_it = seen >> player & 1
            if sees_it or view != before[player]:
                told[player] = _hashed(told[player], seat, move if sees_it else UNKNOWN, view)
        self.told = tuple(told)

    def _views(self) -> tuple[bytes, ...]:
        """What each player sees now; nothing in a game without secrets."""
        game = self.held.game
        if not game.rules.SECRETS:
            return ()
        views = np.frombuffer(bytearray(self.held.s.tobytes() * len(self.told)), game.rules.STATE)
        views_of(game)(views)
        whole, size, end = views.tobytes(), game.rules.STATE.itemsize, self.get_game().key_size
        return tuple(whole[start : start + end] for start in range(0, len(whole), size))

    def _action_to_string(self, player: int, action: int) -> str:
        game, s = self.held.game, self.held.s
        if player == pyspiel.PlayerId.CHANCE:
            found = game.moves(s, NATURE)
            if not 0 <= action < len(found):
                raise IllegalMove(f"nature has no action {action}; see chance_outcomes")
            return str(game.rules.name(s, found[action]))
        v, known = game.view(s, player), self.get_game().moves
        if not 0 <= action < len(known):
            raise IllegalMove(f"there is no action {action}; expected 0 to {len(known) - 1}")
        try:
            return str(game.rules.name(v, known[action]))
        except (IndexError, ValueError):  # an illegal move may have no name in this state
            return f"move {known[action]}"

    def returns(self) -> list[float]:
        """Wins, which sum to 0; the score in a game of one player."""
        out = np.zeros(len(self.told))
        if not self.waiting:
            self.held.game.rules.score(self.held.s, out)
            if len(out) > 1:
                pay(out, len(out))
        return list(map(float, out))

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """A random state that this player cannot tell from this one.

        In a game with secrets it has no history, and nothing of what others have seen: games imagine a state, not how
        it came about, and the true history would tell a search what is hidden.
        """
        game = self.held.game
        if not game.rules.SECRETS:
            return self.clone()  # type: ignore[no-any-return]
        found = SpielState(self.get_game())
        found.held.s = game.imagined(game.view(self.held.s, player), player, dice_from(int(sampler() * SEEDS)))
        found.told = tuple(told if other == player else "" for other, told in enumerate(self.told))
        found.views = found._views()
        found._find_asked()
        return found

    def __str__(self) -> str:
        return str(self.held.game.rules.position(self.held.s))


@lru_cache(1024)
def _outcomes(odds: tuple[int, ...]) -> tuple[tuple[int, float], ...]:
    """The indices of nature's moves and their probabilities, cached because the same odds are frequent."""
    total = sum(odds)
    return tuple((place, weight / total) for place, weight in enumerate(odds))


def _hashed(told: str, seat: Seat, move: int, view: bytes) -> str:
    return hashlib.blake2b(f"{told} {seat} {move} ".encode() + view, digest_size=DIGEST).hexdigest()


class Observer:
    """What a player sees of a state, as a tensor and as text; with perfect recall, the text includes its history.

    With `private_info=NONE` it is what spectators see.
    """

    def __init__(self, game: SpielGame, kind: Any, params: Any) -> None:
        if params:
            raise pyspiel.SpielError(f"an observer of {game.rules_of.name} takes no parameters, not {params}")
        if kind is not None and kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise pyspiel.SpielError("private_info cannot be ALL_PLAYERS; it can be NONE or SINGLE_PLAYER")
        self._game = game.rules_of
        self._recalls = kind is not None and kind.perfect_recall
        self._sees_own = kind is None or kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor = np.zeros(self._game.rules.FEATURES, np.float32)
        self.dict = {"features": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the tensor of a player's view."""
        v = self._game.view(state.held.s, player if self._sees_own else SPECTATOR)
        self.tensor[:] = 0.0
        self._game.rules.features(v, player, self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """The position as the player sees it."""
        v = self._game.view(state.held.s, player if self._sees_own else SPECTATOR)
        said = f"{player} {self._game.rules.position(v)}"
        if not self._recalls:
            return said
        if not self._game.rules.SECRETS:
            return f"{said} after {state.history_str()}"
        return f"{said} after {state.told[player]}" if self._sees_own else said


def register() -> None:
    """Register every game with OpenSpiel: `backroom_run` and so on."""
    for name in registry.names():
        game = registry.game(name)
        if name_of(game) not in pyspiel.registered_names():
            make = _maker(game)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(make))  # OpenSpiel releases it after Python has ended
            pyspiel.register_game(type_of(game), make)


def _maker(game: Game) -> Callable[[Mapping[str, Any] | None], SpielGame]:
    def make(params: Mapping[str, Any] | None = None) -> SpielGame:
        return SpielGame(game, params)

    return make


register()
