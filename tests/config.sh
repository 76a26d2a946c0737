#!/bin/sh
# Usage: config.sh VERSION PACKAGE...   Prints config.h: what this build is made of, for --version.
version=$1
shift
commit=$(git describe --always --dirty --exclude '*' 2>/dev/null)
echo "#define STORTOP_VERSION \"$version${commit:+ ($commit)}\""
printf '#define STORTOP_PACKAGES "'
for package; do
	printf '%s%s %s' "$separator" "$package" "$(pkg-config --modversion "$package")"
	separator=', '
done
echo '"'
