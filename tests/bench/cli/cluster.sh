#!/usr/bin/env bash
# Exchanges between hosts that one machine pretends to be: the only place where `hybrid` and `network`
# are real. usage: cluster.sh SCRIPT SPBENCH; 77 where it cannot run.
set -u
cluster=$1 spbench=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

die() {
    echo "cluster.sh: $1"
    cat "$dir"/out "$dir"/err 2>/dev/null | tail -40
    exit 1
}

run() {
    timeout 90 "$cluster" --spbench "$spbench" "$@" >"$dir/out" 2>"$dir/err"
}

# Of runs that are over; others may be running.
leftovers() {
    local name pid
    for name in $( (ip -o link show; ip netns list; ls "${TMPDIR:-/tmp}") | grep -oE '^([0-9]+: )?spb[0-9]+[a-z.]' | sed 's/.* //'); do
        pid=${name//[a-z.]/}
        kill -0 "$pid" 2>/dev/null || echo "$name"
    done
    grep -lzsx "[s]pb${1-none}br" /proc/[0-9]*/cmdline
}

[ -z "$(leftovers)" ] || "$cluster" --clean

run --hosts 3 --ranks 1 --rate 10gbit -- topo -o json
rc=$?
if [ $rc -eq 77 ]; then
    cat "$dir/err"
    exit 77
fi
[ $rc -eq 0 ] || die "topo ended with $rc"
[ "$(grep -c '"class": "network"' "$dir/out")" -eq 3 ] || die "three hosts are not three network links"

run --hosts 2 --ranks 1 --rate 10gbit -- comm --op alltoall --bytes 1k --max-samples 8
rc=$?
[ $rc -eq 2 ] || die "what the ranks find wrong with the options ended with $rc"

run --hosts 2 --ranks 2 --rate 10gbit -- comm --op ulysses,ring,allgather,reduce-scatter \
    --heads 16 --kv-heads 4 --head-dim 16 --seq 512 --pass fwdbwd --max-time 200ms -o jsonl ||
    die "comm ended with $?"
[ "$(wc -l <"$dir/out")" -eq 4 ] || die "not four records"
[ "$(grep -c '"transport":"hybrid"' "$dir/out")" -eq 4 ] || die "not all exchanges went over hybrid"
[ "$(grep -c '"sp_worst_link":"network"' "$dir/out")" -eq 4 ] || die "the network does not appear as a link"
predicted='"predicted_comm_s":.*"sp_best_link":"s[ah].*"sp_link_gb_s":.*"link_rates":"probe"'
[ "$(grep -c "$predicted" "$dir/out")" -eq 4 ] || die "not all exchange times are predicted"
grep -q 'ulysses: .*--ulysses-size 2 --inner ulysses keeps' "$dir/err" || die "there is no advice for ulysses"
[ "$(grep -c '"status":"ok"' "$dir/out")" -eq 4 ] || die "not all are verified"

# Packed copies are for ranks of the other host alone, which the formula must know.
as_predicted() {
    grep -oE '"(peak|predicted)_mem_bytes":[0-9]+' "$dir/out" | cut -d: -f2 | paste - - >"$dir/memory"
    [ "$(wc -l <"$dir/memory")" -eq "$1" ] || die "not $1 records with their memory"
    awk '$1 != $2 { exit 1 }' "$dir/memory" || die "memory is not what is predicted: $(cat "$dir/memory")"
}
as_predicted 4

run --hosts 2 --ranks 2 --rate 10gbit -- attn --method usp,allgather --inner ring --ulysses-size 2 --kv-groups 4 \
    --fuse-qkv off --heads 16 --kv-heads 4 --head-dim 16 --hidden 64 --seq 128 --dtype bf16 --max-time 50ms \
    --max-warmup 50ms --min-samples 1 --link-rates off --no-check -o jsonl || die "attn ended with $?"
[ "$(grep -c '"transport":"hybrid"' "$dir/out")" -eq 2 ] || die "not all layers went over hybrid"
as_predicted 2

run --rate 4gigabit -- topo
[ $? -eq 2 ] || die "a wrong rate did not end with 2"

# A failure inside is the failure of the whole, and leaves nothing.
run -- comm --op nonsense --bytes 1k
[ $? -ne 0 ] || die "a wrong command line ended with 0"
[ -z "$(leftovers)" ] || die "something was left: $(leftovers)"

# What a killed run leaves, --clean takes away.
"$cluster" --spbench "$spbench" -- comm --op alltoall --bytes 1k --max-time 60s --rel-ci 0 --max-samples 1000000 >"$dir/out" 2>"$dir/err" &
script=$!
for _ in $(seq 300); do
    grep -qzsx "[s]pb${script}br" /proc/[0-9]*/cmdline && break
    sleep 0.1
done
kill -KILL $script
wait $script 2>/dev/null
[ -n "$(leftovers)" ] || die "the killed run had made nothing yet"
"$cluster" --clean || die "--clean ended with $?"
[ -z "$(leftovers $script)" ] || die "--clean left $(leftovers $script)"
exit 0
