#!/usr/bin/env bash
# spbench under srun, in a job script and in an allocation, with a Slurm of two nodes that lives in
# namespaces: no port, process or file of it is ever seen outside, or left.
#
#   slurm.sh SPBENCH JSON_TOOL JOB_SCRIPT     (absolute paths); 77 where it cannot run
set -u
self=$(realpath "$0") spbench=$1 json=$2 job=$3 dir=${4-}

skip() {
    echo "slurm.sh: $1; skipped"
    exit 77
}

spaces=(unshare --pid --fork --kill-child --mount-proc --net --uts)
if [ -z "$dir" ]; then
    PATH=$PATH:/usr/sbin:/sbin
    for tool in srun sbatch salloc slurmctld slurmd munged mungekey ip unshare; do
        command -v $tool >/dev/null || skip "there is no $tool (packages slurmctld, slurmd, slurm-client, munge, iproute2)"
    done
    [ "$(id -u)" -eq 0 ] || skip "Slurm's daemons start ranks only as root"
    "$spbench" info | grep -q 'MPICH' || skip "PMI-2 is for a build with MPICH"
    "${spaces[@]}" true 2>/dev/null || skip "namespaces cannot be made; is this a container without CAP_SYS_ADMIN?"
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cd "$dir" || exit 1
    "${spaces[@]}" "$self" "$@" "$dir"
    exit
fi

# --- Inside: all that is started here ends with this shell.
export SLURM_CONF=$dir/slurm.conf
cpus=4

slurm_conf() {
    cat <<END
ClusterName=spbench
SlurmctldHost=n0(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SchedulerType=sched/builtin
MpiDefault=pmi2
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdSpoolDir=$dir/spool.%n
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmdLogFile=$dir/slurmd.%n.log
SlurmdParameters=config_overrides
NodeName=n0 NodeAddr=127.0.0.1 Port=7000 CPUs=$cpus State=UNKNOWN
NodeName=n1 NodeAddr=127.0.0.1 Port=7001 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
END
}

start() {
    # A name resolves only where there is an address besides the loopback's.
    hostname n0 && ip link set lo up && ip link add eth0 type veth peer name eth1 &&
        ip addr add 192.0.2.1/24 dev eth0 && ip link set eth0 up && ip link set eth1 up || return
    echo '127.0.0.1 localhost n0 n1' >hosts && mount --bind hosts /etc/hosts || return
    slurm_conf >slurm.conf
    chmod 711 . # munged wants its socket to be reachable
    mungekey --create --keyfile="$dir/key" &&
        munged --key-file="$dir/key" --socket="$dir/munge" --pid-file="$dir/munged.pid" \
            --log-file="$dir/munged.log" --seed-file="$dir/seed" &&
        slurmctld -c && slurmd -N n0 && unshare --uts sh -c 'hostname n1; slurmd -N n1' || return
    for _ in $(seq 300); do
        [ "$(sinfo --noheader --states idle --format %D)" = 2 ] && return
        sleep 0.1
    done
    false
}

if ! start >start.log 2>&1; then
    tail -n 5 ./*.log
    skip "Slurm's daemons do not start here"
fi

failures=0
brief=(--max-time 50ms --max-warmup 20ms --wait yield)
comm=(comm --op alltoall --bytes 1k "${brief[@]}" -o jsonl)

run() {
    timeout -k 1 60 "$@" >out 2>err </dev/null
    code=$?
    last="$*"
}

complain() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  after: %s (exit code %s)\n' "$1" "$last" "$code"
    sed 's/^/  stderr: /' err | head -n 12 | cut -c 1-300
    sed 's/^/  stdout: /' out | head -n 5 | cut -c 1-300
}

exits() { [ "$code" -eq "$1" ] || complain "expected exit code $1"; }
records() { "$json" lines "$1" <out || complain "stdout is not $1 records"; }
says() { [ "$(grep -c -e "$2" err)" -eq "$1" ] || complain "stderr does not say '$2' $1 times"; }

# --- srun as the launcher.
run srun -N 1 -n 4 "$spbench" "${comm[@]}"
exits 0
records 1
run srun -N 2 -n 4 "$spbench" "${comm[@]}" # the two nodes share processors
exits 0
records 1
grep -q '"sp_worst_link":"network"' out || complain "two nodes are not joined by a network"
run srun -N 1 -n 4 "$spbench" "${comm[@]}" --fault corrupt:1
exits 4
run srun -N 1 -n 4 "$spbench" comm --bytes 1z
exits 2
says 1 "'1z' is not a size"

# A process manager that MPI does not understand.
run srun --mpi=none -N 1 -n 4 "$spbench" "${comm[@]}"
exits 3
says 1 'srun started 4 processes, but MPI sees one rank in each: MPICH .* --mpi=pmi2'
[ ! -s out ] || complain "ranks that do not know each other print results"

# What a launcher binds stays bound.
# shellcheck disable=SC2016
if [ "$(nproc)" -ge 2 ]; then
    run srun -N 1 -n 2 sh -c 'exec taskset -c $((1 - SLURM_PROCID)) "$0" topo -o json' "$spbench"
    exits 0
    [ "$(grep -o '"cpus": .*' out | tr -dc 01)" = 10 ] || complain "ranks left their processors"
fi

# --- From a shell in a step, where Hydra's srun would wait for ever; from an allocation of two nodes.
run srun -N 1 -n 1 sh -c '"$0" -n 2 "$@"' "$spbench" "${comm[@]}"
exits 0
records 1
run salloc -Q -N 2 -n 4 "$spbench" -n 4 "${comm[@]}"
exits 0
records 1

# --- The job script. (sbatch --wait looks only every few seconds.)
export SPBENCH=$spbench RUN=$dir/run MODEL=tiny SEQ=64
run sbatch --parsable -N 1 --ntasks-per-node=2 --cpus-per-task=1 -o "$dir/job.out" "$job" "${brief[@]}"
exits 0
id=$(cat out) state=
for _ in $(seq 600); do
    state=$(scontrol --oneliner show job "$id" | grep -o ' JobState=[A-Z]*')
    case $state in *PENDING | *RUNNING | *COMPLETING) sleep 0.1 ;; *) break ;; esac
done
[ "$state" = " JobState=COMPLETED" ] || complain "the job ended as$state"
grep '"kind":' run/records.jsonl >out 2>/dev/null
grep -q '"op":"pairs"' out || complain "the job measured no pairs"
[ "$(grep '"kind":"attn"' out | grep -c '"status":"ok"')" -eq 2 ] || complain "the job verified no two layers"
ls run/plots/*.svg >out 2>&1 || complain "the job drew nothing"

[ $failures -eq 0 ] && exit
tail -n 20 job.out ./*.log
exit 1
