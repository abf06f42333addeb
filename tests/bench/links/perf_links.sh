#!/usr/bin/env bash
# Measured beside predicted exchange times on hosts that this machine pretends to be, and what a placement
# is worth there. Prints; only "ctest -C perf -L perf" runs it. usage: perf_links.sh SCRIPT SPBENCH
set -u
cluster=$1 spbench=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
shape=(--heads 32 --kv-heads 8 --head-dim 128 --seq 1k)

# run RATE ARGUMENTS...: records into $dir/out.
run() {
    timeout 120 "$cluster" --spbench "$spbench" --hosts 2 --ranks 2 --rate "$1" -- "${@:2}" -o jsonl >"$dir/out" 2>"$dir/err"
    local rc=$?
    [ $rc -eq 0 ] || { cat "$dir/err"; exit $rc; }
}

# The first value called so in a record.
value() {
    grep -o "\"$2\":[^,}]*" <<<"$1" | head -n 1 | cut -d : -f 2 | tr -d '"'
}

# Milliseconds, and predicted over measured.
row() {
    awk -v name="$1" -v measured="$2" -v predicted="$3" -v tokens="$4" 'BEGIN {
        printf "    %-40s %9.2f ms %9.2f ms  %5.2f  %s\n", name, 1e3 * measured, 1e3 * predicted, predicted / measured, tokens }'
}

rows() {
    local record measured tokens
    while read -r record; do
        measured=$(value "$record" comm_only_s) tokens=$(value "$record" tokens_per_s)
        [ -n "$measured" ] || measured=$(value "$record" median)
        row "$1 $(value "$record" "${2:-op}") sp $(value "$record" sp_size) $(value "$record" placement) $(value "$record" inner)" \
            "$measured" "$(value "$record" predicted_comm_s)" "${tokens:+${tokens%.*} tokens/s}"
    done <"$dir/out"
}

for rate in 1gbit 4gbit; do
    run $rate comm --op pairs --bytes 4m --max-time 4s
    echo "$rate: pairs across hosts, each 4 MiB message one way, in GB/s (the rate is $(awk "BEGIN { print ${rate%gbit} / 8 }")):" \
        "$(grep -o '"class":"network","isolated":{[^}]*' "$dir/out" | grep -o '"gb_s":[0-9.]*' | cut -c 8-12 | tr '\n' ' ')"
    printf '    %-40s %12s %12s  %5s\n' "" exchange predicted ratio
    run $rate comm --op ring,ulysses "${shape[@]}" --sp 2,4 --placement sp-inner,sp-outer --max-time 1s
    rows comm
    run $rate comm --op ulysses,usp "${shape[@]}" --ulysses-size 2 --inner ulysses,ring --max-time 1s
    rows comm
    grep -h 'straddles' "$dir/err" | fold -s -w 110 | sed 's/^/        /'
    run $rate attn --core-only --method ring,ulysses "${shape[@]}" --sp 2 --placement sp-inner,sp-outer --max-time 4s
    rows attn method
    run $rate attn --core-only --method ulysses,usp "${shape[@]}" --ulysses-size 2 --max-time 4s
    rows attn method
done
