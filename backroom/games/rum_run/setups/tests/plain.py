"""A second opinion on the editor: the rulebook in plain Python, with rows and columns."""

from backroom.games.rum_run.pieces import EVENTS, OBJECTIVES, OBSTACLE_SHAPE, OBSTACLES, STILLS

SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))
SHAPE = dict(zip(OBSTACLES, OBSTACLE_SHAPE, strict=True)) | dict.fromkeys(STILLS, SQUARE)
PAIRS = [OBSTACLES[n : n + 2] for n in range(0, 12, 2)]


def turned(shape, times):
    for _ in range(times):
        shape = [(column, -row) for row, column in shape]
        shape = [(row, column - min(c for _, c in shape)) for row, column in shape]
    return set(shape)


def ways(name):
    """The number of quarter turns after which a thing looks the same again."""
    if name in STILLS:
        return 4
    shape = SHAPE.get(name, ((0, 0),))
    return next(n for n in (1, 2, 3, 4) if turned(shape, n) == set(shape))


class Plain:
    """What lies where, as name: (row, column, turn, face down). Fog has names of its own: fog 0, fog 1…"""

    def __init__(self):
        self.size, self.folk, self.events, self.objectives = 14, False, set(), set()
        self.lies, self.hand, self.node, self.list, self.is_done = {}, None, None, None, False

    def cells(self, name):
        row, column, turn, _ = self.lies[name]
        return {(row + r, column + c) for r, c in turned(SHAPE.get(name, ((0, 0),)), turn)}

    def lay(self, name, row, column, turn, down):
        cells = turned(SHAPE.get(name, ((0, 0),)), turn)
        high, wide = max(r for r, _ in cells) + 1, max(c for _, c in cells) + 1
        self.lies[name] = (min(row, self.size - high), min(column, self.size - wide), turn, down)

    def other_face(self, name):
        pair = next(pair for pair in PAIRS if name in pair)
        return pair[1 - pair.index(name)]

    def fog(self):
        return sorted(name for name in self.lies if name.startswith("fog"))

    def box(self):
        chosen = self.hand[0] if self.hand else None
        for name in STILLS:
            if name not in self.lies and name != chosen:
                yield name
        for pair in PAIRS:
            if not {*pair} & {*self.lies, chosen}:
                yield from pair
        is_new = bool(chosen and chosen.startswith("fog") and chosen not in self.lies)
        if len(self.fog()) + is_new < 6 and not is_new:
            yield "fog"
        if "Town Center" not in self.lies and chosen != "Town Center":
            yield "Town Center"

    def moves(self):
        if self.is_done:
            return set()
        if self.list:
            cards = EVENTS if self.list == "event" else OBJECTIVES
            return {*(f"{self.list} {card}" for card in cards), "all", "none", "back"}
        found = {f"place {name}" for name in self.box()}
        nodes = {(row, column) for row in range(self.size) for column in range(self.size)} - {self.node}
        if self.hand and self.hand[0].startswith("fog"):
            nodes -= {self.lies[name][:2] for name in self.fog()}
        found |= {f"at {'abcdefghijklmnop'[column]}{row + 1}" for row, column in nodes}
        if self.hand:
            name = self.hand[0]
            found |= {"turn"} if ways(name) > 1 else set()
            found |= {"flip"} if name in SHAPE else set()
            found |= {"remove"} if name in self.lies else set()
        if self.hand or self.node:
            return found | {"back"}
        sizes = {f"size {n}" for n in range(10, 17) if n != self.size}
        return found | sizes | {"done", "folk", "events", "objectives"}

    def play(self, move):
        verb, _, rest = move.partition(" ")
        getattr(self, f"do_{verb}")(rest)

    def do_at(self, text):
        row, column = int(text[1:]) - 1, ord(text[0]) - ord("a")
        if self.hand:
            name, turn, down = self.hand
            self.lay(name, row, column, turn, down)
            self.hand = None
            return
        there = [name for name in self.lies if (row, column) in self.cells(name)]
        rank = {"T": 0, "f": 1}
        order = sorted(there, key=lambda name: (rank.get(name[0], 2) if name not in SHAPE else 3, -place_of(name)))
        self.node = None if there else (row, column)
        self.hand = (order[0], *self.lies[order[0]][2:]) if there else None

    def do_place(self, name):
        if name == "fog":
            name = f"fog {len(self.fog())}"
        node, self.node, self.hand = self.node, None, (name, 0, False)
        if node:
            self.lay(name, *node, 0, False)
            self.hand = None

    def do_turn(self, _):
        name, turn, down = self.hand
        self.change(name, name, (turn + 1) % ways(name), down)

    def do_flip(self, _):
        name, turn, down = self.hand
        other = name if name in STILLS else self.other_face(name)
        self.change(name, other, turn % ways(other), not down if name in STILLS else False)

    def change(self, before, name, turn, down):
        self.hand = (name, turn, down)
        if before in self.lies:
            row, column, *_ = self.lies.pop(before)
            self.lay(name, row, column, turn, down)

    def do_remove(self, _):
        self.take_off(self.hand[0])
        self.hand = None

    def take_off(self, name):
        del self.lies[name]
        for place, fog in enumerate(self.fog()):
            self.lies[f"fog {place}"] = self.lies.pop(fog)

    def do_size(self, text):
        self.size = int(text)
        for name in sorted(self.lies, reverse=True):
            if any(max(cell) >= self.size for cell in self.cells(name)):
                self.take_off(name)

    def do_folk(self, _):
        self.folk = not self.folk

    def do_events(self, _):
        self.list = "event"

    def do_objectives(self, _):
        self.list = "objective"

    def do_event(self, name):
        self.events ^= {name}

    def do_objective(self, name):
        self.objectives ^= {name}

    def do_all(self, _):
        self.cards(set(EVENTS if self.list == "event" else OBJECTIVES))

    def do_none(self, _):
        self.cards(set())

    def cards(self, chosen):
        if self.list == "event":
            self.events = chosen
        else:
            self.objectives = chosen

    def do_back(self, _):
        self.list = self.hand = self.node = None

    def do_done(self, _):
        self.is_done = True


def place_of(name):
    """Later stills and cards are found before earlier ones, cards before stills."""
    return STILLS.index(name) if name in STILLS else 100 + OBSTACLES.index(name) if name in OBSTACLES else 0
