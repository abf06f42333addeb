#!/usr/bin/env bash
# spbench from end to end, as a user runs it: exit codes, what reaches stdout, what survives a death.
#
#   cli.sh SPBENCH JSON_TOOL MPIEXEC     (absolute paths)
set -u
spbench=$1 json=$2 mpiexec=$3
work=$(mktemp -d)
export TMPDIR=$work/tmp # so that what spbench leaves behind is seen
mkdir "$TMPDIR"
trap 'rm -rf "$work"' EXIT
failures=0

# Short measurements; the numbers do not matter here.
comm=(comm --op alltoall --bytes 1k --max-time 100ms --max-warmup 20ms --link-rates off)

# Runs a command: its exit code in $code, its output in $work/out and $work/err.
run() {
    timeout -k 5 120 "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    last="$*"
}

complain() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  after: %s (exit code %s)\n' "$1" "$last" "$code"
    sed 's/^/  stderr: /' "$work/err" | head -n 12 | cut -c 1-200
    sed 's/^/  stdout: /' "$work/out" | head -n 5 | cut -c 1-200
}

exits() { [ "$code" -eq "$1" ] || complain "expected exit code $1"; }
says() { grep -q -e "$1" "$work/err" || complain "stderr does not say '$1'"; }
silent() { [ ! -s "$work/out" ] || complain "stdout is not empty"; }
prints() { "$json" "$@" <"$work/out" || complain "stdout is not: $*"; }

# Does the output start as a PNG does, zeros and all?
is_png() { [ "$(head -c 16 "$work/out" | od -An -v -tx1 | tr -d ' \n')" = 89504e470d0a1a0a0000000d49484452 ]; }

# Waits until a command holds, for at most half a minute.
eventually() {
    for _ in $(seq 300); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

# Are all processes of this spbench gone whose command line holds these words?
none_left() { [ "$(pgrep -cf "^$spbench .*$1")" -eq 0 ]; }
# The ranks that the spbench with process id $pid has started with these words. A rank maps the board; so does
# $pid itself, and its child until that becomes the launcher.
ranks_of() {
    local p ranks=()
    for p in $(pgrep -f "^$spbench .*$1"); do
        [ "$p" -eq $pid ] || grep -q "^PPid:[[:space:]]*$pid\$" "/proc/$p/status" && continue
        grep -q '/board$' "/proc/$p/maps" && ranks+=("$p")
    done 2>/dev/null
    echo "${ranks[*]}"
}
has_ranks() { [ -n "$(ranks_of "$1")" ]; }
has_records() { [ "$(wc -l 2>/dev/null <"$1/records.jsonl")" -ge 1 ] 2>/dev/null; }

# --- What needs no ranks.
run "$spbench" --version
exits 0
run "$spbench" info -o json
exits 0
prints object features
run "$spbench" info --model tiny -o json
exits 0
prints object layers
printf '{"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8, "sliding_window": 16,
 "attn_twist": 3, "layer_types": ["full_attention", "sliding_attention"]}' >"$work/two.json"
run "$spbench" info --model "$work/two.json"
exits 0
says "field 'attn_twist'"
grep -q '1  softmax .* window:16$' "$work/out" || complain "the layer with a window is not shown"
run "$spbench" attn -n 2 --model "$work/two.json" --seq 1k --dry-run
exits 2
says 'two has layers of several kinds'
printf '{"hidden_size": 64, "num_hidden_layers": 2}' >"$work/short.json"
run "$spbench" info --model "$work/short.json"
exits 2
says "short.json: field 'num_attention_heads' is missing"
run "$spbench" --list
exits 0
run "$spbench" topo --synthetic 'package:2 core:2 pu:1' -o json
exits 0
prints object schema
synthetic='package:2 [numa] l3:1 core:4 pu:1'
run "$spbench" topo --synthetic "$synthetic" --nodes 64 -n 512 --sp 4 --placement sp-outer
exits 0
grep -q 'network  *129024 pairs' "$work/out" || complain "hosts are not apart"
grep -q 'advice: .*--placement sp-inner' "$work/out" || complain "there is no advice"
for format in svg png; do
    run "$spbench" topo --synthetic "$synthetic" -n 8 -o $format
    exits 0
    [ -s "$work/out" ] || complain "there is no picture"
