"""A misspelled field in the toy's rules, in a separate file, since whole files are searched for misspellings."""


def value(s, seat):
    return s.penies[seat]
