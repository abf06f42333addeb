#include "bench/launch/rank/watchdog.h"
#include "bench/launch/supervisor/ending.h"

#include <signal.h>
#include <string.h>

#include "tests/capture.h"
#include "tests/cmocka_all.h"

/* What Hydra prints when a rank is killed. */
static const char *const banner[] = {
    "some library's greeting",
    "",
    "==================================================================================="
    "",
    "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
    "=   PID 4711 RUNNING AT node7",
    "=   EXIT CODE: 9",
    "=   CLEANING UP REMAINING PROCESSES",
    "=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES",
    "===================================================================================",
    "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
    "This typically refers to a problem with your application.",
};

static void banner_is_read(void **state) {
    (void)state;
    struct obituary o = {0};
    int passed = 0;
    for (size_t i = 0; i < sizeof banner / sizeof banner[0]; i++)
        passed += !obituary_read(&o, banner[i]);
    assert_int_equal(passed, 2);
    assert_int_equal(o.pid, 4711);
    assert_int_equal(o.signal, SIGKILL);
}

/* What Open MPI 4 prints on stderr, with what ranks say. */
static const char *const open_mpi[] = {
    "spbench[1]: something of a rank's",
    "--------------------------------------------------------------------------",
    "Primary job  terminated normally, but 1 process returned",
    "a non-zero exit code. Per user-direction, the job has been aborted.",
    "--------------------------------------------------------------------------",
    "--------------------------------------------------------------------------",
    "mpiexec noticed that process rank 2 with PID 0 on node vm exited on signal 9 (Killed).",
    "spbench[0]: something of another's",
    "--------------------------------------------------------------------------",
};
static const char *const open_mpi_exit[] = {
    "mpiexec.openmpi detected that one or more processes exited with non-zero status, thus causing",
    "the job to be terminated. The first process to do so was:",
    "",
    "  Process name: [[5443,1],1]",
    "  Exit code:    3",
    "--------------------------------------------------------------------------",
    "",
    "an empty line of somebody's stands before this",
};

static void open_mpi_is_read(void **state) {
    (void)state;
    struct obituary o = {0}, exited = {0};
    int passed = 0;
    for (size_t i = 0; i < sizeof open_mpi / sizeof open_mpi[0]; i++)
        passed += !obituary_read_stderr(&o, open_mpi[i]);
    assert_int_equal(passed, 2);
    assert_true(o.named);
    assert_int_equal(o.rank, 2);
    assert_int_equal(o.signal, SIGKILL);
    assert_int_equal(o.pid, 0);
    passed = 0;
    for (size_t i = 0; i < sizeof open_mpi_exit / sizeof open_mpi_exit[0]; i++)
        passed += !obituary_read_stderr(&exited, open_mpi_exit[i]);
    assert_int_equal(passed, 2);
    assert_false(exited.named);
}

struct expected {
    struct rank_state ranks[3];
    struct obituary obituary;
    int wait_status;
    bool timed_out;
    enum status status;
    const char *says; /* NULL: nothing */
};

