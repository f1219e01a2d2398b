"""§4 Building: what may be placed where, the look ahead that a double needs, and loose roads."""

from backroom.engine.kernel import kernel, lowest
from backroom.games.rum_run.pieces import (
    ANY,
    ARMS,
    DOUBLES,
    FACE_OF,
    FAR,
    FIRST_VARIANT,
    FITS,
    IS_DOUBLE,
    NEAR,
    OFF,
    STAR_STAR,
    STRAIGHTS,
    STRENGTH,
    STRONGER,
    VARIANT_TOKEN,
    VARIANTS,
)

from .links import (
    arm,
    bit_of,
    changed,
    depth_of,
    flood,
    is_end,
    is_mine,
    is_paved_open,
    keep,
    link,
    measure,
    put_down,
    take_up,
    tap_at,
    token_at,
)
from .state import (
    MUD,
    PAVED,
    PLACE,
    ROWS,
    STILL_AT,
    TOWN,
    TOWN_AT,
    next_node,
    seat_of,
    still_of,
)

FEW = 15
"""Sources (see `target`) whose sides fit into a word of bits."""

# Where a token may be placed


@kernel
def site(s, colour, node, boldly):
    """§4.5, §9.3: the tokens, as a set, that may cover what lies on a node."""
    if s.ground[node] > MUD:
        return 0
    owner = int(s.owner[node]) - 1
    if owner < 0:
        return int(s.tokens)
    if seat_of(s, owner) == seat_of(s, colour):  # §2.5
        return 0 if s.ground[node] == MUD else int(s.tokens)
    if s.safe[seat_of(s, owner)]:
        return 0
    return int(s.tokens) if boldly else int(STRONGER[STRENGTH[token_at(s, node)]]) & int(s.tokens)


@kernel
def is_joined_without(s, colour, place, node):
    """§4.5: whether a place stays joined when the token on a node, which is nearer, is taken away."""
    if s.loops[colour]:
        _, seen, _ = flood(s, colour, TOWN_AT, node, s.keeper == colour)
        return seen & bit_of(s, place) != 0
    mine = s.keeper == colour
    side = 0
    while depth_of(s, colour, place) > s.dist[node]:  # up the tree
        nearer = link(s, colour, place, side, mine)
        if nearer >= 0 and depth_of(s, colour, nearer) < depth_of(s, colour, place):
            place, side = nearer, 0
        else:
            side += 1
    return place != node


@kernel
def need(s, colour, node, side):
    """§4.1: the number that a new token on a node must show on a side to link there; ANY; 0: no link."""
    beside = next_node(node, side)
    ground = s.ground[beside]
    if ground == TOWN:
        return ANY
    number = 0
    if is_mine(s, colour, beside):
        if s.dist[beside]:
            number = arm(s, beside, side ^ 2)
    elif ground == PAVED and is_end(s, side ^ 2) and is_paved_open(s, colour):
        number = ANY
    if number and is_mine(s, colour, node) and s.dist[beside] > s.dist[node] > 0:
        if s.loops[colour] == 0 and arm(s, node, side) == number and s.dist[beside] == s.dist[node] + 1:
            return 0  # it hangs on the token that would be covered: the usual case, without a search
        if not is_joined_without(s, colour, beside, node):
            return 0
    return number


@kernel
def wants(s, colour, node):
    """What a new token on a node must show on each side, three bits a side."""
    found = 0
    for side in range(4):
        found |= need(s, colour, node, side) << 3 * side
    return found


@kernel
def shown_by(wanted):
    """The tokens, as a set, that link on some side."""
    return int(FITS[wanted & 7] | FITS[wanted >> 3 & 7] | FITS[wanted >> 6 & 7] | FITS[wanted >> 9])


@kernel
def sides_with(wanted, number):
    """The sides, as a set, on which an arm with that number links."""
    other, takes_any = wanted ^ number * 0o1111, wanted & wanted >> 1 & wanted >> 2  # ANY has all three bits
    found = takes_any | ~(other | other >> 1 | other >> 2)
    return found & 1 | found >> 2 & 2 | found >> 4 & 4 | found >> 6 & 8


# §4.3: a double needs a second


@kernel
def lay(s, colour, node, face):
    """Lay a token on a node for a look ahead; returns what lay there, for `relay`."""
    was = int(s.face[node]) * 8 + int(s.owner[node])
    s.face[node] = face
    s.owner[node] = colour + 1
    return was


