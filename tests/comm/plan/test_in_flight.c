/* The order in which exchanges start and end, with plans that are told when they are over. */
#include <stdlib.h>
#include <string.h>

#include "comm/plan/in_flight.h"
#include "tests/cmocka_all.h"

struct toy_plan {
    struct plan base;
    char name;
    bool over;
};

static char events[128]; /* S: starts, E: is waited for; then the plan's name */

static void note_event(char kind, const struct plan *plan) {
    const size_t n = strlen(events);
    assert_true(n + 2 < sizeof events);
    events[n] = kind;
    events[n + 1] = ((const struct toy_plan *)plan)->name;
}

static void start(struct plan *plan) {
    note_event('S', plan);
}

static bool progress(struct plan *plan) {
    return ((const struct toy_plan *)plan)->over;
}

static void wait(struct plan *plan) {
    note_event('E', plan);
}

static const struct transport_ops ops = {
    .plan_start = start, .plan_progress = progress, .plan_wait = wait};
static struct transport toy = {.ops = &ops};

/* Three plans, and the list that they are asked of. */
struct fixture {
    struct trace trace;
    struct in_flight flight;
    struct toy_plan a, b, c;
};

static void set_up(struct fixture *x, bool overlap) {
    memset(events, 0, sizeof events);
    *x = (struct fixture){.a = {{.transport = &toy}, 'a', false},
                          .b = {{.transport = &toy}, 'b', false},
                          .c = {{.transport = &toy}, 'c', false}};
    x->flight = (struct in_flight){.overlap = overlap, .trace = &x->trace};
}

static void ask_for_all(struct fixture *x) {
    in_flight_start(&x->flight, &x->a.base, PHASE_EXCHANGE);
    in_flight_start(&x->flight, &x->b.base, PHASE_EXCHANGE);
    in_flight_start(&x->flight, &x->c.base, PHASE_EXCHANGE);
}

static void one_runs_at_a_time(void **state) {
    (void)state;
    struct fixture x;
    set_up(&x, true);
    ask_for_all(&x);
    in_flight_start(&x.flight, &x.b.base, PHASE_EXCHANGE); /* was asked for */
    assert_string_equal(events, "Sa");
    in_flight_poll(&x.flight);
    assert_string_equal(events, "Sa");
    x.a.over = true;
    in_flight_poll(&x.flight);
    assert_string_equal(events, "SaEaSb");
    in_flight_finish(&x.flight, &x.a.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSb");
    in_flight_finish(&x.flight, &x.b.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSbEbSc");
    assert_true(in_flight_any(&x.flight));
    in_flight_finish(&x.flight, &x.c.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSbEbScEc");
    assert_false(in_flight_any(&x.flight));
    assert_null(x.flight.first);
}

static void finishing_a_late_one_ends_those_before_it(void **state) {
    (void)state;
    struct fixture x;
    set_up(&x, true);
    ask_for_all(&x);
    in_flight_finish(&x.flight, &x.b.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSbEbSc");
    in_flight_finish(&x.flight, &x.a.base, PHASE_EXCHANGE);
    in_flight_start(&x.flight, &x.a.base, PHASE_EXCHANGE); /* once more, behind c */
    assert_string_equal(events, "SaEaSbEbSc");
    in_flight_finish(&x.flight, &x.a.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSbEbScEcSaEa");
}

static void without_overlap_nothing_is_left_running(void **state) {
    (void)state;
    struct fixture x;
    set_up(&x, false);
    in_flight_ahead(&x.flight, &x.c.base, PHASE_EXCHANGE);
    assert_string_equal(events, "");
    ask_for_all(&x);
    assert_string_equal(events, "SaEaSbEbScEc");
    assert_false(in_flight_any(&x.flight));
    in_flight_finish(&x.flight, &x.a.base, PHASE_EXCHANGE);
    in_flight_finish(&x.flight, &x.c.base, PHASE_EXCHANGE);
    in_flight_finish(&x.flight, &x.b.base, PHASE_EXCHANGE);
    assert_string_equal(events, "SaEaSbEbScEc");
    assert_null(x.flight.first);
}

static void any_number_can_be_asked_for(void **state) {
    (void)state;
    enum { MANY = 26 };
    struct toy_plan plans[MANY];
    struct fixture x;
    set_up(&x, true);
    for (int i = 0; i < MANY; i++) {
        plans[i] = (struct toy_plan){{.transport = &toy}, (char)('a' + i), true};
        in_flight_start(&x.flight, &plans[i].base, PHASE_EXCHANGE);
    }
    for (int i = 0; i < MANY; i++)
        in_flight_poll(&x.flight);
    assert_false(in_flight_any(&x.flight));
    assert_int_equal(strlen(events), 4 * MANY);
    for (int i = MANY; i-- > 0;)
        in_flight_finish(&x.flight, &plans[i].base, PHASE_EXCHANGE);
    assert_null(x.flight.first);
}

static void no_plan_is_no_exchange(void **state) {
    (void)state;
    struct fixture x;
    set_up(&x, true);
    in_flight_start(&x.flight, NULL, PHASE_EXCHANGE);
    in_flight_finish(&x.flight, NULL, PHASE_EXCHANGE);
    in_flight_finish(&x.flight, &x.a.base, PHASE_EXCHANGE); /* never asked for */
    in_flight_poll(&x.flight);
    assert_string_equal(events, "");
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(one_runs_at_a_time),
        cmocka_unit_test(finishing_a_late_one_ends_those_before_it),
        cmocka_unit_test(without_overlap_nothing_is_left_running),
        cmocka_unit_test(any_number_can_be_asked_for),
        cmocka_unit_test(no_plan_is_no_exchange),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
