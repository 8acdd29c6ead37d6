"""Reads C++ as tokens: which are code, how brackets match, and where statements and conditions lie.

It relies on the layout that .clang-format gives: a comparison has spaces around it, the bracket of a
template has none.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<directive>(?<![^\n])[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |(?P<letter>'(?:\\.[^']*|[^'\\\n])')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.]|'\w)*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)
PAIRS = {"(": ")", "[": "]", "{": "}"}
SCOPES = {"namespace", "class", "struct", "union", "enum", "extern"}
BEFORE_A_BODY = {")", "]", "}", ":", "const", "noexcept", "override", "final", "mutable"}
BEFORE_A_BODY |= {"else", "do", "try"}


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False  # spaces on both sides
    in_template: bool = False  # among the arguments of a template
    opens_template: bool = False


@dataclass
class Region:
    """A statement, or the head of an if, while, for or switch: tokens [first, last]."""

    kind: str
    first: int
    last: int


@dataclass
class Source:
    text: str
    tokens: list = field(default_factory=list)
    match: dict = field(default_factory=dict)  # bracket to bracket, by index
    bodies: list = field(default_factory=list)  # indices of the "{" that open code
    regions: list = field(default_factory=list)

    def words(self, first, last):
        return [token.text for token in self.tokens[first : last + 1]]


def read(text):
    source = Source(text)
    _read_tokens(source)
    _match_brackets(source)
    _find_bodies(source)
    for opening in source.bodies:
        _read_block(source, opening + 1, source.match[opening])
    return source


def _read_tokens(source):
    tokens = source.tokens
    space_before = True
    for found in TOKEN.finditer(source.text):
        kind = found.lastgroup if found.lastgroup != "mark" else "text"
        if kind in ("space", "comment", "directive"):
            space_before = True
            continue
        after = source.text[found.end() : found.end() + 1]
        token = Token(kind, found.group(), found.start(), found.end())
        token.spaced = space_before and (after == "" or after.isspace())
        _follow_templates(token, tokens, space_before)
        tokens.append(token)
        space_before = False


def _follow_templates(token, before, space_before):
    """Marks what stands among the arguments of templates; the brackets are told by their spaces."""
    previous = before[-1] if before else None
    depth = getattr(previous, "depth", ())
    if token.text == "<" and previous is not None:
        if previous.text == "template" or (previous.kind == "name" and not space_before):
            token.opens_template = True
            depth += ("<",)
    elif token.text in PAIRS:
        depth += (token.text,)
    elif token.text in PAIRS.values():
        while depth and depth[-1] == "<":
            depth = depth[:-1]
        depth = depth[:-1]
    elif token.text in (">", ">>") and not token.spaced:
        for _ in token.text:
            if depth and depth[-1] == "<":
                depth = depth[:-1]
                token.in_template = True
    token.depth = depth
    token.in_template |= "<" in depth


def _match_brackets(source):
    open_ones = []
    for index, token in enumerate(source.tokens):
        if token.text in PAIRS and token.kind == "sign":
            open_ones.append(index)
        elif token.text in PAIRS.values() and token.kind == "sign" and open_ones:
            opening = open_ones.pop()
            source.match[opening] = index
            source.match[index] = opening


def _find_bodies(source):
    kinds = {}  # of each "{"
    enclosing = []
    head = 0
    for index, token in enumerate(source.tokens):
        if token.text == "{" and index in source.match:
            parent = kinds[enclosing[-1]] if enclosing else "scope"
            kinds[index] = _kind_of_brace(source, head, index, parent)
            if kinds[index] == "body":
                source.bodies.append(index)
            enclosing.append(index)
            head = index + 1
        elif token.text == "}" and enclosing:
            if kinds[enclosing.pop()] != "values":
                head = index + 1
        elif token.text == ";":
            head = index + 1


def _kind_of_brace(source, head, index, parent):
    words = source.words(head, index - 1)
    if parent != "values" and any(word in SCOPES for word in words):
        if "(" not in words:
            return "scope"
    previous = words[-1] if words else "{"
    if previous in BEFORE_A_BODY:
        return "body"
    if not words:
        return "body" if parent == "body" else "values"
    return "body" if _returns_type(source, index) else "values"


def _returns_type(source, index):
    """Whether what stands before is the type that a function or lambda says it returns."""
    tokens = source.tokens
    index -= 1
    while index > 0:
        token = tokens[index]
        if token.text == "->":
            return tokens[index - 1].text in (")", "const", "noexcept", "mutable")
        if token.kind != "name" and token.text not in ("::", "*", "&") and not token.in_template:
            return False
        index -= 1
    return False


def _read_block(source, index, end):
    while index < end:
        index = _read_statement(source, index, end)


def _read_statement(source, index, end):
    """Records what begins at `index`; returns where the next statement begins."""
    tokens = source.tokens
    word = tokens[index].text
    if word == "{":
        return source.match[index] + 1
    if word in ("else", "do", "try", "}"):
        return index + 1
    if word in ("if", "while", "for", "switch", "catch"):
        opening = index + 1
        while tokens[opening].text != "(":
            opening += 1
        kind = word + " constexpr" if tokens[index + 1].text == "constexpr" else word
        source.regions.append(Region(kind, opening, source.match[opening]))
        return source.match[opening] + 1
    if word in ("case", "default"):
        while tokens[index].text != ":":
            index += 1
        return index + 1
    last = index
    while last < end and tokens[last].text != ";":
        last = source.match.get(last, last) + 1 if tokens[last].text in PAIRS else last + 1
    if last < end:
        source.regions.append(Region("statement", index, last))
    return last + 1
