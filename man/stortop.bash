# bash completion for stortop(1). Options and kinds are taken from --help, so they are those of the program.

_stortop_words() {
	"$1" --help 2>/dev/null | case $2 in
	options) sed -n 's/^  \(-[a-z]\), \(--[a-z-]*\) .*/\1 \2/p; s/^  \(-[a-z]\|--[a-z-]*\) .*/\1/p' ;;
	kinds) sed -n 's/^kinds: *//p' ;;
	esac
}

_stortop_runs() {
	"$1" list runs 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_stortop() {
	local program=$1 current=$2 previous=$3 words=

	case $previous in
	--format) words='pdh tidy json' ;;
	--names) words='kernel mapper wwn' ;;
	--kind) words=$(_stortop_words "$program" kinds) ;;
	--db | --config)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames
		return
		;;
	--capture) words=$(ls /sys/class/net 2>/dev/null) ;;
	--root)
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		compopt -o filenames
		return
		;;
	-d | -n | --filter | --from | --to | --every | --runtime | --ramp | --size | --repeat | --name | --start-at | --destroy | --array-cache) return ;;
	--run) words=$(_stortop_runs "$program") ;;
	report | compare)
		mapfile -t COMPREPLY < <(compgen -f -W "$(_stortop_runs "$program")" -- "$current")
		compopt -o filenames
		return
		;;
	run)
		if [[ $current == -* ]]; then
			words=$(_stortop_words "$program" options)
		else
			words="exec $("$program" list workloads 2>/dev/null | awk 'NR > 1 { print $1 }') $(compgen -f -X '!*.fio' -- "$current")"
		fi
		;;
	decode)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames
		return
		;;
	show) words=$("$program" list workloads 2>/dev/null | awk 'NR > 1 { print $1 }') ;;
	list) words='workloads probes adapters devices mounts sessions columns runs' ;;
	*)
		if [[ $current == -* ]]; then
			words=$(_stortop_words "$program" options)
		elif [[ ${COMP_WORDS[1]} == run && $COMP_CWORD == 3 ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$current")
			compopt -o filenames
			return
		elif [[ $COMP_CWORD == 1 ]]; then
			words='record export run compare report decode show list'
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _stortop stortop
