"""Bots: each knows the protocol and the view of its seat, and nothing else."""

from backroom.bots.bot import BOTS, Bot, bot
from backroom.bots.judge import Judge, judge_of

__all__ = ["BOTS", "Bot", "Judge", "bot", "judge_of"]