@kernel
def relay(s, node, was):
    """Put back what lay on a node, at the end of a look ahead."""
    s.face[node] = was // 8
    s.owner[node] = was % 8


@kernel
def hung_by(s, colour, node, face):
    """The sides, as a set, on which a token that lies like this on a node links, and so by which it is placed."""
    wanted = wants(s, colour, node)
    found = 0
    for side in range(4):
        number, needed = ARMS[face, side], wanted >> 3 * side & 7
        if number and needed in (ANY, number + 0):  # as wide as what is looked for
            found |= 1 << side
    return found


@kernel
def remaining(hung):
    """The arms of a double, as a set of sides, that its second may lie on: one of those it hangs on stays as it is."""
    return 15 if hung & (hung - 1) else 15 & ~hung


@kernel
def is_free(s, colour, double, side, first):
    """§4.3: whether a double, or the paved road, stays joined whatever is placed beside it on a side, because no token
    of the colour lies there, or because it hangs on one that does not need it: the usual cases, told without a search.
    `first` is the node of another double that is laid for a look ahead, or OFF.

    Distances are from before the look ahead, and a shortest way leads over ever smaller ones.
    """
    node = next_node(double, side)
    if not is_mine(s, colour, node):
        return True
    for other in range(4):
        place = link(s, colour, double, other, False)
        if place == TOWN_AT:
            return True
        if 0 <= place < STILL_AT and place not in (node, first) and s.dist[place]:
            far = s.dist[place]
            if not (0 < s.dist[double] < far or 0 < s.dist[node] < far or 0 < s.dist[first] < far):
                return True
    return False


@kernel
def stays_joined(s, colour, double, node, face):
    """§4.3: whether a double stays joined when a face is laid on a node beside it that holds a token of the colour."""
    was = lay(s, colour, node, face)
    _, seen, _ = flood(s, colour, TOWN_AT, OFF, s.paved >= 0 and is_paved_open(s, colour))
    relay(s, node, was)
    return seen & bit_of(s, double) != 0


@kernel
def can_follow(s, colour, double, first, side, tokens, number, boldly):
    """Whether one of these straight tokens can be placed on that side of a double that lies there; `first` is the node
    of the double before it, or OFF.
    """
    node = next_node(double, side)
    tokens &= site(s, colour, node, boldly) & int(FITS[number]) & STRAIGHTS
    if tokens == 0 or is_free(s, colour, double, side, first):
        return tokens != 0
    while tokens:
        token = lowest(tokens)
        tokens &= tokens - 1
        for variant in range(FIRST_VARIANT[token], FIRST_VARIANT[token + 1]):
            if NEAR[variant] == number and stays_joined(s, colour, double, node, FACE_OF[variant, side ^ 2]):
                return True
    return False


@kernel
def can_follow_double(s, colour, double, side, token, tokens, number, boldly):
    """Whether a second double can be placed there, with a third token after it."""
    node = next_node(double, side)
    if site(s, colour, node, boldly) >> token & 1 == 0:
        return False
    face = FACE_OF[variant_of_double(token, number), 0]
    if not is_free(s, colour, double, side, OFF) and not stays_joined(s, colour, double, node, face):
        return False
    if is_mine(s, colour, node):
        tokens |= 1 << token_at(s, node)
    tokens &= ~(1 << token)
    was = lay(s, colour, node, face)
    found = False
    for onward in range(4):
        if onward != side ^ 2 and can_follow(s, colour, node, double, onward, tokens, number, boldly):
            found = True
            break
    relay(s, node, was)
    return found


@kernel
def variant_of_double(token, number):
    """A double has one variant, *|* one for each number."""
    return int(FIRST_VARIANT[token]) + (number - 1 if token == STAR_STAR else 0)


