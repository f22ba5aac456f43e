"""The environment a process of moot's starts with: an allow-list of the person's, and git made safe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from moot.core.errors import ConfigError

ALLOWED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    }
)
ALLOWED_PREFIXES = ("LC_", "XDG_")

# Who holds one of these can post, push or merge as the person. No agent may, however it is configured.
FORGE_ACCESS = frozenset(
    {
        *("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_PAT"),
        *("HOMEBREW_GITHUB_API_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
        *("GITLAB_TOKEN", "GL_TOKEN", "CI_JOB_TOKEN", "BITBUCKET_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN"),
        *("SSH_AUTH_SOCK", "SSH_ASKPASS", "GIT_ASKPASS"),
    }
)

# Which programs a repository's own configuration could make git run, and how that is closed: measured, see
# https://git-scm.com/docs/git-config for the keys. A configured external diff or filter cannot be closed here: moot's
# own calls pass --no-ext-diff and --no-textconv, and nobody writes into .git.
SAFE_GIT: Mapping[str, str] = {
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "/dev/null",
    "GIT_CONFIG_KEY_2": "safe.bareRepository",
    "GIT_CONFIG_VALUE_2": "explicit",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def base_environment(environ: Mapping[str, str], pass_env: Iterable[str] = ()) -> dict[str, str]:
    """Return what a process may see of the person's environment, with git made safe.

    Args:
        environ: the person's environment.
        pass_env: names of further variables to hand on; those not set are skipped.

    Raises:
        ConfigError: `pass_env` names a variable that gives access to a forge.
    """
    wanted = set(pass_env)
    for name in sorted(wanted):
        if name.upper() in FORGE_ACCESS:
            raise ConfigError(
                f"{name} gives access to a forge, which no agent may have",
                where="pass_env",
                next_step=f"remove {name} from pass_env",
            )
    kept = {
        name: value
        for name, value in environ.items()
        if name in ALLOWED or name.startswith(ALLOWED_PREFIXES) or name in wanted
    }
    if "PATH" in kept:
        kept["PATH"] = absolute_path(kept["PATH"])
    return {**kept, **SAFE_GIT}


def absolute_path(value: str) -> str:
    """Return a PATH without entries relative to the working directory (`.`, `bin`, an empty one).

    They would let the repository under review say which program is meant.
    """
    return os.pathsep.join(entry for entry in value.split(os.pathsep) if os.path.isabs(entry))
