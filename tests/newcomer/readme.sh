#!/usr/bin/env bash
# The examples of README.md as a reader runs them: every block of ```sh, one after the other, in a folder
# that looks like the source tree after scripts/quickstart.
#
#   readme.sh SOURCE_DIR BUILD_DIR [BLOCK]...     (absolute paths; numbers of blocks, else all)
#
# In front of a block may stand
#   <!-- test: skip, REASON -->     it is not run, which only SKIPS blocks may ask for
#   <!-- test: exits N... -->       besides 0, its last command may exit with these
set -u
source=$1 build=$2
shift 2
readonly SKIPS=4 LIMIT_S=300
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $1"
}

# Block N in $work/N.sh, what its marker says in $work/N.test.
awk -v dir="$work" '
    /^<!-- test: .* -->$/ { marker = substr($0, 12, length($0) - 15); next }
    /^```/ {
        inside = !inside
        file = inside && $0 == "```sh" ? dir "/" ++n : ""
        if (file != "") print marker >(file ".test")
    }
    inside && !/^```/ && file != "" { print >(file ".sh") }
    !inside && /^(    |\t)/ { exit 1 }
    { marker = "" }
' "$source/README.md" || complain "README.md has code that is not in a block"
blocks=$(ls "$work" | grep -c '\.sh$')
[ "$blocks" -ge 12 ] || complain "only $blocks blocks were found"
[ "$(grep -l '^skip' "$work"/*.test | wc -l)" -le $SKIPS ] || complain "more than $SKIPS blocks are skipped"

mkdir -p "$work/tree/build" "$work/home"
ln -s "$source/scripts" "$work/tree/scripts"
ln -s "$build" "$work/tree/build/release"
ln -s build/release/bench/spbench "$work/tree/spbench"
cd "$work/tree" || exit 1
export HOME=$work/home

run_block() {
    local marker start=$SECONDS code=0
    marker=$(cat "$work/$1.test")
    case $marker in skip*) return ;; esac
    timeout -k 5 $LIMIT_S bash -e "$work/$1.sh" >"$work/out" 2>&1 </dev/null || code=$?
    printf '%3d s  %s\n' $((SECONDS - start)) "$(head -n 1 "$work/$1.sh")"
    case " 0 ${marker#exits} " in *" $code "*) return ;; esac
    complain "block $1 ended with $code:"
    cat "$work/$1.sh"
    tail -n 20 "$work/out"
}

for block in ${*:-$(seq "$blocks")}; do
    run_block "$block"
done

# What it refers to is there.
for file in $(grep -oE '\]\([^)#:]+' "$source/README.md" | cut -c 3-); do
    [ -e "$source/$file" ] || complain "there is no $file"
done
exit $((failures > 0))
