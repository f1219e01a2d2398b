"""Bots: each knows the protocol and the view of its seat, and nothing else."""

from backroom.bots.bot import BOTS, DEFAULT, OFFERED, Bot, SeatedBot, bot, bots_of, is_bot, seated
from backroom.bots.judge import Judge, judge_of, ranked
from backroom.bots.luck import luck_of
from backroom.bots.memory import ends_of_turns

__all__ = [
    "BOTS",
    "DEFAULT",
    "OFFERED",
    "Bot",
    "Judge",
    "SeatedBot",
    "bot",
    "bots_of",
    "ends_of_turns",
    "is_bot",
    "judge_of",
    "luck_of",
    "ranked",
    "seated",
]
