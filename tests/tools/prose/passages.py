"""Takes the prose out of a file: what a person reads in docs, comments, descriptions, help and messages.

A passage is text that belongs together:
* a paragraph, a heading, a list item or a table's cell of a Markdown page,
* comments on consecutive lines, a docstring, or a paragraph or list item in one of these,
* a prose value of a TOML file,
* adjacent string literals of C++ or JavaScript with at least four words, or with two words and nothing else,
* such a string of the Python package, with a placeholder for each value of an f-string.

Code blocks, HTML tags and strings that are code (SQL, CUDA, paths) are not prose. Inline code and placeholders of format strings
count as one word. They and the addresses of links are hidden from searches."""

import ast
import io
import itertools
import re
import tokenize
from typing import List, NamedTuple

from repository import MODULES

MIN_WORDS_OF_A_LITERAL = 4
CODE = "\N{REPLACEMENT CHARACTER}x"  # What stands for inline code and for placeholders: a word that no pattern matches.

INLINE = re.compile(r"(`+)(?!`)[^`]*\1(?!`)|<!--(?:.|\n)*?-->|<[a-z/][^<>\n]*>|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|https?://\S+")
LEXEMES = re.compile(r"""
    (?P<raw>\bR"(?P<delimiter>[^(\s"]*)\((?:.|\n)*?\)(?P=delimiter)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<character>(?<!\w)'(?:\\.|[^'\\\n])+')
  | (?P<line>//[^\n]*)
  | (?P<block>/\*(?:.|\n)*?\*/)""", re.VERBOSE)
NO_COMMENT = re.compile(r"\s*(namespace|clang-format o|NOLINT|IWYU)|[-=*/\s]*$")
TOML_KEYS = "description|title|text|summary|about|note|label|holds|weaker|fails|reason"
TOML_VALUES = re.compile(rf'''
    (?P<comment>\#[^\n]*)
  | (?:\b(?P<key>{TOML_KEYS})\s*=\s*)?
    (?P<value>"""(?:\\(?:.|\n)|[^\\])*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*"|'[^'\n]*')''', re.VERBOSE)
NO_PROSE = re.compile(r"""==|[<>]=|&&|\|\||->|::|;\s*$|[{};]\n|\b(?:SELECT|INSERT|CREATE|UPDATE|DELETE|PRAGMA|WHERE)\b
                          |\(\);|\b(?:void|const|static|typedef|static_assert)\b|^\s*\#|="|(?:\w+\.\w+,\s*){2}""", re.VERBOSE)
SHORT_MESSAGE = re.compile(r"[ ,]*[A-Za-z][a-z']+(?: [a-z']+)+[ ,:.]*")  # A few words and nothing else.
PLACEHOLDER = re.compile(r"\{[^{}]*\}|\$\{[^{}]*\}|%[-.\d]*[a-z]{1,2}\b")
COLUMNS = re.compile(r"(?<=\S) {2,}(?=\S)")  # Between the columns of a table in a comment.
LIST_ITEM = re.compile(r"\s*(?:[*+-]|\d+[.)])\s+")
WORD = re.compile(r"\w*[A-Za-z]\w*")


class Passage(NamedTuple):
    kind: str          # "page", "comment" or "message"
    text: str          # One line of the text for each entry of `lines`.
    lines: List[int]   # The number in the file of each line of the text.

    def line_at(self, offset):
        return self.lines[self.text.count("\n", 0, offset)]


def passage(kind, pieces):
    """A passage of (line number, text) pairs, a pair for each line."""
    text = INLINE.sub(lambda match: ("" if match.group().startswith(("<", "]")) else CODE) + "\n" * match.group().count("\n"),
                      "\n".join(" ".join(text.split()) for _, text in pieces))
    return Passage(kind, text, [number for number, _ in pieces])


def divided(line, markdown):
    """Divides a line: complete passages, text that may continue in the next line, and whether the line ends the passage before it."""
    stripped = line.strip()
    if not stripped:
        return [], "", True
    if stripped.startswith("|"):
        return re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", CODE, stripped)), "", True
    if stripped.startswith("#") and markdown:
        return [stripped.lstrip("# ")], "", True
    columns = COLUMNS.split(stripped)
    if len(columns) > 1:
        return columns[:-1], columns[-1], True
    item = LIST_ITEM.match(line)
    return [], line[item.end():] if item else line.lstrip("> "), item is not None


def paragraphs(kind, first_line, text, markdown=True):
    """Passages of Markdown, or of a comment's or docstring's text, which has no headings."""
    pieces, fence = [], ""
    for number, line in enumerate(text.split("\n"), first_line):
        marker = re.match(r"\s*(```+|~~~+)", line)
        if marker and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else marker.group(1)
        complete, text_left, ends = ([], "", True) if fence or marker else divided(line, markdown)
        if ends and pieces:
            yield passage(kind, pieces)
            pieces = []
        yield from (passage(kind, [(number, cell)]) for cell in complete if WORD.search(cell))
        if text_left:
            pieces.append((number, text_left))
    if pieces:
        yield passage(kind, pieces)


def of_comments(comments):
    """Comments on consecutive lines and in one column are one text. `comments` are tuples: line, column, text after the comment's
    sign, and whether the line has nothing else."""
    block, last = [], (0, 0)
    for line, column, text, alone in comments:
        if block and not (alone and (line, column) == (last[0] + 1, last[1])):
            yield from paragraphs("comment", block[0][0], "\n".join(text for _, text in block), False)
            block = []
        if not NO_COMMENT.match(text):
            block.append((line, text))
        elif block:
            block.append((line, ""))
        last = line, column
    if block:
        yield from paragraphs("comment", block[0][0], "\n".join(text for _, text in block), False)