@kernel
def has_second(s, colour, node, token, number, hung, tokens, boldly):
    """§4.3: whether a double that hangs on some sides may be placed on a node: a second, of the inventory, can follow.

    A side that it hangs on is held by a token of the colour, or by what cannot be built over.
    """
    tokens &= ~(1 << token)
    if is_mine(s, colour, node):
        tokens |= 1 << token_at(s, node)  # what has just returned may be used
    tokens &= int(FITS[number])
    for side in range(4):
        beside = next_node(node, side)
        if not is_mine(s, colour, beside) and tokens & STRAIGHTS & site(s, colour, beside, boldly):
            return True
    if tokens == 0:
        return False
    was = lay(s, colour, node, FACE_OF[variant_of_double(token, number), 0])
    found = False
    for side in range(4):
        if remaining(hung) >> side & 1 == 0:
            continue
        if can_follow(s, colour, node, OFF, side, tokens, number, boldly):
            found = True
            break
        others = tokens & DOUBLES
        if others and can_follow_double(s, colour, node, side, lowest(others), tokens, number, boldly):
            found = True
            break
    relay(s, node, was)
    return found


@kernel
def can_place_double(s, colour, node, wanted, token, tokens, boldly):
    """Whether a double that fits a node may be placed there."""
    if token != STAR_STAR:
        number = int(STRENGTH[token]) // 2
        return has_second(s, colour, node, token, number, sides_with(wanted, number), tokens, boldly)
    for number in range(1, 7):
        hung = sides_with(wanted, number)
        if hung and has_second(s, colour, node, token, number, hung, tokens, boldly):
            return True
    return False


# Lists of what may be placed


@kernel
def target(s, colour, source, side):
    """A node that a colour may build on by the side of a source: 0 the Town Center, 1 the paved road, then tokens."""
    if source == 0:
        return next_node(s.town, side)
    if source == 1:
        return next_node(s.paved, side) if s.paved >= 0 and is_end(s, side) and is_paved_open(s, colour) else OFF
    node = int(s.where[colour, source - 2])
    return next_node(node, side) if s.dist[node] and arm(s, node, side) else OFF


@kernel
def arms(s, node):
    """The sides on which a token has arms: the first, and how far it is to the next. Threads of a GPU that looked at
    all four would wait for those whose tokens lie across.
    """
    if IS_DOUBLE[token_at(s, node)]:
        return 0, 1
    return (0 if arm(s, node, 0) else 1), 2


@kernel
def sides_of(s, colour, source):
    """The sides of a source that `target` may lead by, told as `arms` are."""
    return arms(s, int(s.where[colour, source - 2])) if source > 1 else (0, 1)


@kernel
def sources(s, colour):
    """The sources as a set: the Town Center, the paved road, the tokens on the board."""
    return 3 | (int(s.tokens) & ~int(s.hand[colour])) << 2


@kernel
def is_new_site(s, colour, source, side):
    """Whether a colour may build by the side of a source, on a node that is met for the first time, which is noted."""
    node = target(s, colour, source, side)
    if node == OFF:
        return False
    bit = 1 << (node & 15)
    row = int(s.work[ROWS + (node >> 4)])
    s.work[ROWS + (node >> 4)] = row | bit
    return row & bit == 0


@kernel
def sites(s, colour):
    """The nodes that a colour may build on, each once, as bits for `next_site`: those by the first FEW sources, and
    those by the others.

    They are found before anything is done about them: threads of a GPU that look for their next node would wait for
    those that have found it.
    """
    s.work[ROWS : ROWS + 16] = 0
    first, rest = 0, 0
    left = sources(s, colour)
    while left:
        source = lowest(left)
        left &= left - 1
        side, step = sides_of(s, colour, source)
        while side < 4:
            if is_new_site(s, colour, source, side):
                if source < FEW:
                    first |= 1 << (source * 4 + side)
                else:
                    rest |= 1 << ((source - FEW) * 4 + side)
            side += step
    return first, rest


@kernel
def next_site(s, colour, first, rest):
    """The next of these nodes, and the bits of those after it."""
    if first:
        at = lowest(first)
        first &= first - 1
    else:
        at = FEW * 4 + lowest(rest)
        rest &= rest - 1
    return target(s, colour, at >> 2, at & 3), first, rest


@kernel
def can_place(s, colour, tokens, hand, boldly):
    """Whether one of these tokens can be placed anywhere. A token just taken up may not lie as it lay (§4.6)."""
    s.work[ROWS : ROWS + 16] = 0
    left = sources(s, colour)
    while left:
        source = lowest(left)
        left &= left - 1
        for side in range(4):
            is_new = is_new_site(s, colour, source, side)
            if is_new and can_place_on(s, colour, target(s, colour, source, side), tokens, hand, boldly):
                return True
    return False


