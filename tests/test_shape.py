"""The contract is checked when a game is loaded, and errors are one sentence."""

import sys

import pytest
import toy

import backroom
from backroom.engine import registry
from backroom.engine.protocol import NEEDED, POSSIBLE
from backroom.engine.shape import BadShape, check_rules, collect, members, protocols_of


def without(name):
    rules = toy.module()
    delattr(rules, name)
    return rules


@pytest.mark.parametrize("name", list(backroom.names()))
def test_a_game_has_what_the_contract_names_and_nothing_else(name):
    rules = vars(backroom.game(name).rules)
    files = dict.fromkeys([*NEEDED, *POSSIBLE])
    known = {each for file in files for protocol in protocols_of(file) for each in members(protocol)}
    assert set(rules) - {"__file__"} <= known
    assert {each for protocol in NEEDED.values() for each in members(protocol)} <= set(rules)


def renamed(**names):
    rules = toy.module()
    for new, old in names.items():
        setattr(rules, new, getattr(rules, old))
        delattr(rules, old)
    return rules


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (without("why"), r"pennies does not have the shape of a game: reasons has no why\(v, seat, move\)$"),
        (without("LONGEST"), r"rules has no LONGEST$"),
        (renamed(qestion="question"), r"words has qestion; should it be question\?$"),
        (renamed(MOST_MOVE="MOST_MOVES"), r"rules has MOST_MOVE; should it be MOST_MOVES\?$"),
        (renamed(betwen="between"), r"picture has betwen; should it be between\?$"),
        (toy.module(moves=lambda s, out: 0), r"rules: moves takes \(s, out\), not \(s, seat, out\)$"),
        (toy.module(score=3), r"rules: score is no function, not \(s, out\)$"),
        (toy.module(SEATS=2), r"rules: SEATS is 2, not whole numbers like \(2, 3, 4\)$"),
        (toy.module(SEATS=()), r"rules: SEATS is \(\), not whole numbers like"),
        (toy.module(VERSION="1"), r"rules: VERSION is '1', not a whole number$"),
        (toy.module(TITLE=None), r"rules: TITLE is None, not a text$"),
        (toy.module(expect=lambda s, seat, weights: 0), r"net has no is_known\(s, weights\), which belongs to HasNet$"),
    ],
)
def test_what_is_missing_or_misnamed_is_said(rules, said):
    with pytest.raises(BadShape, match=said):
        check_rules("pennies", rules)


def test_everything_that_is_wrong_is_said_at_once():
    rules = without("why")
    del rules.LONGEST
    with pytest.raises(BadShape, match=r"rules has no LONGEST; reasons has no why"):
        check_rules("pennies", rules)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes a package of the given files; the others are the toy's."""

    def write(**files):
        folder = tmp_path / "pennies_apart"
        folder.mkdir()
        folder.joinpath("__init__.py").touch()
        folder.joinpath("rules.md").write_text("# Pennies\n\nTwo or three players bid for a prize.\n")
        for file in NEEDED:
            names = ", ".join(members(NEEDED[file]))
            folder.joinpath(f"{file}.py").write_text(files.get(file, f"from toy import {names}\n"))
        for file in files.keys() - NEEDED.keys():
            folder.joinpath(f"{file}.py").write_text(files[file])
        monkeypatch.syspath_prepend(tmp_path)
        return "pennies_apart"

    yield write
    for module in [each for each in sys.modules if each.split(".")[0] == "pennies_apart"]:
        del sys.modules[module]


def test_names_are_collected_from_the_files_of_a_game(package):
    rules = collect(package(net="def weights():\n    return ()\n"))
    assert rules.moves is toy.moves
    assert rules.weights() == ()
    assert not hasattr(rules, "BID_CARD")


def test_a_file_may_be_a_folder(package, tmp_path):
    name = package()
    tmp_path.joinpath(name, "options.py").unlink()
    folder = tmp_path / name / "options"
    folder.mkdir()
    folder.joinpath("__init__.py").touch()
    folder.joinpath("values.py").write_text("from toy import OPTIONS\n")
    assert collect(name).OPTIONS is toy.OPTIONS


@pytest.mark.parametrize("text", [None, "", "# Pennies\n", "# Pennies\n\n## §1 The bid\n", "A toy.\n"])
def test_a_rulebook_without_a_summary_is_refused(package, tmp_path, text):
    name = package()
    book = tmp_path / name / "rules.md"
    book.unlink() if text is None else book.write_text(text)
    with pytest.raises(BadShape, match=r"rules\.md begins with a title and a paragraph"):
        collect(name)


def test_a_name_in_the_wrong_file_is_said(package):
    with pytest.raises(BadShape, match=r"reasons has no why\(v, seat, move\), where it belongs; it is in words"):
        collect(package(reasons="A = 1\n", words="from toy import name, parse, question, say, why\n"))


def test_two_things_of_one_name_in_a_folder_are_refused(package, tmp_path):
    name = package()
    rules = tmp_path / name / "rules"
    rules.mkdir()
    tmp_path.joinpath(name, "rules.py").rename(rules / "__init__.py")
    rules.joinpath("more.py").write_text("def asked(s):\n    return 0\n")
    with pytest.raises(BadShape, match=r"pennies_apart.rules has two different things called asked; one is in .*more"):
        collect(name)


def test_a_game_is_called_like_its_folder():
    registry.register("shillings", toy.module)
    try:
        with pytest.raises(BadShape, match="the game shillings calls itself pennies"):
            backroom.game("shillings")
    finally:
        registry._loaders.pop("shillings")


def test_former_names_lead_to_a_game():
    found = registry.renamed()
    assert found
    for former, name in found.items():
        assert former not in backroom.names()
        assert backroom.game(former) is backroom.game(name)