#define RUNNING RANK_RUNNING
#define STARTING RANK_STARTING
static const struct expected cases[] = {
    {.ranks = {{.pid = 1}, {.pid = 2}, {.pid = 3}}, .status = ST_OK},
    {.ranks = {{.pid = 1, .status = ST_WRONG}, {.pid = 2, .status = ST_WRONG}, {.pid = 3}},
     .status = ST_WRONG},
    {.ranks = {{.pid = 1, .status = RUNNING},
               {.pid = 4711, .status = RUNNING, .trace = {.stack = {PHASE_RING}, .depth = 1}},
               {.pid = 3, .status = RUNNING}},
     .obituary = {.pid = 4711, .signal = SIGKILL},
     .wait_status = 9 << 8,
     .status = ST_DIED,
     .says = "rank 1 (pid 4711) was killed by signal 9 (Killed) in phase ring"},
    {.ranks = {{.pid = 1}, {.pid = 2, .status = RUNNING}, {.pid = 3}},
     .wait_status = 9 << 8,
     .status = ST_DIED,
     .says = "exit code 9; these never finished: 1"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {.pid = 2}, {.pid = 3}},
     .wait_status = SIGKILL,
     .status = ST_DIED,
     .says = "mpiexec was killed by signal 9"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {0}, {.pid = 3, .status = RUNNING}},
     .obituary = {.pid = 3},
     .status = ST_DIED,
     .says = "rank 2 (pid 3) died"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {0}, {.pid = 3, .status = RUNNING}},
     .obituary = {.named = true, .rank = 2, .signal = SIGKILL},
     .wait_status = 137 << 8,
     .status = ST_DIED,
     .says = "rank 2 (pid 3) was killed by signal 9 (Killed)"},
    /* A rank that never was, by a launcher that is wrong. */
    {.ranks = {{.pid = 1, .status = RUNNING}, {.pid = 2}, {.pid = 3}},
     .obituary = {.named = true, .rank = 7, .signal = SIGKILL},
     .wait_status = 137 << 8,
     .status = ST_DIED,
     .says = "these never finished: 0"},
    {.wait_status = 127 << 8, .status = ST_ENV, .says = "exit code 127 before any rank started"},
    {.wait_status = SIGSEGV, .status = ST_ENV, .says = "signal 11 before any rank started"},
    /* MPI gives up, by exit code or SIGABRT, or while its launcher ends the others. */
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .wait_status = 143 << 8,
     .status = ST_ENV,
     .says = "MPI could not start its ranks (exit code 143)"},
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .obituary = {.pid = 1, .signal = SIGABRT},
     .wait_status = 134 << 8,
     .status = ST_ENV,
     .says = "UCX_NET_DEVICES"},
    {.ranks = {{.pid = 1, .status = STARTING}, {0}, {0}},
     .obituary = {.named = true, .rank = 0, .signal = SIGTERM},
     .wait_status = 143 << 8,
     .status = ST_ENV,
     .says = "MPI could not start"},
    {.ranks = {{.pid = 1, .status = STARTING}, {0}, {0}},
     .obituary = {.named = true, .rank = 0, .signal = SIGHUP},
     .wait_status = 143 << 8,
     .status = ST_ENV,
     .says = "MPI could not start"},
    /* It is killed, or dies when others have come further. */
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .obituary = {.pid = 2, .signal = SIGKILL},
     .wait_status = 9 << 8,
     .status = ST_DIED,
     .says = "rank 1 (pid 2) was killed by signal 9 (Killed) while MPI started"},
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .wait_status = SIGKILL,
     .status = ST_DIED,
     .says = "mpiexec was killed by signal 9"},
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = RUNNING}, {.pid = 3}},
     .wait_status = 1 << 8,
     .status = ST_DIED,
     .says = "exit code 1; these never finished: 0, 1"},
    /* A library complained of what was not there. */
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .obituary = {.shortage = SHORT_OF_SHM},
     .wait_status = 15 << 8,
     .status = ST_ENV,
     .says = "too little room in /dev/shm"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {.pid = 2, .status = RUNNING}, {.pid = 3}},
     .obituary = {.pid = 1, .signal = SIGKILL, .shortage = SHORT_OF_PROCESSES},
     .wait_status = 9 << 8,
     .status = ST_ENV,
     .says = "no more processes or threads could be started (ulimit -u is "},
    {.obituary = {.shortage = SHORT_OF_PROCESSES},
     .wait_status = 255 << 8,
     .status = ST_ENV,
     .says = "use fewer ranks or --threads"},
    {.ranks = {{.pid = 1, .status = STARTING}, {.pid = 2, .status = STARTING}, {0}},
     .obituary = {.shortage = SHORT_OF_MEMORY},
     .wait_status = 15 << 8,
     .status = ST_ENV,
     .says = "there was not enough memory"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {.pid = 2}, {.pid = 3}},
     .obituary = {.pid = 1, .signal = SIGKILL, .shortage = SHORT_OF_MEMORY},
     .wait_status = 9 << 8,
     .status = ST_DIED,
     .says = "rank 0 (pid 1) was killed by signal 9"},
    {.ranks = {{.pid = 1, .status = ST_WRONG}, {.pid = 2, .status = ST_WRONG}, {.pid = 3}},
     .obituary = {.shortage = SHORT_OF_PROCESSES},
     .status = ST_WRONG},
    /* All spoke: nothing to add. */
    {.ranks = {{.pid = 1, .status = ST_TIMEOUT, .reported = true},
               {.pid = 2, .status = ST_TIMEOUT, .reported = true},
               {.pid = 3, .status = ST_TIMEOUT, .reported = true}},
     .status = ST_TIMEOUT},
    {.ranks = {{.pid = 1, .status = ST_TIMEOUT, .reported = true},
               {.pid = 2, .status = RUNNING, .trace = {.stack = {PHASE_BARRIER}, .depth = 1}},
               {.pid = 3, .status = ST_TIMEOUT, .reported = true}},
     .status = ST_TIMEOUT,
     .says = "rank 1 said nothing; it was last seen in phase barrier"},
    /* It spoke, but its launcher did not pass that on. */
    {.ranks = {{.pid = 1, .status = ST_TIMEOUT, .reported = true},
               {.pid = 2, .status = ST_TIMEOUT, .trace = {.stack = {PHASE_BARRIER}, .depth = 1}},
               {.pid = 3, .status = ST_TIMEOUT, .reported = true}},
     .status = ST_TIMEOUT,
     .says = "rank 1 said nothing; it was last seen in phase barrier"},
    {.ranks = {{.pid = 1, .status = RUNNING}, {.pid = 2}, {0}},
     .timed_out = true,
     .status = ST_TIMEOUT,
     .says = "rank 2 never started"},
};

