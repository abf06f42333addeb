/* What exchanges through shared memory promise beyond right results: waiting, overlap, overwriting,
 * choosing, and leaving nothing behind. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "comm/op/op.h"

#include "tests/comm/rows.h"
#include "tests/mpi_test.h"

struct fixture {
    struct mem_ledger ledger;
    struct trace trace;
    struct transport *t;
};

static enum status open_as(struct fixture *f, const char *name, uint64_t host_key) {
    *f = (struct fixture){0};
    const struct transport_config config = {
        .ledger = &f->ledger, .trace = &f->trace, .world = &test_world, .host_key = host_key};
    return transport_open(transport_named(name), &config, &f->t);
}

/* Two ranks a host, so that half of a hybrid transport's peers are local. */
static uint64_t pretended_host(void) {
    return (uint64_t)(test_world.rank / 2) + 1;
}

static void close_it(struct fixture *f) {
    transport_close(f->t);
    assert_int_equal(f->ledger.total_now, 0);
}

/* An all-to-all of words: word q of send goes to rank q. */
struct words {
    struct buffer send, recv;
    struct plan *plan;
    size_t n; /* per peer */
};

static void words_create(struct fixture *f, size_t n, struct words *w) {
    const size_t bytes = n * sizeof(uint32_t);
    w->n = n;
    assert_int_equal(buffer_alloc(f->t, MEM_EXCHANGE, (size_t)test_world.size * bytes, &w->send),
                     ST_OK);
    assert_int_equal(buffer_alloc(f->t, MEM_EXCHANGE, (size_t)test_world.size * bytes, &w->recv),
                     ST_OK);
    assert_int_equal(alltoall_plan(f->t, &test_world, &w->send, &w->recv, bytes, &w->plan), ST_OK);
}

static void words_free(struct fixture *f, struct words *w) {
    plan_free(w->plan);
    buffer_free(f->t, &w->recv);
    buffer_free(f->t, &w->send);
}

static uint32_t word(int from, int to, size_t i, int round) {
    return (uint32_t)from * 1000003u + (uint32_t)to * 10007u + (uint32_t)i * 31u + (uint32_t)round;
}

static void words_fill(struct words *w, int round) {
    uint32_t *x = w->send.data;
    for (int q = 0; q < test_world.size; q++)
        for (size_t i = 0; i < w->n; i++)
            *x++ = word(test_world.rank, q, i, round);
}

static size_t words_wrong(const struct words *w, int round) {
    const uint32_t *x = w->recv.data;
    size_t wrong = 0;
    for (int p = 0; p < test_world.size; p++)
        for (size_t i = 0; i < w->n; i++)
            wrong += *x++ != word(p, test_world.rank, i, round);
    return wrong;
}

static const char *const shared[] = {"shm", "hybrid"};

static void each_policy(void (*test)(struct fixture *f)) {
    for (size_t i = 0; i < 2; i++)
        for (int wait = 0; wait < WAIT_POLICIES; wait++) {
            struct fixture f;
            if (wait == WAIT_SPIN && test_world.size > 2)
                continue; /* ranks that spin on shared cores take for ever */
            test_world.wait = (enum wait_policy)wait;
            assert_int_equal(open_as(&f, shared[i], i == 0 ? 1 : pretended_host()), ST_OK);
            test(&f);
            close_it(&f);
            test_world.wait = WAIT_YIELD;
        }
}

/* The sender writes the next round as soon as its wait returns; nobody may see a mixture. */
static void overwrite(struct fixture *f) {
    struct words w;
    words_create(f, 300, &w);
    size_t wrong = 0;
    for (int round = 0; round < 200; round++) {
        words_fill(&w, round);
        plan_run(w.plan);
        wrong += words_wrong(&w, round);
    }
    assert_int_equal(wrong, 0);
    words_free(f, &w);
}

static void senders_may_overwrite_after_wait(void **state) {
    (void)state;
    each_policy(overwrite);
}

