"""Every game as an environment for reinforcement learning: batches of thousands of games, and adapters to libraries."""

import importlib.util

from backroom.engine import registry
from backroom.gym.batch import WAIT, Batch
from backroom.gym.extras import missing

__all__ = ["WAIT", "Batch", "register"]


def register() -> None:
    """Register every game with Gymnasium, which must be installed: `backroom/Run-v2` and so on."""
    try:
        import gymnasium
    except ModuleNotFoundError as error:
        raise missing(f"{__name__}.register", error, "gym") from None

    for name in registry.names():
        title = name.title().replace("-", "")
        gymnasium.register(
            id=f"backroom/{title}-v{registry.game(name).rules.VERSION}",
            entry_point="backroom.gym.gymnasium:Env",
            vector_entry_point="backroom.gym.gymnasium:Vector",
            kwargs={"name": name},
        )


if importlib.util.find_spec("gymnasium"):
    register()
