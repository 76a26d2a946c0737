#!/bin/bash
# Usage: setup.sh GROUP...   Sees to it that the packages of these groups are there: build, test, check, fuzz.
#
# Says nothing where all is there. Otherwise it names what is missing, and on Debian and Ubuntu installs it (asking
# first on a terminal); elsewhere it says what the packages are called and ends with status 1.
set -u
shopt -s extglob

# group, how to find it (pc: pkg-config, hdr: a header, cmd: a command, want: a command that tests can do without, maybe:
# pkg-config, for what a build can do without), then its packages by packager. Servers among them are for tests, which start their own: see servers_stay_off.
packages() {
	cat <<-'EOT'
	build cmd:cc           gcc,libc6-dev    gcc                gcc               gcc          gcc,musl-dev
	build cmd:pkg-config   pkg-config       pkgconf-pkg-config pkgconf-pkg-config pkgconf     pkgconf
	build pc:ncursesw      libncurses-dev   ncurses-devel      ncurses-devel     ncurses      ncurses-dev
	build pc:libstatgrab   libstatgrab-dev  libstatgrab-devel  libstatgrab-devel libstatgrab  libstatgrab-dev
	build pc:sqlite3       libsqlite3-dev   sqlite-devel       sqlite3-devel     sqlite       sqlite-dev
	build pc:inih          libinih-dev      inih-devel         libinih-devel     libinih      inih-dev
	build pc:jansson       libjansson-dev   jansson-devel      libjansson-devel  jansson      jansson-dev
	build pc:blkid         libblkid-dev     libblkid-devel     libblkid-devel    util-linux-libs util-linux-dev
	build pc:liburing      liburing-dev     liburing-devel     liburing-devel    liburing     liburing-dev
	build pc:libpcap       libpcap-dev      libpcap-devel      libpcap-devel     libpcap      libpcap-dev
	build maybe:libnfs     libnfs-dev       libnfs-devel       libnfs-devel      libnfs       libnfs-dev
	build maybe:libiscsi   libiscsi-dev     libiscsi-devel     libiscsi-devel    libiscsi     libiscsi-dev
	build hdr:libaio.h     libaio-dev       libaio-devel       libaio-devel      libaio       libaio-dev
	test  pc:cmocka        libcmocka-dev    libcmocka-devel    libcmocka-devel   cmocka       cmocka-dev
	test  want:bindfs      bindfs           bindfs             bindfs            bindfs       bindfs
	test  want:rpcbind     rpcbind          rpcbind            rpcbind           rpcbind      rpcbind
	test  want:ganesha.nfsd nfs-ganesha,nfs-ganesha-vfs nfs-ganesha,nfs-ganesha-vfs nfs-ganesha,nfs-ganesha-vfs nfs-ganesha nfs-ganesha
	test  want:tgtd        tgt              scsi-target-utils  tgt               tgt          tgt
	check cmd:clang-tidy   clang-tidy       clang-tools-extra  clang-tools       clang        clang-extra-tools
	check cmd:cppcheck     cppcheck         cppcheck           cppcheck          cppcheck     cppcheck
	check cmd:mandoc       mandoc           mandoc             mandoc            mandoc       mandoc
	check clang:thread     clang,libclang-rt-dev clang,compiler-rt clang         clang,compiler-rt clang,compiler-rt
	fuzz  clang:fuzzer     clang,libclang-rt-dev clang,compiler-rt clang         clang,compiler-rt clang,compiler-rt
	EOT
}

# Is it there? $1 as in the second column above.
present() {
	case $1 in
	cmd:cc) command -v "${CC:-cc}" >/dev/null ;;
	cmd:*) command -v "${1#*:}" >/dev/null ;;
	want:*) PATH=$PATH:/usr/sbin:/sbin command -v "${1#*:}" >/dev/null ;;
	hdr:*) echo "#include <${1#*:}>" | "${CC:-cc}" -E - >/dev/null 2>&1 ;;
	pc:* | maybe:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
	clang:thread) echo 'int main(void) { return 0; }' | clang -fsanitize=thread -x c -o /dev/null - 2>/dev/null ;;
	clang:fuzzer) echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null ;;
	esac
}

# Prints the packages of the groups given that are missing here; $1 is the packager's column, 1 to 5, and $2 a pattern
# of what may stay missing.
missing() {
	local column=$1 except=$2 group what names
	shift 2
	while read -r group what names; do
		case " $* " in *" $group "*) ;; *) continue ;; esac
		[[ $what != $except ]] || continue
		present "$what" || echo "$names" | awk -v c="$column" '{ gsub(",", " ", $c); print $c }'
	done < <(packages) | sort -u
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

# A server that came for the tests alone does not run because of that, neither now nor after a boot.
servers_stay_off() {
	local policy=/usr/sbin/policy-rc.d package status
	[[ " $* " =~ \ (rpcbind|nfs-ganesha|tgt)\  ]] || { apt_install "$@"; return; }
	[ -e $policy ] && policy= || as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy"
	apt_install "$@"
	status=$?
	[ -z "$policy" ] || as_root rm -f $policy
	for package; do
		case $package in
		rpcbind) as_root systemctl disable -q rpcbind.socket rpcbind ;;
		nfs-ganesha | tgt) as_root systemctl disable -q "$package" ;;
		esac
	done 2>/dev/null
	return $status
}

apt_install() {
	# Lists that are not there yet, or too old to find the files they name.
	if ! apt-cache show "$@" >/dev/null 2>&1 || ! apt_get install "$@"; then
		apt_get update && apt_get install "$@"
	fi
}

apt_get() {
	local verb=$1
	shift
	[ "$verb" = update ] || set -- -y --no-install-recommends "$@"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$verb" "$@"
}

for i in apt-get:1 dnf:2 zypper:3 pacman:4 apk:5; do
	command -v "${i%:*}" >/dev/null && break
done
packager=${i%:*}
column=${i#*:}
except=
[ "$packager" = apt-get ] || except='@(want|maybe):*'
names=$(missing "$column" "$except" "$@")
[ -n "$names" ] || exit 0

echo "missing packages:" $names
if [ "$packager" != apt-get ]; then
	case $packager in
	dnf | zypper) verb=install ;;
	pacman) verb=-S ;;
	apk) verb=add ;;
	esac
	command -v "$packager" >/dev/null && echo "install them with: $packager $verb" $names
	exit 1
fi
answer=y
[ ! -t 0 ] || read -r -p "install them with apt-get now? [Y/n] " answer
case $answer in
[nN]*) ;;
*) servers_stay_off $names || echo "could not install:" $names >&2 ;;
esac
[ -z "$(missing "$column" '@(want|maybe):*' "$@")" ]
