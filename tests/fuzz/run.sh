#!/bin/bash
# Usage: run.sh BUILD SECONDS   Runs each fuzzer of BUILD/tests/fuzz that long, from tests/fuzz/corpus/NAME where there
# is one. What it finds is kept below BUILD/corpus/NAME, an input that breaks it as BUILD/crash-NAME-*. Status 1 if one did.
set -u
build=$1 seconds=$2 status=0
for program in "$build"/tests/fuzz/fuzz_*; do
	[[ -x $program && ! $program =~ \.[od]$ ]] || continue
	name=${program##*/fuzz_}
	mkdir -p "$build/corpus/$name"
	seeds=tests/fuzz/corpus/$name
	[ -d "$seeds" ] || seeds=
	if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
		-artifact_prefix="$build/crash-$name-" "$build/corpus/$name" $seeds >"$build/$name.log" 2>&1; then
		awk -v name="$name" '/number_of_executed_units/ { runs = $2 } / cov: / { sub(/.* cov: /, ""); cov = $1 }
			END { printf "%-24s %10d runs  %6d edges\n", name, runs, cov }' "$build/$name.log"
	else
		tail -n 40 "$build/$name.log"
		echo "$name: FAILED"
		status=1
	fi
done
exit $status
