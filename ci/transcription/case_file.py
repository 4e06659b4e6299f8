"""Reads a case file and writes its tables.

Comments and order survive: only the tables that are filled change.
"""

import re
import tomllib

# Authorities have about this many columns, too.
WIDTH = 150
AUTHORITY_KEYS = ("compiler", "version", "flags", "from")


class Case:
    """One case file."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.data = tomllib.loads(self.text)

    @property
    def declare(self):
        return self.data["declare"]

    @property
    def order(self):
        """Default order of matrices: `row` or `column`."""
        return self.data.get("matrix", "column")

    @property
    def sixteen_bit(self):
        """True if `half` and the promoted minimum-precision types take 2 bytes."""
        return self.data.get("sixteen_bit", True)

    def table(self, kind, rules):
        return self.data.get(kind, {}).get(rules)

    def put(self, kind, rules, lines):
        """Replaces or appends the table `[kind.rules]`."""
        self.put_table(f"[{kind}.{quoted(rules)}]", lines)

    def put_table(self, header, lines):
        """Replaces or appends the table with this header."""
        block = "\n".join([header, *lines]) + "\n"
        pattern = re.compile(re.escape(header) + r"\n.*?(?=^\[|\Z)", re.S | re.M)
        found = pattern.search(self.text)
        if found:
            tail = "\n" if found.end() < len(self.text) else ""
            self.text = self.text[: found.start()] + block + tail + self.text[found.end() :]
        else:
            self.text = self.text.rstrip("\n") + "\n\n" + block

    def save(self):
        tomllib.loads(self.text)
        self.path.write_text(self.text, encoding="utf-8")


def quoted(key):
    return key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'


def inline(values):
    """A table of numbers on one line."""
    return "{ " + ", ".join(f'"{path}" = {value}' for path, value in values.items()) + " }"


def authority_line(authority):
    parts = [f'{key} = "{authority[key]}"' for key in AUTHORITY_KEYS if authority.get(key)]
    return "authority = { " + ", ".join(parts) + " }"


def layout_lines(layout):
    """The lines of an expectation, without its authority."""
    lines = []
    for name in ("offsets", "strides", "matrix_strides", "sizes"):
        values = getattr(layout, name)
        if values:
            lines.extend(wrapped(name, values))
    return lines


def wrapped(name, values):
    """`name = { ... }`; a table that is too long for one line gets dotted keys, one per line."""
    line = f"{name} = {inline(values)}"
    if len(line) <= WIDTH:
        return [line]
    return [f'{name}."{path}" = {value}' for path, value in values.items()]
