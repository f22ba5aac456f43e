from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from moot.config.positions import line_of, scan

EVERYTHING = '''\
# a comment with [brackets] and = signs
language = "en"  # [not a table]
"quoted key" = 1
'single "quoted"' = 2
a.b."c d".e = 3

[tables]
text = """
[not.a.table]
key = "inside"
a \\""" quote
""" # after
literal = \'\'\'
don't = 1
\'\'\'\'
when = 1979-05-27 07:32:00
list = [  # one
    "x # no comment",
    { inline = 1, "deep er".still = [1, 2] },
    [ 3,
      4 ],
]
empty = []
inline = { a = 1, b = { c = "}" } }

  [ tables . "below" ]
  x = true
[[items]]
name = "first"
[items.part]
size = 1
[[items]]
name = "second"
[[items.more]]
deep = 1
'''


def test_every_way_to_write_a_key_is_found_on_its_line():
    lines = EVERYTHING.splitlines()

    def at(*path):
        line = scan(EVERYTHING)[path]
        return lines[line - 1].strip()

    assert at("language").startswith("language")
    assert at("quoted key") == '"quoted key" = 1'
    assert at('single "quoted"').endswith("= 2")
    assert at("a", "b", "c d", "e") == 'a.b."c d".e = 3'
    assert at("tables", "text") == 'text = """'
    assert at("tables", "literal").startswith("literal")
    assert at("tables", "when").startswith("when")
    assert at("tables", "list", 0).startswith('"x # no comment"')
    assert at("tables", "list", 1, "deep er", "still", 1).startswith("{ inline")
    assert at("tables", "list", 2) == "[ 3,"
    assert at("tables", "list", 2, 1) == "4 ],"
    assert at("tables", "empty") == "empty = []"
    assert at("tables", "inline", "b", "c").startswith("inline")
    assert at("tables", "below", "x") == "x = true"
    assert at("items", 0, "part", "size") == "size = 1"
    assert at("items", 1, "name") == 'name = "second"'
    assert at("items", 1, "more", 0, "deep") == "deep = 1"
    assert ("tables", "not") not in scan(EVERYTHING)
    assert _paths(tomllib.loads(EVERYTHING)) == set(scan(EVERYTHING))


def test_a_key_that_is_not_there_stands_where_its_table_does():
    assert line_of("x = 1\n[a.b]\nc = 1\n", ("a", "b", "missing", 3)) == 2
    assert line_of("x = 1\n", ("missing",)) is None


def test_windows_line_ends_count_once():
    assert line_of("a = 1\r\n\r\nb = [\r\n 1,\r\n 2]\r\n", ("b", 1)) == 5


words = st.text(st.sampled_from("ab1_-. \"'#[]={}\\\té\n"), max_size=6)
scalars = st.one_of(st.integers(-5, 5), st.booleans(), words, st.floats(-5, 5))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=8
)
documents = st.dictionaries(words, values, max_size=4)


@given(documents, st.randoms(use_true_random=False))
def test_what_tomllib_reads_is_what_the_scanner_finds(document, random):
    text = _write(document, random)
    parsed = tomllib.loads(text)
    assert parsed == document
    assert set(scan(text)) == _paths(parsed)


@given(documents, st.randoms(use_true_random=False))
def test_a_line_number_points_at_its_key(document, random):
    text = _write(document, random)
    lines = text.split("\n")
    for path, line in scan(text).items():
        if isinstance(path[-1], str):
            assert any(form in lines[line - 1] for form in _forms(path[-1]))


def _paths(value, path=()):
    found = {path} if path else set()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        found |= _paths(below, (*path, key))
    return found


def _basic(text):
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


def _forms(text):
    forms = [_basic(text)]
    if "'" not in text and "\n" not in text:
        forms.append(f"'{text}'")
    if text and all(char.isascii() and (char.isalnum() or char in "_-") for char in text):
        forms.append(text)
    return forms


def _write(document, random):
    """Write TOML in a random mix of the ways there are to write it."""
    out = []
    noise = lambda: random.choice(["", "# [x] = 'y'\n", "\n", " \t\n"])  # noqa: E731

    def value(v):
        if isinstance(v, bool):
            return "true" if v else "false"
        if isinstance(v, str):
            forms = [_basic(v)]
            if "\r" not in v:
                forms.append('"""\n' + v.replace("\\", "\\\\").replace('"', '\\"') + '"""')
            if "'" not in v and "\n" not in v:
                forms.append(f"'{v}'")
            if "'" not in v:
                forms.append(f"'''\n{v}'''")
            return random.choice(forms)
        if isinstance(v, list):
            gap = random.choice(["", " ", "\n  ", " # ]\n"])
            tail = random.choice(["", ","]) if v else ""
            return f"[{gap}" + f",{gap}".join(value(x) for x in v) + f"{tail}{gap}]"
        if isinstance(v, dict):
            return "{ " + ", ".join(f"{random.choice(_forms(k))} = {value(x)}" for k, x in v.items()) + " }"
        return repr(v)

    tables = []
    for key, v in document.items():
        form = random.choice(_forms(key))
        if isinstance(v, dict) and random.random() < 0.6:
            tables.append((form, v))
        elif isinstance(v, dict) and v and random.random() < 0.5:
            out += [f"{form} . {random.choice(_forms(k))} = {value(x)}\n" for k, x in v.items()]
        else:
            out.append(f"{noise()}{form} = {value(v)}{random.choice(['', ' # = ['])}\n")
    for form, table in tables:
        out.append(f"{noise()}[ {form} ]\n")
        out += [f"{noise()}{random.choice(_forms(k))}={value(x)}\n" for k, x in table.items()]
    return "".join(out)