static void endings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expected c = cases[i];
        const struct rank_board board = {c.ranks, 3};
        const struct ending ending = {&board, c.obituary, c.wait_status, c.timed_out, 5};
        struct capture said;
        capture_begin(&said);
        const enum status st = ending_explain(&ending);
        capture_end(&said);
        if (st != c.status)
            fail_msg("case %zu: status %d", i, (int)st);
        if (c.says ? !strstr(said.text, c.says) : said.text[0] != '\0')
            fail_msg("case %zu says: %s", i, said.text);
    }
}

static void many_missing_ranks_are_counted(void **state) {
    (void)state;
    enum { N = 200 };
    struct rank_state ranks[N] = {{.pid = 1, .status = RUNNING}};
    const struct rank_board board = {ranks, N};
    const struct ending ending = {.board = &board, .wait_status = 9 << 8};
    struct capture said;
    capture_begin(&said);
    assert_int_equal(ending_explain(&ending), ST_DIED);
    capture_end(&said);
    const char *list = strstr(said.text, "these never finished: 0, 1, 2");
    assert_non_null(list);
    const char *rest = strstr(list, " and ");
    assert_non_null(rest);
    int named = 1, more = 0;
    for (const char *c = list; c < rest; c++)
        named += *c == ',';
    assert_int_equal(sscanf(rest, " and %d more", &more), 1);
    assert_int_equal(named + more, N);
}

static void complaints_are_read(void **state) {
    static const struct {
        const char *line;
        enum shortage worst;
    } lines[] = {
        {"spbench: timed out", SHORT_OF_NOTHING},
        {"UCX  ERROR shmat(shmid=1) failed: Cannot allocate memory", SHORT_OF_MEMORY},
        {"libgomp: Thread creation failed: Resource temporarily unavailable", SHORT_OF_PROCESSES},
        {"UCX  ERROR Failed to allocate memory pool chunk: Out of memory", SHORT_OF_PROCESSES},
        {"UCX  ERROR   Not enough memory. Please check that /dev/shm has more", SHORT_OF_SHM},
    };
    struct obituary o = {0};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_false(i % 2 ? obituary_read(&o, lines[i].line)
                           : obituary_read_stderr(&o, lines[i].line));
        assert_int_equal(o.shortage, lines[i].worst);
    }
}

static void watchdogs_are_read(void **state) {
    (void)state;
    assert_int_equal(watchdog_read("spbench[12]: timed out after 3 s on a outside any phase"), 12);
    assert_int_equal(watchdog_read("spbench[1]: error: no"), -1);
    assert_int_equal(watchdog_read("spbench: timed out"), -1);
}

static void a_rank_that_timed_out_stays_so(void **state) {
    (void)state;
    struct rank_state rank = {.status = RANK_STARTING};
    rank_state_note(&rank, RANK_RUNNING);
    assert_int_equal(rank.status, RANK_RUNNING);
    rank_state_note(&rank, ST_TIMEOUT);
    rank_state_note(&rank, RANK_RUNNING);
    rank_state_note(&rank, ST_OK);
    assert_int_equal(rank.status, ST_TIMEOUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watchdogs_are_read),
        cmocka_unit_test(banner_is_read),
        cmocka_unit_test(open_mpi_is_read),
        cmocka_unit_test(endings),
        cmocka_unit_test(complaints_are_read),
        cmocka_unit_test(many_missing_ranks_are_counted),
        cmocka_unit_test(a_rank_that_timed_out_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
