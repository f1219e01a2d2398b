"""Every game as an environment for reinforcement learning: batches of thousands of games, and adapters to libraries."""

import importlib.util

from backroom.engine import registry
from backroom.gym.batch import WAIT, Batch

__all__ = ["WAIT", "Batch", "register"]


def register() -> None:
    """Register every game with Gymnasium, which must be installed: `backroom/Run-v2` and so on."""
    import gymnasium

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