def is_message(text):
    if SHORT_MESSAGE.fullmatch(text):
        return True
    bare = PLACEHOLDER.sub("x", text)
    return len(re.findall(r"(?<![\w/.\\-])[A-Za-z][a-z']*(?![\w/\\])", bare)) >= MIN_WORDS_OF_A_LITERAL and not NO_PROSE.search(bare)


def of_message(literals):
    """`literals` are (line, text) of adjacent literals; `\\n` within them ends a passage."""
    if not is_message("".join(text for _, text in literals)):
        return
    pieces = []
    for line, text in literals:
        text = PLACEHOLDER.sub(CODE, text.replace('\\"', '"').replace("{{", "(").replace("}}", ")"))
        parts = text.split("\\n")
        for number, part in enumerate(parts):
            # Adjacent literals join without a space: a word may be broken between them, which a line's end would divide too.
            pieces.append((line, part))
            if number + 1 < len(parts):
                yield passage("message", pieces)
                pieces = []
    if any(WORD.search(text) for _, text in pieces):
        yield passage("message", pieces)


def of_cpp(text, with_messages):
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    comments, literals, end = [], [], 0
    line = 0
    for found in LEXEMES.finditer(text):
        while line + 1 < len(starts) and starts[line + 1] <= found.start():
            line += 1
        kind, before = found.lastgroup, text[starts[line]:found.start()]
        if kind == "string":
            if before.lstrip().startswith("#"):
                continue
            if literals and text[end:found.start()].strip():
                yield from of_message(literals)
                literals = []
            if with_messages:
                literals.append((line + 1, found.group()[1:-1]))
            end = found.end()
        elif kind == "line":
            comments.append((line + 1, len(before), found.group().lstrip("/").lstrip("<!"), not before.strip()))
        elif kind == "block" and not found.group().startswith("/* warptune"):
            body = re.sub(r"\n[ \t]*\*(?!/)", "\n", found.group()[2:-2])
            yield from paragraphs("comment", line + 1, body, False)
        elif kind == "block":
            yield from of_toml(found.group()[2:-2].replace("warptune", "", 1), line + 1)
    if literals:
        yield from of_message(literals)
    yield from of_comments(comments)


def of_toml(text, first_line=1):
    comments, line, at = [], first_line, 0
    for found in TOML_VALUES.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        before = text[text.rfind("\n", 0, at) + 1:at]
        if found.group("comment"):
            comments.append((line, len(before), found.group()[1:], not before.strip()))
        elif found.group("key"):
            value = found.group("value")
            value_line = line + text.count("\n", at, found.start("value"))
            body = value.strip("\"'")
            if found.group("key") in ("holds", "weaker", "fails") and not is_message(body):
                continue
            body = re.sub(r"\{[^{}]*\}", lambda match: CODE + "\n" * match.group().count("\n"), body)
            body = re.sub(r"\\$", "", body, flags=re.MULTILINE)
            yield from paragraphs("page" if found.group("key") == "about" else "comment", value_line, body)
    yield from of_comments(comments)


def strings_of(tree):
    """(line, text) of each string that is not a docstring. Adjacent literals are one string."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            for value in node.values:
                inner = value if isinstance(value, ast.Constant) else value.format_spec
                skipped.update(map(id, ast.walk(inner)) if inner else ())
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def of_python_messages(text):
    for line, string in strings_of(ast.parse(text)):
        if is_message(string):
            for part in string.split("\n"):
                yield passage("message", [(line, PLACEHOLDER.sub(CODE, part))])


def of_python(text):
    comments, previous = [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            if not token.string.startswith("#!"):
                comments.append((line, column, re.sub(r"\s*noqa.*", "", token.string[1:]), not token.line[:column].strip()))
        elif token.type == tokenize.STRING and previous in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            yield from paragraphs("comment", line, token.string.strip("rb").strip("\"'"), False)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            previous = token.type
    yield from of_comments(comments)


def of_script(text):
    """Comments of shell and CMake."""
    comments = []
    for number, line in enumerate(text.split("\n"), 1):
        found = re.search(r"(?:^|(?<=\s))#(?![!#\w])", line)
        if found and line.count('"', 0, found.start()) % 2 == 0 and line.count("'", 0, found.start()) % 2 == 0:
            comments.append((number, found.start(), line[found.end():], not line[:found.start()].strip()))
    return of_comments(comments)


def passages_of(path, text):
    """`path` is relative to the root of the tree."""
    name, suffix, first = path.name, path.suffix, text[:text.find("\n") + 1]
    if suffix == ".md":
        return paragraphs("page", 1, text)
    if suffix in (".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".js"):
        return of_cpp(text, path.parts[0] in (*MODULES, "bench") and suffix not in (".cu", ".cuh"))
    if suffix == ".toml":
        return of_toml(text)
    if suffix in (".py", ".pyi") or first.startswith("#!") and "python" in first:
        messages = of_python_messages(text) if path.parts[0] in MODULES else ()
        return itertools.chain(of_python(text), messages)
    if suffix in (".sh", ".cmake") or name in ("CMakeLists.txt", "run") or first.startswith("#!"):
        return of_script(text)
    return ()