@kernel
def can_place_on(s, colour, node, tokens, hand, boldly):
    """Whether one of these tokens can be placed on a node."""
    fit = tokens & site(s, colour, node, boldly)
    if fit == 0:
        return False
    wanted = wants(s, colour, node)
    fit &= shown_by(wanted)
    if node == s.lifted:
        return fit != 0 and can_turn(s, colour, node, wanted, lowest(fit), hand, boldly)
    if fit & STRAIGHTS:
        return True
    while fit:
        if can_place_double(s, colour, node, wanted, lowest(fit), hand, boldly):
            return True
        fit &= fit - 1
    return False


@kernel
def can_turn(s, colour, node, wanted, token, hand, boldly):
    """§4.6: whether a token just taken up can be put back otherwise than it lay."""
    for variant in range(FIRST_VARIANT[token], FIRST_VARIANT[token + 1]):
        if ways_to_place(s, colour, node, wanted, variant, hand, boldly):
            return True
    return False


@kernel
def ways_to_place(s, colour, node, wanted, variant, hand, boldly):
    """The sides, as a set, on which a variant that its node gives way to links by its near end; a double, which may
    link on any, is told as north.
    """
    near, far = int(NEAR[variant]), int(FAR[variant])
    found = sides_with(wanted, near)
    if near == far:
        has = found != 0 and has_second(s, colour, node, VARIANT_TOKEN[variant], near, found, hand, boldly)
        found = 1 if has else 0
    else:  # told from the end that links first: north, east, south, west
        found &= ~(sides_with(wanted, far) << 2)
    if node == s.lifted:
        for side in range(4):
            if FACE_OF[variant, side] == s.lifted_face:
                found &= ~(1 << side)  # §4.6: exactly as it lay
    return found


@kernel
def placings(s, colour, node, tokens, hand, boldly, out, n):
    """Every way to place one of these tokens on a node, added to a list of n moves."""
    tokens &= site(s, colour, node, boldly)
    if tokens == 0:
        return n
    wanted = wants(s, colour, node)
    tokens &= shown_by(wanted)
    while tokens:
        token = lowest(tokens)
        tokens &= tokens - 1
        for variant in range(FIRST_VARIANT[token], FIRST_VARIANT[token + 1]):
            sides = ways_to_place(s, colour, node, wanted, variant, hand, boldly)
            while sides:
                out[n] = PLACE + (node * VARIANTS + variant) * 4 + lowest(sides)
                sides &= sides - 1
                n += 1
    return n


@kernel
def placings_anywhere(s, colour, tokens, hand, boldly, out, n):
    """Every way to place one of these tokens, node by node."""
    first, rest = sites(s, colour)
    while first or rest:
        node, first, rest = next_site(s, colour, first, rest)
        n = placings(s, colour, node, tokens, hand, boldly, out, n)
    return n


@kernel
def can_be_off(s, colour, base, side, free, variant, number, hand, boldly):
    """§4.3, §9.2: whether a variant can be placed off a double, which shows a number, or off the paved road: ANY. It is
    `free` if the base stays joined anyway.
    """
    if number not in (ANY, NEAR[variant]):
        return False
    node = next_node(base, side)
    token = int(VARIANT_TOKEN[variant])
    if not free and not stays_joined(s, colour, base, node, FACE_OF[variant, side ^ 2]):
        return False
    if not IS_DOUBLE[token]:
        return True
    if number == ANY:
        return has_second(s, colour, node, token, int(NEAR[variant]), 1 << (side ^ 2), hand, boldly)
    return can_follow_double(s, colour, base, side, token, hand, int(number), boldly)


@kernel
def placings_off(s, colour, base, sides, number, tokens, boldly, out, n):
    """Every way to place one of these tokens off some sides of a double or the paved road."""
    hand = int(s.hand[colour])
    for side in range(4):
        node = next_node(base, side)
        fit = tokens & site(s, colour, node, boldly) & int(FITS[number]) if sides >> side & 1 else 0
        free = fit == 0 or is_free(s, colour, base, side, OFF)
        while fit:
            token = lowest(fit)
            fit &= fit - 1
            for variant in range(FIRST_VARIANT[token], FIRST_VARIANT[token + 1]):
                if can_be_off(s, colour, base, side, free, variant, number, hand, boldly):
                    out[n] = PLACE + (node * VARIANTS + variant) * 4 + (0 if IS_DOUBLE[token] else side ^ 2)
                    n += 1
    return n


