#!/usr/bin/env bash
# Sets `spbench comm --op alltoall --mpi-algo alltoall` beside an independent program, run by run in turn.
# usage: compare_alltoall.sh SPBENCH REFERENCE MPIEXEC [RUNS]
# Prints per size both medians and the median of the runs' ratios; fails if one from 64 KiB up is beyond 15%.
set -euo pipefail
spbench=$1 reference=$2 mpiexec=$3 runs=${4:-5}
sizes="1024 4096 16384 65536 262144 1048576 4194304 16777216"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for ((run = 0; run < runs; run++)); do
    # Pinned as spbench pins: one core per rank.
    "$mpiexec" -bind-to core -n 2 "$reference" $sizes | sed "s/^/$run /" >>"$dir/reference"
    "$spbench" -n 2 comm --op alltoall --transport mpi --mpi-algo alltoall --bytes "${sizes// /,}" --rel-ci 1% \
        --max-time 2s -o csv 2>/dev/null >"$dir/csv"
    awk -F, -v run=$run '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { print run, $column["params.bytes"], $column["metrics.time_s.median"] }' "$dir/csv" >>"$dir/spbench"
done
awk '
    function median(list, n,   i, j, x, v) {
        split(list, v, " ")
        for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] + 0 < v[j-1] + 0; j--) { x = v[j]; v[j] = v[j-1]; v[j-1] = x }
        return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    FNR == NR { reference[$1, $2] = $3; refs[$2] = refs[$2] " " $3; next }
    { ours[$2] = ours[$2] " " $3; ratios[$2] = ratios[$2] " " $3 / reference[$1, $2]; n[$2]++; if (!($2 in seen)) { seen[$2]; order[++sizes] = $2 } }
    END {
        printf "%10s  %14s  %14s  %6s\n", "bytes", "spbench [us]", "reference [us]", "ratio"
        for (i = 1; i <= sizes; i++) {
            s = order[i]; r = median(ratios[s], n[s])
            printf "%10d  %14.2f  %14.2f  %6.3f\n", s, 1e6 * median(ours[s], n[s]), 1e6 * median(refs[s], n[s]), r
            if (s >= 65536 && (r < 0.85 || r > 1.15)) bad = 1
        }
        exit bad
    }' "$dir/reference" "$dir/spbench"
