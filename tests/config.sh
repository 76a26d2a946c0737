#!/bin/sh
# Usage: config.sh VERSION "MAYBE..." PACKAGE...   Prints config.h: what this build is made of, for --version.
#
# Of the packages MAYBE, which a build can do without, those among PACKAGE get HAVE_NAME: their version as MMmmpp.
version=$1 maybe=$2
shift 2
commit=$(git describe --always --dirty --exclude '*' 2>/dev/null)
echo "#define STORTOP_VERSION \"$version${commit:+ ($commit)}\""
without=
for package in $maybe; do
	case " $* " in
	*" $package "*) pkg-config --modversion "$package" | awk -F. -v name="$package" '{
		printf "#define HAVE_%s %d\n", toupper(name), $1 * 10000 + $2 * 100 + $3 }' ;;
	*) without="$without, no $package" ;;
	esac
done
printf '#define STORTOP_PACKAGES "'
separator=
for package; do
	printf '%s%s %s' "$separator" "$package" "$(pkg-config --modversion "$package")"
	separator=', '
done
echo "$without\""
