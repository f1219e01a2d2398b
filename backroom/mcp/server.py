"""The Model Context Protocol tools that agents call, over stdin and stdout or over HTTP."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, ValidationError

from backroom import __version__
from backroom.engine import registry
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean
from backroom.mcp.remote import RemoteTables
from backroom.mcp.tables import Tables, shown_again
from backroom.terminal.show import for_players, passage

MOST_SAID = 1000
"""Most characters of a refusal, which may repeat what it was given."""
ABOUT = """
Play board and card games against bots and other agents. Call list_games to see the games, and make_table to create a
table, with bots in the seats that no agent takes. Call sit to take a seat: it returns the seat's key, which you keep
secret. Then call look for the question to your seat, what it sees, and its legal moves, and move to play one of them by
its name. Bots answer before move returns. If other agents play too, call look until you are asked again. If a move is
refused, why_not and rules explain it.
"""

TableName = Annotated[str, Field(description="The table's name, from make_table or list_tables.")]
Key = Annotated[str, Field(description="The key of your seat, from sit.")]
OwnKey = Annotated[
    str | None, Field(description="The key of your seat, from sit; without it you see what spectators see.")
]
MoveName = Annotated[str, Field(description="The name of a move, from look.")]


def in_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn refusals, which are all ValueErrors, into tool errors with their sentence."""

    @wraps(function)
    def tool(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ValueError as refusal:
            raise ToolError(str(refusal)) from None

    return tool


class Server(MCPServer[Any]):
    """A server that says in a sentence what is wrong with a call. The SDK's own ignores arguments it does not know."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        known = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in known:
            raise ToolError(f"there is no tool {name!r}{did_you_mean(name, known)}")
        for word in arguments.keys() - known[name].keys():
            raise ToolError(f"{name} has no argument {word!r}{did_you_mean(word, known[name])}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as refusal:
            why = str(refusal)
            if isinstance(refusal.__cause__, ValidationError):
                why = misfit(name, refusal.__cause__.errors()[0])
            raise ToolError(shortened(why)) from None


def misfit(tool: str, wrong: Mapping[str, Any]) -> str:
    """What is wrong with an argument, as a sentence."""
    word = ".".join(map(str, wrong["loc"]))
    if wrong["type"] == "missing":
        return f"{tool} needs {word}"
    reason = wrong["msg"][0].lower() + wrong["msg"][1:]
    return f"{word} cannot be {wrong['input']!r}: {reason}"


def shortened(text: str) -> str:
    """A text without its middle if it is very long."""
    half = MOST_SAID // 2
    return text if len(text) <= MOST_SAID else f"{text[:half]} … {text[-half:]}"


def server_of(tables: Tables | RemoteTables) -> Server:
    """A server with tools for these tables."""
    server = Server("backroom", title="Backroom", instructions=ABOUT.strip(), version=__version__, log_level="WARNING")

    @server.tool()
    @in_words
    def list_games() -> list[dict[str, Any]]:
        """List the games, with the possible numbers of seats, the options and the bots of each."""
        return tables.games()

    @server.tool()
    @in_words
    def list_tables() -> list[dict[str, Any]]:
        """List the tables, with the game and the free seats of each."""
        return tables.listed()

    @server.tool()
    @in_words
    def make_table(
        game: Annotated[str, Field(description="The game's name, from list_games.")],
        seats: Annotated[int | None, Field(description="The number of seats; by default the smallest.")] = None,
        bots: Annotated[
            dict[str, str] | None, Field(description='The bots by seat, counted from 0, such as {"1": "medium"}.')
        ] = None,
        options: Annotated[
            dict[str, str | int] | None, Field(description="Options of the game whose value is not the default.")
        ] = None,
    ) -> dict[str, Any]:
        """Create a table, with bots in some seats. Returns its name, which the other tools need."""
        for seat in bots or {}:
            if not seat.isdecimal():
                raise BadOption(f"there is no seat {seat!r} for a bot; seats are numbered from 0")
        chosen = {name: str(value) for name, value in (options or {}).items()}
        return tables.make(game, seats, {int(seat): name for seat, name in (bots or {}).items()}, chosen)

    @server.tool()
    @in_words
    def sit(
        table: TableName,
        seat: Annotated[
            int | None, Field(description="The seat, counted from 0; by default the first free one.")
        ] = None,
    ) -> dict[str, Any]:
        """Take a free seat. Returns its key, which gives access to the seat's view and moves: keep it secret."""
        return tables.sit(table, seat)

    @server.tool()
    @in_words
    def look(table: TableName, key: OwnKey = None) -> dict[str, Any]:
        """Get the question to your seat, the board as the seat sees it, the latest events, and the legal moves."""
        return tables.look(table, key)

    @server.tool()
    @in_words
    def move(table: TableName, key: Key, move: MoveName) -> dict[str, Any]:
        """Play a move by its name. The bots answer; then it returns the same as look."""
        return tables.move(table, key, move)

    @server.tool()
    @in_words
    def why_not(table: TableName, key: Key, move: MoveName) -> str:
        """Explain why a move is illegal for your seat now, with the § of the rulebook."""
        return tables.why_not(table, key, move)

    @server.tool()
    @in_words
    def hint(table: TableName, key: Key) -> list[dict[str, Any]]:
        """Get your best moves as the strongest bot judges them, each with its expected share of the win, and why."""
        return tables.hint(table, key)

    @server.tool()
    @in_words
    def rules(
        game: Annotated[str, Field(description="The game's name, from list_games.")],
        section: Annotated[str | None, Field(description="A § such as 3.7; by default the whole rulebook.")] = None,
    ) -> str:
        """Read the rulebook of a game, or one § of it."""
        found = registry.game(game)
        return for_players(found) if section is None else passage(found, section)

    @server.tool()
    @in_words
    def log(table: TableName, key: OwnKey = None) -> str:
        """Get the log of the game: while it is played, what your seat has seen, ? for hidden moves; afterwards all."""
        return tables.log(table, key)

    @server.tool()
    @in_words
    def replay(
        log: Annotated[
            str,
            Field(description="The text of a log, from log. One that hides moves must wait for the end of the game."),
        ],
        move: Annotated[int | None, Field(description="The number of moves to play; by default all.")] = None,
    ) -> dict[str, Any]:
        """Replay a log: the board after a number of moves, and the events up to there."""
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
