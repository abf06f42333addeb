#!/usr/bin/env bash
# A Slurm job: the links between all ranks, then a model's layer with Ulysses and Ring, records and
# pictures in one folder. See docs/slurm.md. Submit it where spbench was built, on a file system that
# all nodes share; options of sbatch override those below, what follows the script goes to both
# `comm` and `attn`:
#
#   sbatch --nodes=4 scripts/slurm-job.sh --max-time 2s
#
#   SPBENCH  the program (build/release/bench/spbench)
#   RUN      the folder (runs/slurm-JOB)
#   MODEL    whose layer (llama-3.1-8b)
#   SEQ      sequence lengths (8k-32k*2)
#
#SBATCH --job-name=spbench
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=00:30:00
#SBATCH --output=spbench-%j.out
set -eu

# Where libraries come from modules, load here those that spbench was built with:
# module load mpich hwloc openblas

spbench=${SPBENCH:-build/release/bench/spbench}
run=${RUN:-runs/slurm-$SLURM_JOB_ID}

export SLURM_MPI_TYPE=${SLURM_MPI_TYPE:-pmi2}           # as srun --mpi: the process manager of MPICH
export SLURM_KILL_BAD_EXIT=1                            # ranks do not wait for one that died
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}     # srun no longer takes it from the job

srun "$spbench" comm --op pairs --save "$run" "$@"
srun "$spbench" attn --model "${MODEL:-llama-3.1-8b}" --seq "${SEQ:-8k-32k*2}" --method ulysses,ring --save "$run" "$@"
"$spbench" plot "$run"
