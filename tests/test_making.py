"""Files that games make, in the terminal: begun, continued, written, and played with."""

import re

import pytest

import backroom
from backroom.engine.protocol import Product

MAKERS = [name for name in backroom.names() if hasattr(backroom.game(name).rules, "MAKES")]


@pytest.fixture(params=MAKERS)
def maker(request):
    return backroom.game(request.param)


def test_a_product_names_options_that_there_are(maker):
    made = maker.rules.MAKES
    assert isinstance(made, Product)
    options = {option.name: option for option in backroom.game(made.game).options}
    own = {option.name: option for option in maker.options}
    assert options[made.option].is_file
    assert own[made.draft].is_file
    assert list(maker.seats) == [1]


def test_what_can_be_played_with_can_be_begun_with_and_comes_out_the_same(maker):
    made = maker.rules.MAKES
    option = next(option for option in backroom.game(made.game).options if option.name == made.option)
    for value in option.values:
        first = maker.table(**{made.draft: value})
        text = made.write(first.view(0))
        again = maker.table(**{made.draft: text})
        assert made.write(again.view(0)) == text
        assert option.settle(text)


def test_a_file_is_made_exported_and_gone_on_with(run, maker, tmp_path):
    made = maker.rules.MAKES
    option = next(option for option in backroom.game(made.game).options if option.name == made.option)
    file, other = tmp_path / "mine.txt", tmp_path / "other.txt"
    code, out, _ = run(made.option, "edit", option.values[1], typed=f"help\nexport {file}\nexport\nquit\n")
    assert code == 0
    assert out.count(f"Written to {file}") == 2
    assert "export [FILE]" in out
    assert run(made.option, "check", file)[0] == 0
    steps = backroom.game(maker.name).table(**{made.draft: file.read_text()}).moves(0)
    code, out, _ = run(made.option, "edit", file, typed=f"{steps[0]}\ndone\n")
    assert code == 0
    assert f"Written to {file}" in out
    code, _, _ = run(made.option, "edit", other, typed="export\nquit\n")
    assert code == 0
    assert other.exists()
    assert run(made.option, "check", other)[0] == 2  # it is not playable yet
    assert run(maker.name, f"--{made.draft}", other, typed="quit\n")[0] == 0


def test_where_nothing_is_made_nothing_is_exported(run):
    name = next(name for name in backroom.names() if name not in MAKERS)
    code, out, _ = run("play", name, typed="export\nquit\n")
    assert code == 0
    assert "nothing is made in" in out


def test_very_many_moves_are_listed_in_short(run, maker):
    out = run(maker.name, typed="quit\n")[1]
    names = maker.table().moves(0)
    word = max({name.split()[0] for name in names}, key=lambda word: sum(name.split()[0] == word for name in names))
    alike = [name for name in names if name.split()[0] == word]
    assert alike[-1] in out
    assert int(re.search(r"; for all (\d+) type: moves \w+", " ".join(out.split()))[1]) >= len(alike)
    assert alike[1] not in out
