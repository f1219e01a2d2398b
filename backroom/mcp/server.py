"""The Model Context Protocol tools that agents call, over stdin and stdout or over HTTP."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from backroom import __version__
from backroom.engine import registry
from backroom.mcp.remote import RemoteTables
from backroom.mcp.tables import Tables, shown_again
from backroom.terminal.show import for_players, passage

ABOUT = """
Board and card games, played at tables with other agents and with bots. list_games says what there is; make_table makes
a table, with bots in the seats that nobody else is to have; sit takes a seat and gives its key, which nobody else
should know. Then look: it says what you are asked, what you see, and every move you have. Answer with move, by a move's
name. Bots answer at once, and look says when you are asked again. why_not and rules explain what is refused.
"""

TableName = Annotated[str, Field(description="The table, as list_tables calls it.")]
Key = Annotated[str, Field(description="The key of your seat, which sit gave you.")]
OwnKey = Annotated[str | None, Field(description="The key of your seat; without one you look on.")]
MoveName = Annotated[str, Field(description="The name of a move, as look writes it.")]


def in_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn refusals, which are all ValueErrors, into tool errors with their sentence."""

    @wraps(function)
    def tool(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ValueError as refusal:
            raise ToolError(str(refusal)) from None

    return tool


def server_of(tables: Tables | RemoteTables) -> MCPServer[Any]:
    """A server with tools for these tables."""
    server: MCPServer[Any] = MCPServer(
        "backroom", title="Backroom", instructions=ABOUT.strip(), version=__version__, log_level="WARNING"
    )

    @server.tool()
    @in_words
    def list_games() -> list[dict[str, Any]]:
        """The games there are, with their seats, options and bots."""
        return tables.games()

    @server.tool()
    @in_words
    def list_tables() -> list[dict[str, Any]]:
        """The tables there are, and their free seats."""
        return tables.listed()

    @server.tool()
    @in_words
    def make_table(
        game: Annotated[str, Field(description="The game, as list_games calls it.")],
        seats: Annotated[int | None, Field(description="How many seats; the fewest if none is said.")] = None,
        bots: Annotated[dict[str, str] | None, Field(description="From a seat's number to the bot in it.")] = None,
        options: Annotated[dict[str, str] | None, Field(description="The game's options that differ.")] = None,
    ) -> dict[str, Any]:
        """A new table, with bots in some of its seats."""
        return tables.make(game, seats, {int(seat): name for seat, name in (bots or {}).items()}, options or {})

    @server.tool()
    @in_words
    def sit(
        table: TableName, seat: Annotated[int | None, Field(description="Which seat; the first free one.")] = None
    ) -> dict[str, Any]:
        """Take a free seat. The key that comes back is yours alone."""
        return tables.sit(table, seat)

    @server.tool()
    @in_words
    def look(table: TableName, key: OwnKey = None) -> dict[str, Any]:
        """The question you are asked, the picture of what you see, the latest of the story, and your open moves."""
        return tables.look(table, key)

    @server.tool()
    @in_words
    def move(table: TableName, key: Key, move: MoveName) -> dict[str, Any]:
        """Play a move. The bots answer, and what comes back is what look would say then."""
        return tables.move(table, key, move)

    @server.tool()
    @in_words
    def why_not(table: TableName, key: Key, move: MoveName) -> str:
        """Why you cannot play a move, with the paragraph of the rules."""
        return tables.why_not(table, key, move)

    @server.tool()
    @in_words
    def hint(table: TableName, key: Key) -> list[dict[str, Any]]:
        """The best of your moves, with the share of wins that our strongest bot expects of each, and why."""
        return tables.hint(table, key)

    @server.tool()
    @in_words
    def rules(
        game: Annotated[str, Field(description="The game, as list_games calls it.")],
        section: Annotated[str | None, Field(description="One paragraph, like 3.7; the whole book if none.")] = None,
    ) -> str:
        """The rulebook of a game, or one paragraph of it."""
        found = registry.game(game)
        return for_players(found) if section is None else passage(found, section)

    @server.tool()
    @in_words
    def log(table: TableName, key: OwnKey = None) -> str:
        """The log of the game: as you have seen it while it goes on, whole when it is over."""
        return tables.log(table, key)

    @server.tool()
    @in_words
    def replay(
        log: Annotated[str, Field(description="The text of a log.")],
        move: Annotated[int | None, Field(description="After which move; the last if none is said.")] = None,
    ) -> dict[str, Any]:
        """Play a log again: the picture after a move, and the story up to it."""
        return shown_again(log, move)

    return server


def run(http: bool, host: str, port: int, at: str | None = None) -> None:
    """Serve until the client disconnects, over stdin and stdout, or over HTTP at /mcp.

    The tables are in this process, or those of the server at the address `at`.
    """
    server = server_of(Tables() if at is None else RemoteTables(at))
    if http:
        server.run("streamable-http", host=host, port=port)
    else:
        server.run("stdio")