done
is_png || complain "the picture is no PNG"
run "$spbench" topo --synthetic "$synthetic" --nodes 2
exits 2
says 'needs -n'
run "$spbench" topo --synthetic "$synthetic" --nodes 3 -n 8
exits 2
run "$spbench" topo --synthetic "$synthetic" -n 8 --sp 3
exits 2
says 'do not fill'
run "$spbench" topo --synthetic "$synthetic" --run "$work"
exits 2
says '-o svg'
run "$spbench" info --generate bash
exits 0
bash -n "$work/out" || complain "the completion script is no script"

# --- Usage errors come before anything runs.
run "$spbench"
exits 2
silent
run "$spbench" comm --bites 1k
exits 2
says '--bytes'
run "$spbench" "${comm[@]}" --fault explode
exits 2
says 'corrupt, hang or die'
run "$spbench" comm -n 2
exits 2
silent
run "$spbench" topo --input "$work/none.xml"
exits 2
run "$spbench" suite no-such-suite
exits 2

# --- Results: the same ones on stdout and in the run folder, nothing else on stdout.
run "$spbench" -n 2 "${comm[@]}" -o json
exits 0
prints array 1
# Enough samples for a comparison, on a machine with other work, too.
run "$spbench" -n 1,2 "${comm[@]}" --bytes 1k,2k --rel-ci 50% --max-time 5s -o jsonl --save "$work/saved"
exits 0
prints lines 4
cmp -s "$work/out" "$work/saved/records.jsonl" || complain "what is saved is not what is printed"
[ -s "$work/saved/topology.xml" ] || complain "topology.xml is missing"
"$json" object runs <"$work/saved/run.json" || complain "run.json is none"
run "$spbench" compare "$work/saved" "$work/saved"
exits 0
run "$spbench" -n 2 "${comm[@]}" --launches 2 -o jsonl
exits 0
prints lines 2
grep -q '"launch":2' "$work/out" || complain "the second launch is not marked"

# --- Options that only some operations have do not measure the others twice; uneven heads are said.
shape=(comm --heads 7 --kv-heads 7 --head-dim 8 --seq 64 --pass fwdbwd --max-time 50ms --max-warmup 10ms --link-rates off)
run "$spbench" -n 2 "${shape[@]}" --op ulysses,ring --fuse-qkv on,off --ring-direction one,both -o jsonl
exits 0
prints lines 4
says 'fuse-qkv off comes to the same'
says 'query 3,4; key/value 3,4'
grep -q '"head_shares":\[{"ulysses_rank":0,"q_first":0,"q_heads":3' "$work/out" || complain "head shares are missing"
grep -q '"ring_direction":"both"' "$work/out" || complain "the ring's direction is missing"
run "$spbench" -n 4 "${shape[@]}" --op usp --ulysses-size auto,2,3 --inner ulysses,ring --dry-run
exits 0
says 'ulysses_size 3 does not divide the 4 ranks'
[ "$(grep -c '^usp 2x2' "$work/out")" = 2 ] || complain "both rank orders of usp should be listed"
run "$spbench" -n 4 "${shape[@]}" --op ulysses,ring --transport hybrid --dry-run
exits 0
grep -q '^ulysses .*/rank 60 KiB on one host, up to 80 KiB across hosts$' "$work/out" ||
    complain "memory should depend on where ranks are"
grep -q '^ring .*memory.rank 42 KiB$' "$work/out" || complain "a ring packs nothing"
run "$spbench" -n 8 "${shape[@]}" --op ulysses
exits 2
says 'more ranks than heads'

