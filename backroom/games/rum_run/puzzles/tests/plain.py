"""A second opinion on puzzles: Rum Run's plain rulebook, and every sequence of placings tried in turn."""

from backroom.games.rum_run.tests.plain import OTHER, WAYS, Plain, Token, node_of


def read(puzzle, position=""):
    """A board, its barrel and the tokens in it, from what is written; a position takes the place of what lay there."""
    said = parts(puzzle)
    given = [printed(word) for word in said["tokens"].split()]
    mine = [printed(word.split(":")[1].rstrip("^>v<")) for word in said.get("blue", "").split()]
    if position:
        said = {key: rest for key, rest in said.items() if key not in ("blue", "red")} | parts(position)
    board = Plain(int(said["size"]), node_of(said["town"]), 2, 2, [*given, *mine])
    board.blocked = {node_of(word) for word in said.get("boulders", "").split()}
    board.barrels = {node_of(said["barrel"]): 1}
    for colour in ("blue", "red"):
        for word in said.get(colour, "").split():
            name, token = word.split(":")
            near, far = (int(end.strip("*")) for end in token.rstrip("^>v<").split("|"))
            arms = {token[-1]: near, OTHER[token[-1]]: far} if token[-1] in WAYS else dict.fromkeys(WAYS, near)
            board.tokens[node_of(name)] = Token(colour, printed(token.rstrip("^>v<")), arms)
    return board


def parts(text):
    return {part.split(" ", 1)[0]: part.split(" ", 1)[1] for part in text.split(" | ")}


def printed(word):
    """The ends of a token, the lower first, a star before all, whatever number it was given."""
    ends = ["*" if end.startswith("*") else int(end) for end in word.split("|")]
    return tuple(sorted(ends, key=lambda end: 0 if end == "*" else end))


def builds(board):
    """Every way to place a token of blue's, as (node, ends, arms)."""
    return board.builds("blue", board.hand("blue"))


def placings_of(board):
    """The same as the rules number them: node, and the numbers shown north, east, south and west."""
    return {(y * 16 + x, tuple(dict(arms).get(way, 0) for way in WAYS)) for (x, y), _, arms in builds(board)}


def count_solutions(board, left, double=None, known=None):
    """How many sequences of at most this number of placings bring blue to the barrel; `double` waits for its second."""
    known = {} if known is None else known
    (barrel,) = board.barrels
    roads = [board.town, *(node for node, token in board.tokens.items() if token.colour == "blue")]
    if min(abs(x - barrel[0]) + abs(y - barrel[1]) for x, y in roads) > left:
        return 0
    lying = frozenset((node, t.colour, t.printed, frozenset(t.arms.items())) for node, t in board.tokens.items())
    if (lying, left, double) not in known:
        found = 0
        after = board.seconds("blue", double, board.hand("blue"), False, None) if double else builds(board)
        for node, ends, arms in after:
            then = board.placed("blue", node, ends, dict(arms))
            if node == barrel:
                found += 1
            else:
                found += count_solutions(then, left - 1, node if len(dict(arms)) == 4 else None, known)
        known[lying, left, double] = found
    return known[lying, left, double]
