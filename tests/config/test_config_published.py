"""What moot ships beside the code: the reference, the schemas, the starter files. None may drift from the model."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib

import pytest
from jsonschema import Draft202012Validator
from pydantic_core import PydanticUndefined

from moot.config import defaults, keys, starter
from moot.config.load import load
from moot.config.model import Config
from moot.config.schema import config_schema, reply_schema, result_schema
from moot.config.tables import leaves, lookup
from moot.core import codec
from moot.core.errors import NotFoundError
from moot.core.replies import SCHEMAS
from moot.core.runs import Coverage, Result, ResultChange, RunStatus, Verdict
from moot.core.turns import Usage

KINDS = ("claude", "codex", "command", "analyzer")
EXAMPLES = {"agents": "opus", "accounts": "anthropic-main", "roles": "security"}


def _path(key):
    return tuple(EXAMPLES[key.path[0]] if part == keys.ANY else part for part in key.path)


def _default(key):
    value = key.field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined:
        return None
    static = lookup(Config().model_dump(mode="json"), key.path)
    return static if static is not None else json.loads(json.dumps(value))


@pytest.mark.parametrize("key", list(keys.all_keys()), ids=lambda key: ".".join(key.path))
def test_every_key_stands_in_the_reference_with_its_default(key):
    in_force = lookup(tomllib.loads(defaults.text()), key.path)
    with_examples = lookup(tomllib.loads(defaults.with_examples()), _path(key))
    default = _default(key)
    assert with_examples is not None
    if default is not None:
        assert with_examples == default
    assert in_force == (default if keys.ANY not in key.path else None)


def test_the_reference_holds_no_key_that_does_not_exist():
    known = {_path(key) for key in keys.all_keys()}
    written = {path for path, _ in leaves(tomllib.loads(defaults.with_examples()))}
    assert written <= known


@pytest.mark.parametrize("key", list(keys.all_keys()), ids=lambda key: ".".join(key.path))
def test_the_reference_says_of_each_key_what_the_model_says(key):
    lines = defaults.text().splitlines()
    number = int(defaults.where(_path(key)).partition(":")[2]) - 1
    comment: list[str] = []
    while lines[number - 1].startswith("# "):
        number -= 1
        comment.insert(0, lines[number][2:])
    assert " ".join(comment) == key.field.description


def test_the_reference_is_a_configuration_with_and_without_its_examples(tmp_path):
    from moot.config.paths import home

    (tmp_path / "security.md").write_text("x")
    (tmp_path / "security-delta.md").write_text("y")
    for text in (defaults.text(), defaults.with_examples()):
        (tmp_path / "config.toml").write_text(text)
        loaded = load(home({"MOOT_HOME": str(tmp_path)}), {"HOME": str(tmp_path)}, kinds=KINDS)
        assert loaded.config.limits == Config().limits


def test_the_schema_of_the_configuration_accepts_what_load_accepts():
    schema = config_schema(KINDS)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(tomllib.loads(defaults.with_examples()))) == []
    for wrong in (
        {"reveiw": {}},
        {"agents": {"x": {"kind": "claud"}}},
        {"limits": {"turn": "20 min"}},
        {"limits": {"turn": 3}},
    ):
        assert list(validator.iter_errors(wrong)), wrong


def test_the_schemas_defaults_are_written_as_people_write_them():
    tables = config_schema(KINDS)["$defs"]
    assert tables["LimitsTable"]["properties"]["turn"]["default"] == "20m"
    assert tables["ChangeTable"]["properties"]["batch"]["default"] == "400KB"


def test_every_key_has_a_description_in_the_schema():
    schema = config_schema(KINDS)
    for table in (schema, *schema["$defs"].values()):
        for name, key in table.get("properties", {}).items():
            assert key.get("description") or "$ref" in key, name


@pytest.mark.parametrize("node", SCHEMAS)
def test_the_schema_of_each_reply_is_published(node):
    schema = reply_schema(node)
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors({}))


def test_a_reply_nobody_gives_has_no_schema():
    with pytest.raises(NotFoundError, match='no structured reply is called "vote"'):
        reply_schema("vote")


def test_the_schema_of_the_result_accepts_a_result():
    schema = result_schema()
    Draft202012Validator.check_schema(schema)
    change = ResultChange("/r", "a", "b", "a", 1, 2, 3, "range", "x → y")
    result = Result(
        run="r1", proceeding="review", status=RunStatus.COMPLETE, verdict=Verdict.APPROVE, verdict_reasons=("fine",),
        change=change, findings=(), dropped=(), seats=(), coverage=Coverage(1, 1), usage=Usage(), artifacts="/a",
        finished_at=dt.datetime(2030, 1, 1, tzinfo=dt.UTC),
    )  # fmt: skip
    data = codec.dump(Result, result)
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(data)) == []
    assert list(validator.iter_errors({**data, "verdict": "maybe"}))


@pytest.mark.parametrize("found", [[], ["claude"], ["claude", "codex"]])
def test_a_starter_file_loads_as_it_is_and_with_everything_in_it_set(place, found):
    text = starter.person_file(found)
    place.user(text)
    assert list(place.load().config.agents) == found
    place.user(re.sub(r"^#(?=[^ \n])", "", text, flags=re.MULTILINE))
    config = place.load().config
    assert set(config.agents) >= {*found, "mine"}
    assert config.review.reviewers == (*found, "analyzers")
    assert config.review.judge == (found[0] if found else "rules")


def test_a_repositorys_starter_file_loads_as_it_is_and_with_everything_in_it_set(place):
    place.repo(starter.repository_file())
    assert place.load().config == Config()
    place.repo(re.sub(r"^#(?=[^ \n])", "", starter.repository_file(), flags=re.MULTILINE))
    loaded = place.load(allowed=lambda _: True)
    assert loaded.config.review.checks == ("make test",)
    assert loaded.notices == ()