/* Ranks that wait for the same plans in different orders still finish. */
static void crossed(struct fixture *f) {
    struct words w[2];
    words_create(f, 50, &w[0]);
    words_create(f, 70, &w[1]);
    size_t wrong = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 2; i++) {
            words_fill(&w[i], round);
            plan_start(w[i].plan);
        }
        const int first = (test_world.rank + round) % 2;
        plan_wait(w[first].plan);
        plan_wait(w[1 - first].plan);
        wrong += words_wrong(&w[0], round) + words_wrong(&w[1], round);
    }
    assert_int_equal(wrong, 0);
    words_free(f, &w[1]);
    words_free(f, &w[0]);
}

static void waits_may_cross(void **state) {
    (void)state;
    each_policy(crossed);
}

static bool poll_plan(void *plan) {
    return plan_progress(plan);
}

/* Without rank 0 an exchange goes on as far as it can, and no further; polling never blocks and
 * moves the data in the end, without a wait. */
static void polled(struct fixture *f) {
    struct words w;
    words_create(f, 300000, &w); /* more than one step */
    words_fill(&w, 0);
    if (test_world.rank > 0)
        plan_start(w.plan);
    for (int i = 0; i < 100 && test_world.rank > 0; i++)
        assert_false(plan_progress(w.plan));
    group_barrier(&test_world);
    if (test_world.rank == 0)
        plan_start(w.plan);
    wait_until(test_world.wait, poll_plan, w.plan);
    plan_wait(w.plan);
    assert_int_equal(words_wrong(&w, 0), 0);
    words_free(f, &w);
}

static void polling_is_enough(void **state) {
    (void)state;
    if (test_world.size == 1)
        skip();
    each_policy(polled);
}

/* One call copies a bounded amount: a large local copy takes several. */
static void a_step_is_bounded(void **state) {
    (void)state;
    struct fixture f;
    struct words w;
    int steps = 1;
    assert_int_equal(open_as(&f, "shm", 1), ST_OK);
    words_create(&f, 1 << 20, &w);
    words_fill(&w, 0);
    plan_start(w.plan);
    while (!plan_progress(w.plan))
        steps++;
    plan_wait(w.plan);
    assert_true(steps >= 4);
    assert_int_equal(words_wrong(&w, 0), 0);
    words_free(&f, &w);
    close_it(&f);
}

static int count_fds(void) {
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Mappings of exchange memory. */
static int count_mappings(void) {
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, "memfd:spbench") != NULL;
    fclose(f);
    return n;
}

static void use_and_release(const char *name, int plans, int iterations) {
    struct fixture f;
    assert_int_equal(open_as(&f, name, name[0] == 'h' ? pretended_host() : 1), ST_OK);
    for (int i = 0; i < plans; i++) {
        struct words w;
        words_create(&f, 16, &w);
        words_fill(&w, i);
        const int fds = count_fds(), mappings = count_mappings();
        for (int k = 0; k < iterations; k++)
            plan_run(w.plan);
        assert_int_equal(count_fds(), fds);
        assert_int_equal(count_mappings(), mappings);
        assert_int_equal(words_wrong(&w, i), 0);
        words_free(&f, &w);
    }
    close_it(&f);
}

static void nothing_is_left_behind(void **state) {
    (void)state;
    use_and_release("hybrid", 1, 1); /* what the libraries keep for themselves */
    assert_int_equal(count_mappings(), 0);
    const int fds = count_fds();
    use_and_release("shm", 1, 5000);
    use_and_release("hybrid", 1, 100);
    use_and_release("shm", 50, 1);
    assert_int_equal(count_mappings(), 0);
    assert_int_equal(count_fds(), fds);
}

/* auto takes shared memory on one host, a mixture on several, MPI where no two ranks share one; and
 * says why. */
static void auto_says_why(void **state) {
    (void)state;
    struct fixture f;
    char text[64];
    assert_int_equal(open_as(&f, "auto", 7), ST_OK);
    assert_string_equal(f.t->row->name, "shm");
    snprintf(text, sizeof text, "shm: %d rank%s on 1 host", test_world.size,
             test_world.size > 1 ? "s" : "");
    assert_string_equal(f.t->chosen_as, text);
    close_it(&f);
    if (test_world.size > 2) {
        const int hosts = (test_world.size + 1) / 2;
        assert_int_equal(open_as(&f, "auto", pretended_host()), ST_OK);
        assert_string_equal(f.t->row->name, "hybrid");
        snprintf(text, sizeof text, "hybrid: %d ranks on %d hosts", test_world.size, hosts);
        assert_non_null(strstr(f.t->chosen_as, text));
        close_it(&f);
    }
    if (test_world.size > 1) {
        assert_int_equal(open_as(&f, "auto", (uint64_t)test_world.rank + 1), ST_OK);
        assert_string_equal(f.t->row->name, "mpi");
        assert_non_null(strstr(f.t->chosen_as, "hybrid: no two of the"));
        close_it(&f);
        log_set_rank(0, 1);
        assert_int_equal(open_as(&f, "shm", (uint64_t)test_world.rank + 1), ST_ENV);
        assert_null(f.t);
    }
    assert_int_equal(open_as(&f, "mpi", 7), ST_OK);
    assert_string_equal(f.t->chosen_as, "");
    close_it(&f);
}

