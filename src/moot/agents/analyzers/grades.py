"""Which rules of which tool count, how bad they are and of what kind: one table of ours per tool.

A row is a severity, a category and rules. `NAME*` stands for every rule that begins so; an exact name wins over a
prefix, a longer prefix over a shorter one. `off` rules are never reported; what no row names is off too. Where a tool
can be told what to check, it is told from these rows. A rule is here because it names a real defect and is quiet on
good code (docs/field-notes.md says how that was judged); what that left out stands under each table.
"""

from __future__ import annotations

from collections.abc import Iterator

from moot.agents.analyzers.diagnostic import Grade
from moot.core.findings import Category, Severity

RUFF = """
high    correctness     invalid-syntax F404 F50* F521 F524 F525 F621 F622 F631 F633 F634 F70* F821 F823
high    correctness     B016 B030 PLE* PLW0133 PLW0245 PLW0711 PLW1501 PLW2101 RUF008 RUF016 G101
medium  correctness     F402 F522 F523 F601 F632 F811 F822 F901 B002 B003 B005 B006 B015 B020 B023 B029 B031 B032
medium  correctness     B035 B039 PLW0127 PLW0129 PLW0177 PLW1507 PLW1508 PLR0124 PLR1708 RUF018 RUF024 RUF026 RUF040
medium  correctness     RUF060 RUF064 SIM220 SIM221 SIM222 SIM223 PIE796 FAST003 T100
medium  error-handling  B012 PLE0704 S113
medium  concurrency     ASYNC100 ASYNC105 ASYNC210 ASYNC212 ASYNC250 ASYNC251 RUF006
medium  testing         PGH005
low     correctness     B004 B018 B021 B022 B025 B033 B034 PLC0205 PLW0120 PLW0131 PLW0211 PLW1509 RUF030 RUF032
low     correctness     RUF033 RUF034 PIE794 W605 LOG004 LOG014 PLE251* YTT*
low     concurrency     ASYNC220 ASYNC221 ASYNC222
low     performance     B019 RUF017
low     testing         B017
high    security        S201 S323 S501 S502 S505 S506 S602 S604 S605 PLE2502
medium  security        S102 S103 S202 S301 S302 S305 S306 S307 S308 S503 S504 S507 S508 S509 S601 S609 S610 S611 S612
medium  security        S701 S702
low     security        S104 S304 S312 S321
nit     style           F401 F541 F841 F842
"""
# Left out: S110, S112, BLE001, SIM115 and S608, which our own rules do more exactly; S105 to S107, which detect-secrets
# does; S310, S311, S324, S603, S607, S704 and the import bans, which are about possibilities; B008, B026, B904, B905,
# DTZ, RUF009, RUF012 and everything of form, which are a code base's own conventions.

TY = """
high    correctness     missing-argument unknown-argument too-many-positional-arguments parameter-already-assigned
high    correctness     positional-only-parameter-as-kwarg index-out-of-bounds zero-stepsize-in-slice invalid-await
high    correctness     invalid-raise invalid-exception-caught duplicate-base inconsistent-mro instance-layout-conflict
high    concurrency     unused-awaitable
medium  correctness     division-by-zero
"""
# Left out: everything that depends on the types of what is not there (the rest of the repository, its libraries), and
# what is a matter of annotations.

OXLINT = """
high    correctness     constructor-super for-direction no-class-assign no-dupe-else-if no-func-assign
high    correctness     no-import-assign no-invalid-regexp no-new-native-nonconstructor no-obj-calls no-setter-return
high    correctness     no-this-before-super no-unsafe-negation use-isnan valid-typeof no-unreachable no-global-assign
high    correctness     bad-array-method-on-arguments missing-throw no-accessor-recursion no-invalid-fetch-options
high    correctness     OXL0001 jsx-no-undef rules-of-hooks no-compare-neg-zero
medium  correctness     getter-return no-cond-assign no-constant-binary-expression no-constant-condition no-debugger
medium  correctness     no-delete-var no-dupe-class-members no-dupe-keys no-duplicate-case no-empty-character-class
medium  correctness     no-ex-assign no-loss-of-precision no-misleading-character-class no-self-assign no-sparse-arrays
medium  correctness     no-unassigned-vars no-unsafe-finally no-useless-backreference require-yield no-self-compare
medium  correctness     no-unexpected-multiline array-callback-return no-array-fill-with-reference-type
medium  correctness     bad-char-at-comparison bad-comparison-sequence bad-match-all-arg bad-min-max-func
medium  correctness     bad-object-literal-comparison bad-replace-all-arg const-comparisons erasing-op
medium  correctness     number-arg-out-of-range uninvoked-array-callback misrefactored-assign-op bad-bitwise-operator
medium  correctness     no-duplicate-enum-values no-misused-new no-non-null-asserted-optional-chain
medium  correctness     no-unsafe-declaration-merging no-thenable no-invalid-remove-event-listener
medium  correctness     no-unsafe-optional-chaining jsx-no-duplicate-props no-direct-mutation-state
medium  correctness     void-dom-elements-no-children
medium  concurrency     no-async-promise-executor no-multiple-resolved
medium  security        no-eval no-implied-eval no-new-func jsx-no-script-url no-danger-with-children
low     correctness     no-empty-pattern no-irregular-whitespace double-comparisons approx-constant jsx-key
low     performance     no-await-in-promise-methods no-single-promise-in-promise-methods
nit     style           no-unused-vars no-useless-catch no-unused-labels
"""
# Left out: `no-const-assign`, which points at the declaration, where our own rule points at the assignment; rules that
# need types or the whole program; accessibility; `no-unused-expressions` (test assertions); `exhaustive-deps` (a
# convention many break on purpose); `no-async-endpoint-handlers` (no longer true of Express 5); everything of form.

