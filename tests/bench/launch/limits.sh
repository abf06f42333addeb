#!/usr/bin/env bash
# Whatever is limited, a run ends at once, either well or with exit code 3 and an error that names the limit.
#
#   limits.sh SPBENCH     (an absolute path); 77 where nothing can be tried
set -u
spbench=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" && mkdir -m 1777 "$work/tmp" || exit 1
export TMPDIR=$work/tmp
failures=0 ended=
layer=(-n 2 attn --model tiny --seq 64 --max-time 50ms --max-warmup 10ms --link-rates off)

"$spbench" info | grep -q '^mpi .*MPICH' || {
    echo "limits.sh: how other MPIs end is not known; skipped"
    exit 77
}

# try NAMES COMMAND...: counts in $ended how it ended.
try() {
    local names=$1 code=0
    shift
    timeout -k 5 60 "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    ended+=" $code"
    if [ $code -ne 0 ] && ! { [ $code -eq 3 ] && grep -q "^spbench.*error: .*$names" "$work/err"; }; then
        failures=$((failures + 1))
        echo "FAILED: exit code $code of: $*"
        tail -n 5 "$work/err"
    fi
}

# Both ends were seen.
refuses_and_runs() {
    case " $ended " in *' 3 '*' 0 '*) ;; *)
        failures=$((failures + 1))
        echo "FAILED: under $1 runs ended with$ended"
        ;;
    esac
    ended=
}

# From where the program can just be loaded.
kib=65536
while ! (ulimit -v $kib && "$spbench" --version) >/dev/null 2>&1; do
    kib=$((kib + 4096))
done
for more in 0 8 24 64 128 192 256 512 1024 2048; do
    try 'ulimit -v' bash -c 'ulimit -v "$1" && exec "${@:2}"' - $((kib + more * 1024)) "$spbench" "${layer[@]}"
done
refuses_and_runs 'ulimit -v'

# Root may start as many as it likes.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${as_nobody[@]}" "$spbench" --version >/dev/null 2>&1; then
    for processes in 3 4 6 7 8 9 10 11 12 14 20; do
        try 'ulimit -u' "${as_nobody[@]}" bash -c 'ulimit -u "$1" && exec "${@:2}"' - $processes "$spbench" "${layer[@]}" --threads 3
    done
    refuses_and_runs 'ulimit -u'
fi

if unshare --mount true 2>/dev/null; then
    for size in 16k 256k 4m 64m; do
        try '/dev/shm' unshare --mount bash -c 'mount -t tmpfs -o size="$1" tmpfs /dev/shm && exec "${@:2}"' - $size "$spbench" "${layer[@]}"
    done
    refuses_and_runs '/dev/shm'
fi
exit $((failures > 0))