/* Only remote peers' blocks are staged and sent as messages. */
static void hybrid_names_its_halves(void **state) {
    (void)state;
    struct fixture f;
    struct words w;
    assert_int_equal(open_as(&f, "hybrid", pretended_host()), ST_OK);
    words_create(&f, 4, &w);
    assert_string_equal(plan_algorithm(w.plan), test_world.size > 2 ? "pull+pairwise" : "pull");
    words_free(&f, &w);
    close_it(&f);
}

/* Small buffers share files and do not overlap. */
static void many_buffers_cost_few_files(void **state) {
    (void)state;
    enum { MANY = 3000 };
    struct buffer large[2];
    static struct buffer buffers[MANY];
    struct fixture f;
    assert_int_equal(open_as(&f, "shm", 1), ST_OK);
    const int fds = count_fds();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(buffer_alloc(f.t, MEM_EXCHANGE, 1 + (size_t)i % 1000, &buffers[i]), ST_OK);
        memset(buffers[i].data, i % 251, buffers[i].bytes);
    }
    assert_in_range(count_fds() - fds, 1, 10);
    /* A large one has its own, and small ones still go where there is room. */
    const int before = count_fds();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(buffer_alloc(f.t, MEM_EXCHANGE, 1 << 20, &large[i]), ST_OK);
        buffer_free(f.t, &buffers[0]);
        assert_int_equal(buffer_alloc(f.t, MEM_EXCHANGE, 1, &buffers[0]), ST_OK);
        memset(buffers[0].data, 0, 1);
    }
    assert_int_equal(count_fds(), before + 2);
    for (int i = 0; i < 2; i++)
        buffer_free(f.t, &large[i]);
    size_t wrong = 0;
    for (int i = 0; i < MANY; i++)
        for (size_t k = 0; k < buffers[i].bytes; k++)
            wrong += ((unsigned char *)buffers[i].data)[k] != i % 251;
    assert_int_equal(wrong, 0);
    for (int i = 0; i < MANY; i++)
        buffer_free(
            f.t, &buffers[(i * 7) % MANY]); /* in an order of its own: 7 and MANY share no factor */
    assert_int_equal(count_fds(), fds);
    close_it(&f);
}

static void buffers_are_entered_as_shared(void **state) {
    (void)state;
    struct fixture f;
    struct buffer b;
    assert_int_equal(open_as(&f, "shm", 1), ST_OK);
    assert_int_equal(buffer_alloc(f.t, MEM_GRADIENTS, 5000, &b), ST_OK);
    assert_int_equal(f.ledger.now[MEM_GRADIENTS][MEM_SHARED], 5000);
    assert_int_equal(b.bytes, 5000);
    buffer_free(f.t, &b);
    assert_int_equal(buffer_alloc(f.t, MEM_EXCHANGE, 0, &b), ST_OK);
    assert_non_null(b.data);
    buffer_free(f.t, &b);
    log_set_rank(0, 1);
    assert_int_equal(buffer_alloc(f.t, MEM_EXCHANGE, (size_t)1 << 50, &b), ST_ENV);
    assert_null(b.data);
    close_it(&f);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(senders_may_overwrite_after_wait),
        cmocka_unit_test(waits_may_cross),
        cmocka_unit_test(polling_is_enough),
        cmocka_unit_test(a_step_is_bounded),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(auto_says_why),
        cmocka_unit_test(hybrid_names_its_halves),
        cmocka_unit_test(many_buffers_cost_few_files),
        cmocka_unit_test(buffers_are_entered_as_shared),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