SHELLCHECK = """
high    correctness     SC1073 SC2050 SC2055 SC2056 SC2057 SC2070 SC2071 SC2077 SC2078 SC2104 SC2105 SC2114 SC2115
high    correctness     SC2168 SC2170 SC2188 SC2199 SC2242 SC2252 SC2283
medium  correctness     SC2024 SC2031 SC2035 SC2038 SC2044 SC2045 SC2053 SC2064 SC2068 SC2069 SC2076 SC2088 SC2089
medium  correctness     SC2090 SC2091 SC2092 SC2093 SC2095 SC2097 SC2098 SC2100 SC2122 SC2124 SC2128 SC2141 SC2144
medium  correctness     SC2145 SC2157 SC2158 SC2160 SC2161 SC2194 SC2206 SC2207 SC2213 SC2214 SC2216 SC2217 SC2218
medium  correctness     SC2225 SC2226 SC2227 SC2229 SC2259 SC2260
medium  error-handling  SC2164 SC2319 SC2320
low     correctness     SC1* SC2* SC3*
off     style           SC1003 SC1007 SC1017 SC1072 SC1090 SC1091 SC1117 SC2001 SC2002 SC2003 SC2004 SC2005 SC2006
off     style           SC2007 SC2009 SC2010 SC2012 SC2015 SC2016 SC2018 SC2019 SC2028 SC2034 SC2059 SC2102 SC2103
off     style           SC2116 SC2119 SC2120 SC2126 SC2129 SC2148 SC2154 SC2155 SC2162 SC2166 SC2181 SC2196 SC2197
off     style           SC2219 SC2223 SC2230 SC2236 SC2237 SC2250 SC2292 SC2295 SC2312 SC2317 SC2329 SC3037 SC3043
"""
# Off: what needs the sourced files (SC1090, SC1091, SC2034, SC2154, SC2329), `local` and `echo -e` in sh, SC1072 (which
# only repeats SC1073), and matters of form.

HADOLINT = """
high    build           DL1000 DL3000 DL3011 DL3012 DL3021 DL3022 DL3023 DL3024 DL3043 DL3044 DL3061
medium  security        DL3002
medium  build           DL3007 DL3014 DL3030 DL3034 DL3038
low     build           DL3004 DL3006 DL3020 DL3025 DL3035 DL3045 DL4003 DL4004 DL4006
nit     performance     DL3009 DL3015 DL3019 DL3032 DL3036 DL3040 DL3042 DL3060
"""
# Left out: pinning every system package (DL3008, DL3013, DL3016, DL3018), which few do and which ages badly; layer
# counting (DL3059), labels, `apt` for `apt-get`, and `cd` instead of WORKDIR.

ZIZMOR = """
high    security        dangerous-triggers template-injection github-env insecure-commands unsound-contains
high    security        hardcoded-container-credentials typosquat-uses unredacted-secrets
medium  security        bot-conditions excessive-permissions overprovisioned-secrets secrets-inherit unsound-condition
medium  security        unsound-ternary insecure-url-scheme github-app dependabot-execution
low     security        cache-poisoning unpinned-uses unpinned-images
nit     security        artipacked obfuscation ref-version-mismatch
"""


class Grades:
    """One tool's table. Raises ValueError when a row does not read."""

    def __init__(self, table: str) -> None:
        self._exact: dict[str, Grade | None] = {}
        self._prefixes: dict[str, Grade | None] = {}
        for severity, category, rules in _rows(table):
            grade = None if severity == "off" else Grade(Severity(severity), Category(category))
            for rule in rules:
                known, name = (self._prefixes, rule[:-1]) if rule.endswith("*") else (self._exact, rule)
                if name in known:
                    raise ValueError(f"{rule} stands twice in a table")
                known[name] = grade

    def of(self, rule: str) -> Grade | None:
        """Return the grade of `rule`, None when it is off."""
        if rule in self._exact:
            return self._exact[rule]
        prefixes = (rule[:length] for length in range(len(rule), 0, -1))
        return next((self._prefixes[p] for p in prefixes if p in self._prefixes), None)

    def reported(self) -> tuple[str, ...]:
        """Return the rules that are on, prefixes without their star."""
        return tuple(name for name, grade in (*self._exact.items(), *self._prefixes.items()) if grade)


def _rows(table: str) -> Iterator[tuple[str, str, list[str]]]:
    for line in table.strip().splitlines():
        severity, category, *rules = line.split()
        yield severity, category, rules