run "$spbench" -n 2 comm --op ulysses --heads 8 --kv-heads 2 --head-dim 16 --seq 64 --transport mpi --max-time 100ms \
    --max-warmup 20ms -o jsonl
exits 0
algorithm='\(pairwise\|alltoall\|datatype\)'
grep -q "\"algo\":\"$algorithm\(,$algorithm\)*\".*\"case\":\"[^\"]* mpi_algo=auto " "$work/out" ||
    complain "the record does not say what auto chose"
as_predicted() {
    grep -q '"exchange":{"peak":\([0-9]*\),"predicted":\1}' "$work/out" || complain "the peak is not what was predicted"
}
as_predicted
run "$spbench" -n 3 topo -o json
exits 0
prints object links
run "$spbench" -n 2 topo -o png --sp 2
exits 0
is_png || complain "the picture of ranks is no PNG"
run "$spbench" -n 2 topo --nodes 2
exits 2

# --- Under a bare mpiexec. Open MPI must be told what spbench tells it by itself.
bare=(env OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$mpiexec")
run "${bare[@]}" -n 2 "$spbench" "${comm[@]}" -o jsonl
exits 0
prints lines 1
grep -q '"world_size":2' "$work/out" || complain "mpiexec -n 2 is not two ranks"
run "${bare[@]}" -n 2 "$spbench" "${comm[@]}" -n 3
exits 2
silent
run "${bare[@]}" -n 2 "$spbench" comm
exits 2
[ "$(grep -c 'error' "$work/err")" -eq 1 ] || complain "the error is not said exactly once"
run "${bare[@]}" -n 2 "$spbench" "${comm[@]}" --fault hang:1 --timeout 1s
[ "$code" -eq 1 ] || exits 5 # Hydra says 1 if it does not wait for the status of the second to leave
says 'spbench\[1\]: timed out'

# --- Environment: a launcher of another MPI, none, and one that fails.
run env PMI_RANK=0 PMI_SIZE=2 "$spbench" "${comm[@]}"
exits 3
says 'one rank in each'
silent
run env SPBENCH_MPIEXEC="$work/none" "$spbench" "${comm[@]}"
exits 3
says 'SPBENCH_MPIEXEC'
run env SPBENCH_MPIEXEC=false "$spbench" "${comm[@]}"
exits 3
# An MPI whose devices are not there: UCX's, libfabric's, Open MPI's.
run env UCX_TLS=tcp UCX_NET_DEVICES=nosuch0 FI_PROVIDER=nosuch OMPI_MCA_btl=nosuch "$spbench" -n 2 "${comm[@]}"
exits 3
says 'MPI could not start'
silent
run env SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_JOB_ID=1 "$spbench" -n 2 "${comm[@]}" -o jsonl
exits 0 # a batch script's shell is no rank
prints lines 1

# --- Faults.
run "$spbench" -n 2 "${comm[@]}" --fault corrupt
exits 4
says 'wrong'
run "$spbench" -n 2 "${comm[@]}" --fault die:1
exits 7
says 'rank 1 .*signal 9'
grep -q 'BAD TERMINATION' "$work/out" "$work/err" && complain "the launcher's banner is passed on"
# If the launcher takes long to start the ranks, their supervisor is first at the deadline.
# Before MPI has started, where it takes so long.
run "$spbench" -n 2 "${comm[@]}" --timeout 10ms
exits 5
run "$spbench" -n 2 "${comm[@]}" --fault hang:1 --timeout 1s
exits 5
says 'spbench\[1\]: timed out after 1 s\|timed out after 1 s: rank 1 \(said nothing\|never started\)'
silent

# --- A rank that is stopped cannot say anything; its supervisor does.
"$spbench" -n 2 "${comm[@]}" --fault hang:0 --timeout 3s >"$work/out" 2>"$work/err" &
pid=$! last="a rank is stopped"
stop_one() {
    local ranks
    ranks=$(ranks_of 'hang:0 --timeout 3s')
    [ -n "$ranks" ] && kill -STOP "${ranks##* }"
}
eventually stop_one || complain "no rank to stop"
wait $pid
code=$?
exits 5
says 'said nothing\|spbench\[1\]: timed out' # Open MPI's launcher wakes it before it ends it
none_left 'hang:0 --timeout 3s' || complain "processes are left"

# --- Ctrl-C and kill.
"$spbench" -n 2 "${comm[@]}" --fault hang:0:7 >"$work/out" 2>"$work/err" &
pid=$! last="SIGTERM"
eventually has_ranks 'hang:0:7' || complain "no rank has started"
kill -TERM $pid
wait $pid
code=$?
exits 143
eventually none_left 'hang:0:7' || complain "processes are left"

[ -z "$(ls -A "$TMPDIR")" ] || complain "temporary files are left: $(ls "$TMPDIR")"

# --- The supervisor is killed: no rank stays, finished records can be read.
"$spbench" -n 2 "${comm[@]}" --launches 997 --save "$work/killed" -o jsonl >"$work/out" 2>"$work/err" &
pid=$! last="SIGKILL of the supervisor"
eventually has_records "$work/killed" || complain "no record is saved while it runs"
kill -KILL $pid
wait $pid 2>/dev/null
code=$?
eventually none_left '--launches 997' || complain "processes are left"
[ -n "$(ls -d "$TMPDIR"/spbench-*)" ] || complain "no temporary folder is left to remove"
run "$spbench" -n 1 topo
[ -z "$(ls -d "$TMPDIR"/spbench-* 2>/dev/null)" ] || complain "the next run leaves a killed one's folder"
run "$spbench" compare "$work/killed" "$work/killed" # can be read; few samples are no failure
[ "$code" -eq 0 ] || [ "$code" -eq 6 ] || complain "the records of a killed run cannot be read"

# --- A suite.
cat >"$work/my.suite" <<END
# a comment
topo -n 2
cores>=1: ${comm[*]} -n 2
cores<1: comm --nonsense
END
run "$spbench" suite "$work/my.suite" --dry-run
exits 0
run "$spbench" suite "$work/my.suite" --dry-run -o json
exits 0
[ "$(head -c 2 "$work/out" | tr -d '\n')$(tail -n 1 "$work/out")" = "[]" ] || complain "a suite's cases are no array"
run "$spbench" "${comm[@]}" --dry-run -o csv
exits 2
silent
run "$spbench" suite "$work/my.suite" -o jsonl
exits 0
prints lines 1
echo 'comm --nonsense' >>"$work/my.suite"
run "$spbench" suite "$work/my.suite"
exits 2
says 'my.suite:5'
silent
echo 'compare a b' >"$work/my.suite"
run "$spbench" suite "$work/my.suite"
exits 2
for suite in quick numerics; do
    run "$spbench" suite $suite --dry-run
    exits 0
done

predicted='"predicted_comm_s":.*"interconnect":.*"sp_link_gb_s":.*"link_rates":'

# --- Pairs of ranks: one record with its links; one rank has none.
pairs=(comm --op pairs --bytes 1k --max-time 100ms)
run "$spbench" -n 3 "${pairs[@]}" -o jsonl
exits 0
prints lines 1
[ "$(grep -o '"a":[0-9],"b":[0-9]' "$work/out" | sort -u | wc -l)" -eq 3 ] || complain "not three pairs"
run "$spbench" -n 2 "${pairs[@]}" --sp 1
exits 0
grep -q 'isolated  *one' "$work/out" || complain "there is no table of links"
run "$spbench" -n 2 "${pairs[@]}" --fault corrupt:1
exits 4
run "$spbench" -n 2 "${pairs[@]}" --bytes 64k --save "$work/links"
run "$spbench" -n 2 "${comm[@]}" --link-rates auto --save "$work/links" -o jsonl # ... which it takes from there
grep -q "$predicted\"pairs\"" "$work/out" || complain "the links in the run folder are not used"
run "$spbench" -n 1 "${pairs[@]}"
exits 2
says 'one rank has no pairs'
silent
run "$spbench" -n 3 comm --op bisection --bytes 1k
exits 2
says 'must be even'

# --- Synchronised clocks. With other load on the machine a rank may be late all the time.
run "$spbench" -n 1 "${comm[@]}" --sync window -o jsonl
[ "$code" -eq 6 ] || { exits 0; grep -q '"invalid_samples":' "$work/out" || complain "late ones are not counted"; }

# --- The layer: both methods, checked, side by side.
layer=(attn --model tiny --seq 256 --max-time 200ms --max-warmup 50ms --link-rates off)
run "$spbench" -n 2 "${layer[@]}" --link-rates auto -o jsonl
exits 0
prints lines 2
[ "$(grep -c "$predicted\"probe\"" "$work/out")" -eq 2 ] || complain "no exchange time is predicted"
run "$spbench" -n 2 "${layer[@]}"
exits 0
grep -q '^Verdict' "$work/out" || complain "there is no verdict"
run "$spbench" -n 2 "${layer[@]}" --method ulysses --transport mpi -o jsonl
exits 0
as_predicted
run "$spbench" -n 2 "${layer[@]}" --method ring -o errors --save "$work/layer"
exits 0
grep -q '^| ring | 2 | zigzag | fp32 |.*[0-9] / [0-9]' "$work/out" || complain "there is no table of errors"
mv "$work/out" "$work/printed"
run "$spbench" report "$work/layer" -o errors
exits 0
cmp -s "$work/out" "$work/printed" || complain "a saved record is not printed as it was"
run "$spbench" -n 2 "${layer[@]}" --method ring --overlap on,off --save "$work/overlap"
exits 0
run "$spbench" report "$work/overlap"
[ "$(grep -c 'with: overlap o' "$work/out")" -eq 2 ] || complain "a report does not tell cases apart"
grep -q 'Ulysses' "$work/out" && complain "a method that was not measured is named"
run "$spbench" report "$work/nowhere"
exits 2
silent
# Whose reader leaves ends quietly, and whose disk is full does not.
exec 5> >(:)
wait $! # now nobody reads 5
for words in "report $work/layer" "compare $work/layer $work/layer" "topo -o json" --list "-n 2 ${comm[*]}"; do
    "$spbench" -q $words >&5 2>"$work/err"
    code=$? last="$words, into a closed pipe"
    exits 141
    [ ! -s "$work/err" ] || complain "a closed pipe is complained about"
    [ -w /dev/full ] || continue
    "$spbench" $words >/dev/full 2>"$work/err"
    code=$? last="$words >/dev/full"
    exits 3
    says 'cannot be written: No space left'
done
"$spbench" --list >&- 2>"$work/err"
code=$? last="--list >&-"
exits 3
says 'cannot be written'
exec 5>&-
run "$spbench" -n 2 "${layer[@]}" --fault corrupt
exits 4
run "$spbench" -n 2 "${layer[@]}" --method ring,usp,allgather --serialize-ranks -o jsonl
exits 0
prints lines 3
[ "$(grep -c '"balance":.*"balance_theory":' "$work/out")" -eq 3 ] || complain "a balance is missing"
run "$spbench" -n 3 attn --model tiny --seq 256
exits 2
silent
run "$spbench" -n 3 "${layer[@]}" --pad -o jsonl
exits 0
prints lines 2
[ "$(grep -c '"padded_seq":258' "$work/out")" -eq 2 ] || complain "padding is not recorded"

[ "$failures" -eq 0 ] && echo "all passed"
exit $((failures > 0))
