#!/bin/bash
# Usage: run.sh PROGRAM...   Runs cmocka test programs, one line each; the whole output of those that fail.
#
# Status 1 if any fails or takes longer than TEST_TIMEOUT seconds. STORTOP names the program for tests that start it.
set -u
limit=${TEST_TIMEOUT:-120}
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT

# The numbers of cmocka's closing lines, "[  PASSED  ] 3 test(s)"; a program may have several groups.
count() {
	awk -v line="^\\[ *$1 *\\] [0-9]+ test" '$0 ~ line { sub(/^[^]]*\] /, ""); n += $1 } END { print n + 0 }' "$output"
}

# What the tests said before they were skipped.
reasons() {
	awk '/^\[  SKIPPED \] [^0-9]/ && said !~ /^\[/ { sub(/^ *skipp(ed|ing):? */, "", said); print said }
		{ said = $0 }' "$output" | sort -u | paste -sd ';'
}

passed=0 failed=0 skipped=0
for program; do
	name=${program#*/tests/}
	started=${EPOCHREALTIME/[.,]/}
	timeout -k 5 "$limit" "$program" </dev/null >"$output" 2>&1
	status=$?
	ms=$(((${EPOCHREALTIME/[.,]/} - started) / 1000))
	ok=$(count PASSED) skip=$(count SKIPPED) bad=$(count FAILED)
	[ $status = 0 ] || [ "$bad" != 0 ] || bad=1	# crashed, or ran out of time
	printf '%-28s %4d passed %3d.%03d s' "$name" "$ok" $((ms / 1000)) $((ms % 1000))
	[ "$skip" = 0 ] || printf '   %d skipped: %s' "$skip" "$(reasons)"
	echo
	if [ "$bad" != 0 ]; then
		cat "$output"
		echo "$name: FAILED, status $status$([ $status != 124 ] || echo ": still running after $limit s")"
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
done
echo "tests: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
