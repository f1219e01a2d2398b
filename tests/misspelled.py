"""A slip of the pen in the toy's rules, in a file of its own: whole files are searched for such."""


def value(s, seat):
    return s.penies[seat]
