#!/bin/sh
# A reviewer for moot that answers in prose: names every unfinished place that a change adds.
awk '
    /^## /                                      { path = $2 }
    /^ *[0-9]+ [+][|].*(TODO|FIXME|XXX)/        { print "- " path ": line " $1 " is unfinished: " substr($0, index($0, "|") + 1) }
    END                                         { print "\nI searched the whole change for TODO, FIXME and XXX." }
' "$MOOT_CHANGE_FILE"
