#!/usr/bin/env bash
# Does tests/structure/check.sh find what it is there for? Faults are planted, one at a time, into a copy of
# the sources that has none.
#
#   planted.sh ROOT RULES OBJECTS CC
set -euo pipefail
[ $# -eq 4 ] || {
    echo "usage: planted.sh ROOT RULES OBJECTS CC" >&2
    exit 2
}
check=$(dirname "$0")/check.sh
rules=$2 objects=$3 cc=$4
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
(cd "$1" && find */ -path 'tests/*' -prune -o \( -name '*.[ch]' -o -name CMakeLists.txt \) -print0 |
    xargs -0 cp --parents -t "$tree")

# plant FILE LINE...: writes it.
planted=()
plant() {
    mkdir -p "$(dirname "$tree/$1")"
    printf '%s\n' "${@:2}" >"$tree/$1"
    planted+=("$tree/$1")
}

# finds LINE: all that the check says is this, and the planted files go again.
failed=0
finds() {
    local said
    said=$("$check" "$tree" "$rules" "$objects") && failed=1
    if [ "$said" != "$1" ]; then
        printf 'expected: %s\nsaid: %s\n' "$1" "$said"
        failed=1
    fi
    rm -f "${planted[@]}"
    planted=()
}

"$check" "$tree" "$rules" "$objects" || {
    echo "the tree has faults before any is planted"
    exit 1
}

plant base/planted_a.h '#include "base/planted_b.h"'
plant base/planted_b.h '#include "base/planted_a.h"'
finds "base/planted_a.h: circle of headers: base/planted_a.h -> base/planted_b.h -> base/planted_a.h"

plant base/planted_a.c 'int planted_b(void);' 'int planted_a(void) { return planted_b(); }'
plant base/planted_b.c 'int planted_a(void);' 'int planted_b(void) { return planted_a(); }'
all=$objects objects=$tree/objects
cp "$all" "$objects"
for unit in a b; do
    "$cc" -c "$tree/base/planted_$unit.c" -o "$tree/base/planted_$unit.c.o"
    echo "$tree/base/planted_$unit.c.o" >>"$objects"
done
finds "base/planted_a.c: circle of translation units: base/planted_a.c -> base/planted_b.c (planted_b)\
 -> base/planted_a.c (planted_a)"
objects=$all

plant results/stats/planted.c '#include "topology/link.h"'
finds "results/stats/planted.c: includes topology/link.h, but results/stats may not include topology"

plant base/planted.h 'struct planted {' '    int x;' '};'
plant device/planted.h 'struct planted {' '    int x;' '};'
finds "device/planted.h: defines struct planted, as base/planted.h does"

plant plots/planted.h '#include <mpi.h>'
finds "plots/planted.h: sees mpi.h, which plots may not: plots/planted.h"

plant topology/planted.h '#include "topology/planted_b.h"'
plant topology/planted_b.h '#include <mpi.h>'
plant comm/ranks/planted.c '#include <mpi.h>' # here it may
finds "topology/planted.h: sees mpi.h, which topology may not: topology/planted.h -> topology/planted_b.h
topology/planted_b.h: sees mpi.h, which topology may not: topology/planted_b.h"

plant plots/planted.c '/* As base/ledger.h and plots/gone.h say. */'
finds "plots/planted.c: speaks of plots/gone.h, which is not there"

plant base/planted/planted.c
finds "base/planted: has no row in the rules"

for i in {1..16}; do
    plant "device/planted_$i.h"
done
n=$(find "$tree/device" -maxdepth 1 -name '*.[ch]' | wc -l)
finds "device: has $n files, more than 15, and no reason for it in the rules"

sed 's,^base:,& bench/gone results/stats,' "$rules" >"$tree/rules.txt"
rules=$tree/rules.txt
finds "base: circle of folders: base -> results/stats -> base
base: may include bench/gone, which has no row in the rules"
exit $failed
