#include "bench/launch/rank/ranks.h"
#include "bench/cases/cases.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/output.h"
#include "bench/cases/cases.h"
#include "bench/launch/build_info.h"
#include "bench/launch/launch_dir.h"
#include "bench/launch/rank/leave_mpi.h"
#include "bench/launch/rank/watchdog.h"
#include "bench/launch/rank_board.h"
#include "bench/launch/run.h"
#include "bench/options/command.h"
#include "bench/output/run_output.h"
#include "bench/output/sink.h"
#include "results/record/fingerprint.h"
#include "topology/place/bind.h"

/* One rank from its start to its end. */
struct rank {
    const struct options *options;
    int argc;
    char **argv;
    const char *data_dir;
    const struct launch_env *launch;
    const struct command *command;

    struct watchdog dog;
    struct group world;
    struct machine machine;
    struct place *places;
    bool many_hosts;
    int threads;
    struct sink sink;
    struct run_output *output;
    FILE *out;
};

/* N processes that MPI does not join would print N one-rank results. */
static enum status check_size(const struct rank *r) {
    const struct launch_env *l = r->launch;
    const int size = r->world.size;
    if (l->size > 1 && size == 1)
        return l->rank > 0
                   ? ST_ENV
                   : fail(ST_ENV,
                          "%s started %d processes, but MPI sees one rank in each: %s does not "
                          "understand this launcher. Use %s, or spbench -n %d",
                          l->launcher, l->size, build_info.mpi,
                          l->by_srun ? "srun --mpi=pmi2 or --mpi=pmix, as this MPI was built for "
                                       "(srun --mpi=list names what there is)"
                                     : "that MPI's own mpiexec",
                          l->size);
    const struct options *o = r->options;
    if (l->dir || !o->given.ranks || (o->ranks.n == 1 && o->ranks.v[0].i == size))
        return ST_OK;
    return r->world.rank > 0
               ? ST_USAGE
               : fail(ST_USAGE,
                      "-n does not say %d, the number of ranks that %s started; leave -n out there",
                      size, l->launcher);
}

/* The first of MPI_Get_library_version()'s lines, without what follows a tab. */
static void mpi_version(char text[MPI_MAX_LIBRARY_VERSION_STRING]) {
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

static json_t *make_fingerprint(const struct machine *machine) {
    char topology[128], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    extern char **environ;
    /* Hydra's own: where this run's hosts are, not settings. */
    unsetenv("MPIR_CVAR_CH3_INTERFACE_HOSTNAME");
    unsetenv("MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE");
    machine_fingerprint(machine, topology, sizeof topology);
    mpi_version(mpi);
    const struct fingerprint_parts parts = {
        .cpu = machine->cpu[0] ? machine->cpu : NULL,
        .topology = topology,
        .mpi = mpi,
        .git = build_info.git[0] ? build_info.git : NULL,
    };
    return fingerprint_new(&parts, environ);
}

/* Before anything can fail: how ranks end depends on it. */
static bool on_many_hosts(const struct group *world) {
    const uint64_t key = place_host_key();
    uint64_t highest[] = {key, ~key};
    group_max_u64(world, highest, 2);
    return highest[0] != ~highest[1];
}

/* Every rank's place. */
static enum status gather_places(struct rank *r) {
    struct place mine;
    const enum status st = group_agree(&r->world, place_self(&r->machine, &mine));
    if (st != ST_OK)
        return st;
    group_allgather(&r->world, &mine, r->places, sizeof mine);
    return ST_OK;
}

/* Pins the rank to its share of what its launcher gave it alone or together with others, and
 * chooses its threads. */
static enum status take_place(struct rank *r) {
    r->places = calloc((size_t)r->world.size, sizeof *r->places);
    enum status st = r->places ? ST_OK : fail(ST_ENV, "out of memory for places");
    if (st == ST_OK)
        st = machine_load(&r->machine, "hwloc", NULL);
    st = group_agree(&r->world, st);
    if (st == ST_OK)
        st = gather_places(r);
    if (st != ST_OK)
        return st;
    int index;
    const int sharing = places_sharing(r->places, r->world.size, r->world.rank, &index);
    r->threads = machine_threads(&r->machine, sharing);
    st = bind_rank(&r->machine, r->options->bind, index, sharing);
    st = group_agree(&r->world, st);
    return st == ST_OK ? gather_places(r) : st;
}

static void choose_wait(struct rank *r) {
    double per_core = places_ranks_per_core(r->places, r->world.size, r->world.rank);
    group_max(&r->world, &per_core, 1);
    const enum wait_policy asked = r->options->wait;
    r->world.wait = asked == WAIT_POLICIES ? wait_policy_default((int)per_core) : asked;
}

static enum status open_wire(struct rank *r) {
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/" LAUNCH_WIRE, r->launch->dir);
    /* Not blocking: where nobody reads any more there is nothing to wait for. */
    const int flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC;
    const int fd = n > 0 && (size_t)n < sizeof path ? open(path, flags) : -1;
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY); /* results themselves may wait */
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return fail(ST_ENV,
                    "rank 0 cannot reach spbench, which started it, through %s: %s. If it runs on "
                    "another host, use srun spbench or mpiexec -n N spbench",
                    path, strerror(errno));
    r->out = file;
    if (!r->command->document)
        r->sink.wire = file;
    return ST_OK;
}

