#!/bin/sh
# Usage: embed.sh FILE.fio...   Prints the files as C strings: workload_text_NAME, with _ for -.
set -eu
for file; do
	name=$(basename "$file" .fio | tr - _)
	printf 'static const char workload_text_%s[] =\n' "$name"
	sed 's/["\\]/\\&/g; s/.*/\t"&\\n"/' "$file"
	printf '\t;\n'
done
