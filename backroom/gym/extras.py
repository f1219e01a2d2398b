"""The sentence for a library that an adapter needs and that is not installed."""


def missing(adapter: str, error: ModuleNotFoundError, extra: str) -> ModuleNotFoundError:
    """The error for an adapter whose import failed: it names the extra that brings the library."""
    why = f"{adapter} needs {error.name}, which is not installed; expected pip install 'backroom[{extra}]'"
    return ModuleNotFoundError(why, name=error.name)
