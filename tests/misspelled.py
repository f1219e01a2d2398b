"""A misspelled field in the toy's rules, in a file of its own, since whole files are searched for them."""


def value(s, seat):
    return s.penies[seat]