/* Where results go; rank 0 only. */
static enum status open_results(struct rank *r) {
    r->sink.launch = r->launch->index;
    r->sink.fingerprint = make_fingerprint(&r->machine);
    if (!r->sink.fingerprint)
        return ST_ENV;
    if (r->launch->dir)
        return open_wire(r);
    if (r->command->document) {
        r->out = stdout;
        return ST_OK;
    }
    const struct run_output_config config = {r->options, r->argc, r->argv, stdout};
    const enum status st = run_output_open(&config, &r->output);
    r->sink.output = r->output;
    return st;
}

static enum status close_results(struct rank *r) {
    enum status st = run_output_close(r->output);
    sink_close(&r->sink);
    if (r->out && fflush(r->out) != 0)
        st = output_failed(r->out, "the output");
    if (r->out && r->out != stdout)
        fclose(r->out);
    return st;
}

/* Under a bare mpiexec or srun nobody has looked at the cases yet. */
static enum status validate(const struct rank *r) {
    size_t runnable = 0;
    if (r->launch->dir || !r->command->kind || r->world.rank > 0)
        return ST_OK;
    const enum status st = cases_visit(r->options, r->data_dir, r->world.size, NULL, &runnable);
    if (st == ST_OK && runnable == 0)
        return fail(ST_USAGE, "no case can run on %d ranks; the reasons stand above",
                    r->world.size);
    return st;
}

static enum status run_command(struct rank *r, struct rank_state *entry) {
    struct run run = {
        .options = r->options,
        .data_dir = r->data_dir,
        .machine = &r->machine,
        .world = &r->world,
        .places = r->places,
        .threads = r->threads,
        .trace = &entry->trace,
        .now = &r->dog.now,
        .sink = &r->sink,
        .out = r->command->document ? r->out : NULL,
    };
    return r->command->ranks(&run);
}

/* Between MPI_Init and MPI_Finalize. */
static enum status with_mpi(struct rank *r, struct rank_state *entry) {
    enum status st = group_init(&r->world, WAIT_YIELD);
    if (st != ST_OK)
        return st;
    rank_state_note(entry, RANK_RUNNING);
    r->many_hosts = on_many_hosts(&r->world);
    log_set_rank(r->world.rank, r->world.rank > 0 || r->options->quiet);
    r->dog.rank = r->world.rank;
    st = group_agree(&r->world, check_size(r));
    if (st == ST_OK)
        st = group_agree(&r->world, validate(r));
    if (st == ST_OK)
        st = take_place(r);
    if (st == ST_OK) {
        choose_wait(r);
        st = group_agree(&r->world, r->world.rank == 0 ? open_results(r) : ST_OK);
    }
    if (st == ST_OK)
        st = run_command(r, entry);
    const enum status closed = close_results(r);
    st = group_agree(&r->world, st == ST_OK ? closed : st);
    /* Said before anybody leaves: what becomes of a rank then is not the run's. */
    rank_state_note(entry, (int)st);
    group_barrier(&r->world); /* nobody leaves whom another still waits for */
    group_free(&r->world);
    machine_free(&r->machine);
    free(r->places);
    return st;
}

enum status ranks_main(const struct options *options, int argc, char **argv, const char *data_dir,
                       const struct launch_env *launch) {
    struct rank r = {
        .options = options,
        .argc = argc,
        .argv = argv,
        .data_dir = data_dir,
        .launch = launch,
        .command = options->command,
        .dog = {.rank = launch->rank, .timeout_s = options->timeout},
    };
    log_set_rank(launch->rank, launch->rank > 0 || options->quiet);
    const int size = launch->size > launch->rank ? launch->size : launch->rank + 1;
    struct rank_board board;
    const bool joined = rank_board_join(&board, launch->dir, size);
    if (!board.ranks)
        return fail(ST_ENV, "out of memory");
    /* A killed supervisor or launcher leaves no rank behind. */
    if (launch->dir)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rank_state *entry = &board.ranks[launch->rank];
    rank_state_note(entry, RANK_STARTING);
    entry->pid = getpid();
    r.dog.entry = entry;

    enum status st = watchdog_start(&r.dog);
    if (st == ST_OK) {
        int provided;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        st = with_mpi(&r, entry);
        rank_state_note(entry, (int)st);
        leave_mpi((enum status)entry->status, r.many_hosts, launch->by_srun);
        watchdog_stop(&r.dog);
    }
    rank_state_note(entry, (int)st);
    st = (enum status)entry->status;
    rank_board_close(&board);
    return joined ? ST_OK : st;
}
