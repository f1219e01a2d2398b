"""MkDocs hook: adds Markdown files from outside docs/ to the site and rewrites the links to them.

Rulebooks and the pages about levels and nets are in the games' folders, the laws and the changelog at the top of the
repository. Each becomes a page of the site, and a link that works in the repository works on the site.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
TOP = ("LAWS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def brought() -> dict[str, Path]:
    """The pages from outside docs/, by their place on the site."""
    games = ROOT / "backroom" / "games"
    found = {name: ROOT / name for name in TOP}
    found |= {
        f"games/{path.relative_to(games).as_posix()}": path for path in games.rglob("*.md") if "tests" not in path.parts
    }
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for place, path in brought().items():
        page = File.generated(config, place, content=linked(path.read_text("utf-8"), path, place))
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    path = ROOT / "docs" / page.file.src_uri
    return linked(markdown, path, page.file.src_uri) if path.is_file() else markdown


def linked(markdown: str, path: Path, place: str) -> str:
    """Return the page with links between files of the repository turned into links between pages of the site.

    A link to a file that is not a page, such as a program, becomes plain text.
    """
    docs = (ROOT / "docs").resolve()
    places = {source.resolve(): target for target, source in brought().items()}

    def link(found: re.Match[str]) -> str:
        target = (path.parent / found[3]).resolve()
        if target in places:
            to = places[target]
        elif docs in target.parents and target.suffix != ".py":
            to = target.relative_to(docs).as_posix()
        elif target.is_file():
            return found[2]
        else:
            return found[0]
        return f"{found[1]}[{found[2]}]({'../' * place.count('/')}{to}{found[4] or ''})"

    return LINK.sub(link, markdown)
