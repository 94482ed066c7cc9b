"""Small pieces of HTML for notebooks. Everything is escaped, because names and values may come from files of other people."""

from collections.abc import Iterable, Sequence


def escape(text: str) -> str:
    from html import escape as escaped  # Only notebooks need it, and it takes as long to import as the rest of the package.
    return escaped(text)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def details(title: str, text: str) -> str:
    """Preformatted text that is hidden until its title is clicked."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with one row of headings."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def picture(svg: str, title: str) -> str:
    """An SVG as an image of its own, so that its styles and ids do not affect the page."""
    from base64 import b64encode
    return f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'