@kernel
def can_place_off(s, colour, base, side, token, boldly):
    """§9.2: whether the token in hand can be placed off an end of the paved road."""
    if site(s, colour, next_node(base, side), boldly) >> token & 1:
        free = is_free(s, colour, base, side, OFF)
        for variant in range(FIRST_VARIANT[token], FIRST_VARIANT[token + 1]):
            if can_be_off(s, colour, base, side, free, variant, ANY, int(s.hand[colour]), boldly):
                return True
    return False


# §4.6: loose roads


@kernel
def is_loose(s, node):
    """Whether a token is loose: linked to at most one thing, without a barrel, not stuck (§9.3)."""
    if s.barrels[node] or s.ground[node] == MUD:
        return False
    colour = int(s.owner[node]) - 1
    side, step = arms(s, node)
    links, taps = 0, 0
    while side < 4:
        if tap_at(s, node, side) >= 0:
            taps += 1
        elif link(s, colour, node, side, s.keeper == colour) >= 0:
            links += 1
        side += step
    return links + max(taps - 1, 0) <= 1


@kernel
def loose_tokens(s, colour):
    """The loose tokens of a colour, as a set."""
    lying = int(s.tokens) & ~int(s.hand[colour])
    found = 0
    while lying:
        token = lowest(lying)
        lying &= lying - 1
        if is_loose(s, int(s.where[colour, token])):
            found |= 1 << token
    return found


@kernel
def is_leaf(s, node):
    """Whether a loose token can go without a change to any other road: it is at no tap and not at the paved road."""
    for side in range(4):
        if arm(s, node, side):
            beside = next_node(node, side)
            if s.ground[beside] == PAVED or still_of(s, beside) >= 0:
                return False
    return True


@kernel
def lift(s, node):
    """Take a loose token up, to place it."""
    colour = int(s.owner[node]) - 1
    s.lifted = node
    s.lifted_face = s.face[node]
    s.token = token_at(s, node)
    keep(s)
    leaf = is_leaf(s, node)
    take_up(s, node)
    if not leaf:
        changed(s, colour)


@kernel
def put_back(s, colour, dist):
    """Put a token that was taken up back exactly as it lay; as a leaf it is so many steps from the Town Center."""
    node = int(s.lifted)
    put_down(s, colour, node, int(s.lifted_face))
    if is_leaf(s, node):
        s.dist[node] = dist
    else:
        restore_paved(s)
    s.lifted = -1
    s.lifted_face = 0
    s.token = -1
    s.kept = 0


@kernel
def unlift(s, colour):
    """Put it back as a step back, when its distance is not known."""
    node = int(s.lifted)
    put_back(s, colour, 0)
    if is_leaf(s, node):
        for side in range(4):
            beside = link(s, colour, node, side, False)
            if beside == TOWN_AT or (beside >= 0 and s.dist[beside]):
                s.dist[node] = depth_of(s, colour, beside) + 1


@kernel
def restore_paved(s):
    """The paved road as it was held when the building began."""
    s.keeper = (int(s.kept) & 7) - 1
    s.last_keeper = (int(s.kept) >> 3 & 7) - 1
    s.linked = int(s.kept) >> 6 & 15
    s.stirred = int(s.kept) >> 10 & 1
    if s.paved >= 0:
        s.dist[s.paved] = 0
    for colour in range(s.colours):
        measure(s, colour)


@kernel
def forget_lift(s):
    """A token that was taken up is about to be placed: to the paved road both are one step (§9.2)."""
    if int(s.kept) & 7 != s.keeper + 1 or int(s.kept) >> 6 & 15 != s.linked:
        restore_paved(s)
    s.lifted = -1
    s.lifted_face = 0


@kernel
def can_move(s, colour, node, boldly):
    """§4.6: whether a loose token can be taken up and placed."""
    dist = s.dist[node]
    lift(s, node)
    found = can_place(s, colour, 1 << int(s.token), int(s.hand[colour]), boldly)
    put_back(s, colour, dist)
    return found


@kernel
def can_build(s, colour, boldly):
    """§3: whether a colour can build at all: place a token, or return a loose one."""
    lying = int(s.tokens) & ~int(s.hand[colour])
    while lying:
        if is_loose(s, int(s.where[colour, lowest(lying)])):
            return True
        lying &= lying - 1
    return can_place(s, colour, int(s.hand[colour]), int(s.hand[colour]), boldly)
