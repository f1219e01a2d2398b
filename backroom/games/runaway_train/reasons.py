"""Why a move of RunAway Train is refused. What is legal is decided in the rules; this only finds the § to name."""

from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Move, Seat, State

from .rules.cards import suitcase_of
from .rules.state import (
    BLUFF,
    BRAKE,
    BRAKING,
    CHOOSING,
    JUMP,
    JUMPING,
    LOT,
    LOTS,
    PASS,
    ROLL,
    ROLLING,
    STOP,
    STOPPING,
    TAKE_SHORT,
    is_aboard,
)
from .words import DICE


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`: half a sentence, with the §."""
    if (seat == NATURE) != (move < TAKE_SHORT):
        return "dice are nature's to roll, the rest is for the players (§3)"
    if seat == NATURE:
        due = {LOTS: LOT, ROLLING: ROLL, BRAKING: BRAKE, STOPPING: STOP}[int(v.ask)]
        return f"the die that is due is '{DICE[due // 6]}' (§3)"
    if not is_aboard(v, seat):
        return "you are off the train and play no more (§4.4)"
    if move < PASS:
        return "a track is chosen by the engineer, when the train is at the switch (§3.3)"
    if move >= JUMP:
        return "only who has just got a suitcase off with his passenger may jump (§4.3)"
    if v.ask == JUMPING:
        return "first it is decided who jumps after his suitcase, and who stays aboard (§4.3)"
    if v.ask != CHOOSING:
        return "cards are chosen after the train has moved and its yellow spaces are carried out (§3.5)"
    if v.choice[seat] + PASS - 1 == move:
        return "that is what you have sealed already (§3.5)"
    if move == BLUFF:
        return "a bluff needs two suitcases (§3.5)"
    return f"your suitcase {suitcase_of(move - PASS + 1)} has gone off (§3.8)"
