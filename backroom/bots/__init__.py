"""Bots: each knows the protocol and the view of its seat, and nothing else."""

from backroom.bots.bot import BOTS, DEFAULT, OFFERED, Bot, bot, bots_of
from backroom.bots.judge import Judge, judge_of, ranked

__all__ = ["BOTS", "DEFAULT", "OFFERED", "Bot", "Judge", "bot", "bots_of", "judge_of", "ranked"]
