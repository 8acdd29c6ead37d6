"""The rules that make mutants: each site in a source becomes one or several small changes."""

from dataclasses import dataclass

import cpp

# One operator for others. Bounds are moved by one and turned round.
SWAPS = {
    "<": ("comparison", ["<=", ">="]),
    "<=": ("comparison", ["<", ">"]),
    ">": ("comparison", [">=", "<="]),
    ">=": ("comparison", [">", "<"]),
    "==": ("comparison", ["!="]),
    "!=": ("comparison", ["=="]),
    "&&": ("logic", ["||"]),
    "||": ("logic", ["&&"]),
    "+": ("arithmetic", ["-"]),
    "-": ("arithmetic", ["+"]),
    "*": ("arithmetic", ["/"]),
    "/": ("arithmetic", ["*"]),
    "%": ("arithmetic", ["/"]),
    "+=": ("arithmetic", ["-="]),
    "-=": ("arithmetic", ["+="]),
    "*=": ("arithmetic", ["/="]),
    "/=": ("arithmetic", ["*="]),
    "&": ("bits", ["|"]),
    "|": ("bits", ["&"]),
    "^": ("bits", ["&"]),
    "<<": ("bits", [">>"]),
    ">>": ("bits", ["<<"]),
    "|=": ("bits", ["&="]),
    "&=": ("bits", ["|="]),
    "^=": ("bits", ["|="]),
}
NAMES = {
    "min": "max",
    "max": "min",
    "floor": "ceil",
    "ceil": "floor",
    "lower_bound": "upper_bound",
    "upper_bound": "lower_bound",
    "all_of": "any_of",
    "any_of": "all_of",
    "none_of": "any_of",
    "max_element": "min_element",
    "min_element": "max_element",
}
# What these words stand in is not changed: texts, hints, and what the compiler checks.
LEFT_ALONE = {"throw", "log", "reserve", "static_assert", "assert", "using", "typedef", "goto"}
LEFT_ALONE |= {"shrink_to_fit", "memory_order_relaxed"}
# Returned values that {} is another word for.
EMPTY = (["{", "}"], ["0"], ["nullptr"], ["std", "::", "nullopt"])
NOT_REMOVED = {
    "return",
    "const",
    "constexpr",
    "auto",
    "static",
    "break",
    "delete",
    "case",
    "struct",
}
NOT_REMOVED |= {"template", "co_return", "thread_local", "volatile", "class", "enum", "friend"}


@dataclass(frozen=True)
class Mutant:
    file: str
    rule: str
    start: int
    end: int
    put: str
    line: int
    before: str
    after: str

    @property
    def room(self):
        return self.file.split("/")[0]


def mutants_of(file, text):
    """All mutants of a file, in the order of their places."""
    source = cpp.read(text)
    changes = set()
    region_of = _innermost_regions(source)
    in_code = _tokens_in_code(source)
    for index, token in enumerate(source.tokens):
        if index in in_code and not token.in_template and not token.opens_template:
            changes.update(_token_changes(source, index, region_of.get(index)))
        elif index not in in_code and _is_constant(source, index):
            changes.update(_number_changes(source, index))
    for region in source.regions:
        changes.update(_region_changes(source, region))
    return [_mutant(file, text, *change) for change in sorted(changes)]


def _mutant(file, text, start, end, put, rule):
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    before = text[first:last]
    after = text[first:start] + put + text[end:last]
    line = text.count("\n", 0, start) + 1
    return Mutant(
        file, rule, start, end, put, line, " ".join(before.split()), " ".join(after.split())
    )


def _innermost_regions(source):
    found = {}
    for region in sorted(source.regions, key=lambda each: each.first - each.last):
        for index in range(region.first, region.last + 1):
            found[index] = region  # shorter ones come later
    return found


def _tokens_in_code(source):
    found = set()
    for opening in source.bodies:
        found.update(range(opening + 1, source.match[opening]))
    return found


def _holds_text(source, region):
    return any(token.kind == "text" for token in source.tokens[region.first : region.last + 1])


def _left_alone(source, region):
    return any(word in LEFT_ALONE for word in source.words(region.first, region.last))


def _is_constant(source, index):
    """A number outside functions that is the value of a constant, or of a member if it is not 0.

    Members begin with 0 where every maker of the struct sets them.
    """
    tokens = source.tokens
    token = tokens[index]
    if token.kind != "number" or token.in_template or index < 2 or "(" in token.depth:
        return False
    if tokens[index - 1].text != "=" or tokens[index + 1].text != ";":
        return False
    first = index
    while first > 0 and tokens[first - 1].text not in (";", "{", "}", ":"):
        first -= 1
    return "constexpr" in source.words(first, index) or token.text not in ("0", "0.0")


