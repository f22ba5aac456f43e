from __future__ import annotations

import stat
import subprocess
import sys

import pytest

from moot.config.paths import home, private_directory
from moot.config.peek import ledger_url
from moot.core.errors import ConfigError


def test_moot_home_moves_every_file(tmp_path):
    places = home({"MOOT_HOME": str(tmp_path / "m")})
    assert places.config_file == tmp_path / "m" / "config.toml"
    for path in (places.data, places.cache, places.runs, places.ledger_file, places.stores, places.checkouts):
        assert path.is_relative_to(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_relative_moot_home_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert home({"MOOT_HOME": "m"}).data == tmp_path / "m"


@pytest.mark.skipif(sys.platform != "linux", reason="XDG directories are Linux's")
def test_without_it_the_platforms_directories_hold(tmp_path, monkeypatch):
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    places = home({"MOOT_HOME": ""})
    assert places.config_file == tmp_path / "config" / "moot" / "config.toml"
    assert places.ledger_file == tmp_path / "data" / "moot" / "ledger.db"
    assert places.cache == tmp_path / "cache" / "moot"


def test_directories_are_for_the_person_alone_parents_included(tmp_path):
    made = private_directory(tmp_path / "a" / "b" / "c")
    assert private_directory(made) == made
    for path in (made, made.parent, made.parent.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_file_in_the_way_of_a_directory_is_an_error(tmp_path):
    (tmp_path / "a").write_text("x")
    with pytest.raises(OSError):
        private_directory(tmp_path / "a" / "b")


@pytest.mark.parametrize(
    ("user", "environ"),
    [
        ("", {}),
        ('[ledger]\nurl = "x.db"\n', {}),
        ('include = ["team.toml"]\n', {}),
        ('include = ["team.toml"]\n[ledger]\nurl = "postgresql://db/moot"\n', {}),
        ('[ledger]\nurl = "x.db"\n', {"MOOT_LEDGER__URL": "postgresql://other/moot"}),
        ('[ledger]\nurl = "x.db"\n', {"MOOT_LEDGER__URL": ""}),
        ('[vars]\nd = "{{ env.DIR }}"\n[ledger]\nurl = "{{ vars.d }}/x.db"\n', {"DIR": "/data"}),
        ('[ledger]\nurl = "~/x.db"\n', {}),
    ],
)
def test_the_ledger_is_found_where_the_whole_configuration_says(place, user, environ):
    place.user('[ledger]\nurl = "team.db"\n', "team.toml")
    place.user(user)
    place.environ |= environ
    place.repo('[ledger]\nurl = "theirs.db"\n')
    found = ledger_url(place.home, {"HOME": str(place.folder), **place.environ})
    assert found == (place.load().config.ledger.url or str(place.home.ledger_file))


def test_the_ledger_is_not_guessed_from_a_broken_file(place):
    place.user("[ledger\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        ledger_url(place.home, {})


def test_light_commands_do_not_pay_for_pydantic():
    code = (
        "import sys, moot.config.peek, moot.config.paths; print([m for m in sys.modules if m.startswith('pydantic')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
