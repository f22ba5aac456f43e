"""What a configuration names by path is looked for beside it, never where an agent will run."""

from __future__ import annotations


def test_a_script_beside_the_configuration_is_that_file_and_other_words_stay(place):
    script = place.user("print('hello')\n", "reviewer.py")
    place.user(
        """
        [agents.mine]
        kind = "command"
        command = ["python3", "reviewer.py", "--base", "{base}", "~/notes", "missing.py", "/usr/bin/env"]
        """
    )
    told = place.load().config.agents["mine"].command
    assert told == (
        "python3", str(script), "--base", "{base}", str(place.folder / "notes"), "missing.py", "/usr/bin/env",
    )  # fmt: skip


def test_a_script_of_the_repository_is_not_looked_for_on_the_disk(place):
    place.repo("print('hello')\n", "reviewer.py")
    place.repo('[agents.mine]\nkind = "command"\ncommand = ["python3", "reviewer.py"]\n')
    assert place.load(allowed=lambda _: True).config.agents["mine"].command == ("python3", "reviewer.py")
