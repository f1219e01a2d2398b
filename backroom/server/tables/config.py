"""The configuration of a table, fixed when it is made: game, options, clock, visibility and terms."""

import math
import secrets
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.table import hash_of, new_seed

NO_CLOCK, BANK, DAYS = "none", "bank", "days"
ASK, LET_BOT, BREAK_OFF = "ask", "bot", "end"
MOST_MINUTES, MOST_SECONDS, MOST_DAYS = 180, 120, 30
MOST_REQUESTED = 40
"""Longest text kept in `Terms.requested`."""
DAY = 24 * 3600


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """Terms of play that are not rules of a game."""

    clock: str = NO_CLOCK
    """`none`; `bank`: minutes for the whole game and seconds for each turn; `days`: a number of days for each move."""
    bank: int = 0
    """Seconds for each seat at the beginning, or for each move."""
    step: int = 0
    """Seconds added for each turn."""
    out: str = ASK
    """What happens when a seat's time is over: `ask` the others, let a `bot` move, or `end` the game."""
    hints: bool = True
    rated: bool = True
    lead: bool = False
    """Each new situation is explained when it arises: in a first game, and against bots until one game is finished."""
    quick: bool = False
    """Made by the search for an opponent: others who search are sent here while it has a free seat."""
    lesson: str = ""
    """The name of the lesson at this table; empty at other tables."""
    rematch_of: str = ""
    """The table whose players meet again here; empty at other tables."""
    requested: dict[str, str] = msgspec.field(default_factory=dict, name="asked")
    """Options as they were requested, such as `hard 17`, if the value in the log is less readable."""

    @property
    def clock_in_words(self) -> str:
        if self.clock == BANK:
            plus = f" and {self.step} s a turn" if self.step else ""
            return f"{self.bank // 60} min{plus}" if self.bank % 60 == 0 else f"{self.bank} s{plus}"
        if self.clock == DAYS:
            return "1 day a move" if self.bank == DAY else f"{self.bank // DAY} days a move"
        return "no clock"


class TableConfig(msgspec.Struct, frozen=True):
    """The configuration of a table."""

    id: str
    game: str
    version: int
    seats: Annotated[int, msgspec.Meta(ge=1, le=99)]
    options: dict[str, str]
    terms: Terms
    seed: str | None
    """The seed of all chance; None if chance is not drawn here, as in lessons. Secret until the game is over."""
    seed_hash: str | None
    start: str | None = None
    is_public: bool = True
    maker: str | None = None
    made: int = 0

    def find_game(self) -> Game:
        """The game in the registry; BadOption if there is none."""
        return registry.game(self.game)

    def check_version(self) -> None:
        """Raise BadOption if this program lacks the game, or has it with other rules or options than the table's."""
        game = self.find_game()
        options = {option.name for option in game.options}
        needed = {option.name for option in game.options if not option.may_be_unsaid}
        if self.version != game.rules.VERSION:
            raise BadOption(
                f"it was made for version {self.version} of the rules of {game.title}, "
                f"and this server plays version {game.rules.VERSION}"
            )
        if missing := sorted(needed - set(self.options)):
            raise BadOption(f"it does not say option {missing[0]}, which {game.title} has now")
        if removed := sorted(set(self.options) - options):
            raise BadOption(f"it has option {removed[0]}, which {game.title} has not any more")

    @property
    def is_playable(self) -> bool:
        """Whether this program has the rules with which the table was made."""
        try:
            self.check_version()
        except BadOption:
            return False
        return True


def config(
    name: str, seats: int | None, options: Mapping[str, object], terms: Terms, *, is_public: bool, maker: str, made: int
) -> TableConfig:
    """The configuration of a new table; BadOption if something is not possible."""
    game = registry.game(name)
    seats, settled = game.settle(seats, options)
    requested = {key: " ".join(str(value).split()) for key, value in options.items() if settled[key] != str(value)}
    short = {key: value for key, value in requested.items() if len(value) <= MOST_REQUESTED}
    terms = msgspec.structs.replace(terms, requested=terms.requested | short)
    seed = new_seed()
    return TableConfig(
        new_id(),
        game.name,
        game.rules.VERSION,
        seats,
        settled,
        check(terms),
        seed,
        hash_of(seed),
        None,
        is_public,
        maker,
        made,
    )


def new_id() -> str:
    """An id for a table that cannot be guessed: those who have it are invited."""
    return secrets.token_urlsafe(9).replace("-", "a").replace("_", "b")


def check(terms: Terms) -> Terms:
    """The terms, if they are valid; otherwise BadOption."""
    most = {NO_CLOCK: math.inf, BANK: MOST_MINUTES * 60, DAYS: MOST_DAYS * DAY}
    if terms.clock not in most:
        raise BadOption(f"a clock is {listing(most)}, not {terms.clock!r}")
    if terms.clock == BANK and not 1 <= terms.bank <= most[BANK]:
        raise BadOption(f"a clock has up to {MOST_MINUTES} minutes a seat")
    if terms.clock == DAYS and (terms.bank % DAY or not DAY <= terms.bank <= most[DAYS]):
        raise BadOption(f"a clock has 1 to {MOST_DAYS} days a move")
    if not 0 <= terms.step <= MOST_SECONDS:
        raise BadOption(f"a turn adds up to {MOST_SECONDS} seconds")
    if terms.out not in (ASK, LET_BOT, BREAK_OFF):
        raise BadOption(f"when time is over a table can {listing([ASK, LET_BOT, BREAK_OFF])}, not {terms.out!r}")
    return terms


def columns(new: TableConfig, stage: str, company: str) -> dict[str, Any]:
    """The columns of a table in the database."""
    return {
        "id": new.id,
        "game": new.game,
        "version": new.version,
        "seats": new.seats,
        "options": msgspec.json.encode(new.options).decode(),
        "terms": msgspec.json.encode(new.terms).decode(),
        "seed": new.seed,
        "seed_hash": new.seed_hash,
        "start": new.start,
        "is_public": new.is_public,
        "maker": new.maker,
        "made": new.made,
        "stage": stage,
        "company": company,
    }


def from_columns(row: Mapping[Any, Any]) -> TableConfig:
    """The configuration in the columns of a database row; ValueError if the row is damaged."""
    found = {name: row[name] for name in TableConfig.__struct_fields__}
    found["options"] = msgspec.json.decode(row["options"])
    found["terms"] = msgspec.json.decode(row["terms"])
    return msgspec.convert(found, TableConfig)
