"""Bots: each knows the protocol and the view of its seat, and nothing else."""

from backroom.bots.bot import (
    BOTS,
    DEFAULT,
    OFFERED,
    Bot,
    SeatedBot,
    bot,
    bot_of_file,
    bot_or_file,
    bots_of,
    gentle,
    is_bot,
    next_seat,
    offered,
    seated,
)
from backroom.bots.hints import Hint, hint, why
from backroom.bots.judge import Judge, judge_of, ranked
from backroom.bots.memory import ends_of_turns
from backroom.bots.reflexes import seat_with_reflex
from backroom.bots.seeds import bots_seed_of

__all__ = [
    "BOTS",
    "DEFAULT",
    "OFFERED",
    "Bot",
    "Hint",
    "Judge",
    "SeatedBot",
    "bot",
    "bot_of_file",
    "bot_or_file",
    "bots_of",
    "bots_seed_of",
    "ends_of_turns",
    "gentle",
    "hint",
    "is_bot",
    "judge_of",
    "next_seat",
    "offered",
    "ranked",
    "seat_with_reflex",
    "seated",
    "why",
]