def _token_changes(source, index, region):
    tokens = source.tokens
    token = tokens[index]
    if region is None or region.kind in ("catch", "if constexpr"):
        return []
    if region.kind == "statement" and _left_alone(source, region):
        return []
    about_text = region.kind == "statement" and _holds_text(source, region)
    if token.kind == "number":
        return [] if about_text or region.kind == "switch" else _number_changes(source, index)
    if token.kind == "sign" and token.spaced and token.text in SWAPS:
        rule, others = SWAPS[token.text]
        if rule in ("arithmetic", "bits") and (about_text or _holds_text(source, region)):
            return []
        return [(token.start, token.end, put, rule) for put in others]
    if token.text == "!":
        return [(token.start, token.end, "", "negation")]
    if token.text in ("true", "false") and not about_text:
        return [(token.start, token.end, "false" if token.text == "true" else "true", "constant")]
    if token.text in ("++", "--") and region.kind == "statement":
        return [(token.start, token.end, "--" if token.text == "++" else "++", "arithmetic")]
    if token.text in NAMES and tokens[index + 1].text in ("(", "<"):
        if tokens[index - 1].text == "::" and tokens[index - 2].text != "limits":
            return [(token.start, token.end, NAMES[token.text], "function")]
    if token.text == "?" and not about_text:
        return _swapped_choice(source, index, region)
    return []


def _number_changes(source, index):
    token = source.tokens[index]
    text = token.text.replace("'", "")
    negative = source.tokens[index - 1].text == "-"
    if any(mark in text for mark in ".eE") and not text.startswith("0x"):
        suffix = text[len(text.rstrip("fFlL")) :]
        value = float(text[: len(text) - len(suffix)])
        others = [f"1.0{suffix}"] if value == 0 else [f"{value * 2!r}{suffix}", f"0.0{suffix}"]
        return [(token.start, token.end, put, "constant") for put in others]
    digits = text.rstrip("uUlLzZ")
    suffix = text[len(digits) :]
    try:
        value = int(digits, 0)
    except ValueError:
        return []
    if negative:  # -1 mostly says "none", as -2 does
        others = [value - 1]
    else:
        others = [value + 1] if value == 0 else [value + 1, value - 1]
    return [(token.start, token.end, f"{other}{suffix}", "constant") for other in others]


def _swapped_choice(source, index, region):
    """`condition ? a : b` with a and b swapped, where the condition can be told from what precedes."""
    tokens = source.tokens
    first = index
    while first > region.first:
        before = tokens[first - 1]
        if before.text in (
            "=",
            "return",
            ",",
            "(",
            "?",
            ":",
            "{",
            ";",
            "+=",
            "*=",
            "-=",
            "[",
            "&&",
        ):
            break
        first -= 1
        if before.text in (")", "]", "}"):
            first = source.match[first]
    start, end = tokens[first].start, tokens[index - 1].end
    return [(start, end, f"!({source.text[start:end]})", "branches")]


def _region_changes(source, region):
    if _left_alone(source, region) and region.kind == "statement":
        return []
    if region.kind in ("if", "while"):
        return _condition_changes(source, region)
    if region.kind == "statement":
        return _statement_changes(source, region)
    return []


def _condition_changes(source, region):
    tokens = source.tokens
    first = region.first + 1
    for index in range(region.first + 1, region.last):
        if tokens[index].text == ";" and "{" not in source.words(region.first, index):
            first = index + 1
    words = source.words(first, region.last - 1)
    if "=" in words or (words and words[0] in ("const", "auto")):
        return []  # it declares what it asks
    start, end = tokens[first].start, tokens[region.last - 1].end
    changes = []
    if region.kind == "if":
        changes.append((start, end, f"!({source.text[start:end]})", "branches"))
        changes.append((start, end, "false", "branches"))
    return changes


def _statement_changes(source, region):
    tokens = source.tokens
    words = source.words(region.first, region.last)
    start, end = tokens[region.first].start, tokens[region.last - 1].end
    if words[0] == "continue" or words == ["return", ";"]:
        return [(start, end, "", "removal")]
    if words[0] == "return":
        value = words[1:-1]
        if value in EMPTY or value in (["true"], ["false"], ["*", "this"]):
            return []
        if _holds_text(source, region):
            return []
        return [(tokens[region.first + 1].start, end, "{}", "return")]
    if _holds_text(source, region) or not _can_be_removed(source, region):
        return []
    return [(start, end, "", "removal")]


def _can_be_removed(source, region):
    """Calls and assignments can be; declarations are needed by what follows."""
    tokens = source.tokens
    if tokens[region.first].text in NOT_REMOVED:
        return False
    index = region.first
    if tokens[index].text in ("++", "--", "*", "("):
        return True
    while index <= region.last and (
        tokens[index].kind == "name"
        or tokens[index].text == "::"
        or tokens[index].in_template
        or tokens[index].opens_template
    ):
        if tokens[index].kind == "name" and not tokens[index].in_template:
            following = tokens[index + 1]
            if following.kind == "name":
                return False
        if tokens[index].text == ">" and tokens[index + 1].kind == "name":
            return False
        index += 1
    following = tokens[index].text
    if following in ("&", "*", "&&") and not tokens[index].spaced:
        return False
    return following in ("(", "=", ".", "->", "[", "+=", "-=", "*=", "/=", "|=", "&=", "++", "--")
