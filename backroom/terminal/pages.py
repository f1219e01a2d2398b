"""The pages of play line by line: the story, the board and the question, none of which scrolls away unread.

If everything fits the screen, the story is above the board. If not, it is beside the board; or the story and the other
parts of the table come on pages of their own, before the one with the board, the question and the moves.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.text import Text

from backroom.scene.scene import BOARD, Scene
from backroom.scene.text import Cells, bands, laid_out, squeezed, styled
from backroom.terminal.menu import Menu
from backroom.terminal.show import PIPE_LINES, console

Lines = list[Text]

GO_ON = "Press Enter to go on > "

GAP = 3
"""Spaces between the board and a story beside it."""
LEAST_STORY = 22
"""The least width of a story beside the board, in columns."""
LEAST_MOVES = 2
"""The least number of lines that the board leaves to the list of moves."""


@dataclass(frozen=True)
class Prompt:
    """What a person is shown with a question."""

    scene: Scene
    question: RenderableType
    menu: Menu | None = None
    story: Sequence[RenderableType] = ()
    """What has happened since the person was last shown something."""
    notes: Sequence[RenderableType] = ()
    """Notes below the moves."""
    lit: Collection[str] = field(default=())
    """The ids of what can be touched, or is pointed at."""

    def plain(self) -> list[RenderableType]:
        """Everything, one below the other, if the output is not a screen."""
        board = [Text.assemble(*line) for line in laid_out(self.scene, console.width, self.lit)]
        moves = self.menu.parts(PIPE_LINES) if self.menu else []
        return [*self.story, Text(), *board, self.question, *moves, *self.notes]

    def pages(self, width: int, height: int) -> list[Lines]:
        """The pages for a screen, the last with the question; each leaves a line to type in."""
        whole = [Text.assemble(*line) for line in laid_out(self.scene, width, self.lit)]
        story, question = [as_lines([each]) for each in self.story], as_lines([self.question])
        notes = as_lines([*self.notes, *too_wide(whole, width)])
        room = height - 1 - len(question) - len(notes)
        aside, board = self.parts(width, room - (LEAST_MOVES if self.menu else 0))
        moves = as_lines(self.menu.parts(max(room - len(board), 1))) if self.menu else []
        below = [*question, *moves, *notes]
        above = [*(line for each in story for line in each), Text()] if story else []
        if len(above) + len(whole) + len(below) < height:
            return [[*above, *whole, *below]]
        if story and not aside and (together := beside(board, self.story, width)):
            return [[*together, *below]]
        fits = len(whole) + len(below) < height
        return broken(story, [[*whole, *below]] if fits else [aside, board, below], height - 1)

    def parts(self, width: int, height: int) -> tuple[Lines, Lines]:
        """The parts of the table besides the board, and the board itself, at most this high if possible."""
        found = bands(self.scene, width, self.lit)
        board = [line for role, band in found if role == BOARD for line in band]
        aside = [line for role, band in found if role != BOARD for line in band]
        return _texts(aside), _texts(squeezed(board, height))


def too_wide(board: Lines, width: int) -> list[Text]:
    """The warning that the screen is too narrow for the board."""
    wide = max((len(line.plain.rstrip()) for line in board), default=0)
    return [Text(f"This screen has {width} columns; the board needs {wide}.", "yellow")] if wide > width else []


def show_prompt(turn: Prompt, pause: Callable[[], object]) -> None:
    """Print the pages; `pause` is called before each but the first."""
    if not console.is_terminal:
        for thing in turn.plain():
            console.print(thing)
        return
    for number, page in enumerate(turn.pages(console.width, console.height)):
        if number:
            pause()
        for line in page:
            console.print(line, soft_wrap=True)


def as_lines(things: Iterable[RenderableType], width: int | None = None) -> Lines:
    """What is printed, as lines of this width or the screen's."""
    options = console.options if width is None else console.options.update_width(width)
    lines = (line for thing in things for line in console.render_lines(thing, options, pad=False))
    return [Text.assemble(*((part.text, part.style or "") for part in line)) for line in lines]


def broken(story: list[Lines], blocks: list[Lines], height: int) -> list[Lines]:
    """The story and then the blocks, on pages of at most this height.

    A block that fits a page is not split, and the last block is on the last page.
    """
    first, *others = stacked(blocks, height)
    if sum(map(len, story)) + len(first) <= height:
        return [[*(line for each in story for line in each), *first], *others]
    return [*filled([*story, first], height), *others] if others else [*filled(story, height), first]


def stacked(blocks: list[Lines], height: int) -> list[Lines]:
    """Blocks on pages of at most this height, each on the page of the next block if it fits there."""
    pages: list[Lines] = []
    for block in reversed(blocks):
        if pages and len(block) + len(pages[0]) <= height:
            pages[0] = [*block, *pages[0]]
        else:
            pages[:0] = cut(block, height)
    return pages


def filled(blocks: list[Lines], height: int) -> list[Lines]:
    """Blocks on pages of at most this height, each on the page of the block before if it fits there."""
    pages: list[Lines] = []
    for block in blocks:
        if pages and len(pages[-1]) + len(block) <= height:
            pages[-1] = [*pages[-1], *block]
        else:
            pages += cut(block, height)
    return pages


def beside(board: Lines, story: Sequence[RenderableType], width: int) -> Lines:
    """The board with the story to the right of its lower end; None if there is no space for it."""
    wide = max(len(line.plain.rstrip()) for line in board)
    room = width - wide - GAP
    if room < LEAST_STORY:
        return []
    told = as_lines(story, room)
    if len(told) > len(board):
        return []
    first, found = len(board) - len(told), []
    for at, line in enumerate(board):
        together = line.copy()
        if at >= first:
            together.truncate(wide, pad=True)
            together = Text.assemble(together, " " * GAP, told[at - first])
        found.append(together)
    return found


def cut(lines: Lines, height: int) -> list[Lines]:
    """Lines cut into pages of this height."""
    return [lines[at : at + height] for at in range(0, len(lines), height)]


def _texts(cells: Cells) -> Lines:
    return [Text.assemble(*line) for line in styled(cells)]
