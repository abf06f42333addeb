#include "comm/ranks/communicator.h"
#include "comm/ranks/grid.h"
#include "comm/ranks/usp.h"

#include "tests/mpi_test.h"

/* Nobody leaves a barrier before the last one has entered: a counter that each rank raises before
 * it is complete for all of them after it. */
static void barrier_separates(void **state) {
    (void)state;
    const struct group *g = &test_world;
    MPI_Win window;
    int *count = NULL;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, group_comm(g), &count, &window);
    *count = 0;
    MPI_Barrier(group_comm(g));
    for (int round = 1; round <= 20; round++) {
        const int one = 1;
        int seen = 0;
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        group_barrier(g);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 0, MPI_NO_OP, window);
        MPI_Win_unlock(0, window);
        assert_true(seen >= round * g->size);
        group_barrier(g);
    }
    MPI_Win_free(&window);
}

static void worst_status_reaches_all(void **state) {
    (void)state;
    const struct group *g = &test_world;
    assert_int_equal(group_agree(g, ST_OK), ST_OK);
    const enum status mine = g->rank == g->size - 1 ? ST_WRONG : ST_OK;
    assert_int_equal(group_agree(g, mine), ST_WRONG);
}

static void collectives(void **state) {
    (void)state;
    const struct group *g = &test_world;
    double x[2] = {g->rank, -g->rank};
    group_max(g, x, 2);
    assert_true(x[0] == g->size - 1 && x[1] == 0);
    uint64_t sum = (uint64_t)g->rank;
    group_sum_u64(g, &sum, 1);
    assert_int_equal(sum, g->size * (g->size - 1) / 2);
    int all[64] = {0}, mine = g->rank * 10, root = g->rank == 0 ? 77 : 0;
    group_allgather(g, &mine, all, sizeof mine);
    for (int r = 0; r < g->size; r++)
        assert_int_equal(all[r], r * 10);
    group_bcast(g, &root, sizeof root, 0);
    assert_int_equal(root, 77);
}

/* A rank that cannot keeps the others from waiting for its parcels. */
static void parcels_move_for_all_or_none(void **state) {
    (void)state;
    const struct group *g = &test_world;
    const int next = (g->rank + 1) % g->size, previous = (g->rank + g->size - 1) % g->size;
    int mine = g->rank, theirs = -1;
    const struct parcel parcels[] = {{next, &mine, NULL, sizeof mine, 0},
                                     {previous, NULL, &theirs, 0, sizeof theirs}};
    const struct parcel both = {next, &mine, &theirs, sizeof mine, sizeof theirs};
    const bool pair = next == previous;
    const enum status broken = g->rank == g->size - 1 ? ST_ENV : ST_OK;
    assert_int_equal(group_swap_parcels(g, broken, pair ? &both : parcels, pair ? 1 : 2), ST_ENV);
    assert_int_equal(theirs, -1);
    assert_int_equal(group_swap_parcels(g, ST_OK, pair ? &both : parcels, pair ? 1 : 2), ST_OK);
    assert_int_equal(theirs, previous);
}

static void parts_know_their_ranks(void **state) {
    (void)state;
    const struct group *world = &test_world;
    struct group part;
    int ranks[64];
    assert_int_equal(group_split(world, world->rank % 2, -world->rank, &part), ST_OK);
    group_ranks_in(&part, world, ranks);
    assert_int_equal(ranks[part.rank], world->rank);
    for (int r = 1; r < part.size; r++)
        assert_int_equal(ranks[r], ranks[r - 1] - 2);
    group_free(&part);
}

static void grid_groups(void **state) {
    (void)state;
    for (int sp = 1; sp <= test_world.size; sp++) {
        if (test_world.size % sp != 0)
            continue;
        struct process_grid grid;
        assert_int_equal(grid_init(&grid, &test_world, sp, test_world.size / sp, SP_OUTER), ST_OK);
        assert_int_equal(grid.sp.size, sp);
        assert_int_equal(grid.sp.rank, grid.sp_rank);
        grid_free(&grid);
    }
}

/* A part that was freed serves again, while it is taken it does not; in another order it is another
 * one. Ranks, policy and tags begin anew. */
static void parts_serve_again(void **state) {
    (void)state;
    struct group *world = &test_world, a, b, c;
    assert_int_equal(group_split(world, world->rank % 2, world->rank, &a), ST_OK);
    assert_int_equal(group_split(world, world->rank % 2, world->rank, &b), ST_OK);
    assert_true(group_comm(&a) != group_comm(&b));
    const MPI_Comm comm = group_comm(&b);
    const int first = group_take_tag(&b);
    group_free(&b);
    const enum wait_policy wait = world->wait;
    world->wait = WAIT_BLOCK;
    assert_int_equal(group_split(world, world->rank % 2, world->rank, &b), ST_OK);
    world->wait = wait;
    assert_true(group_comm(&b) == comm);
    assert_int_equal(b.wait, WAIT_BLOCK);
    assert_int_equal(group_take_tag(&b), first);
    assert_int_equal(group_split(world, world->rank % 2, -world->rank, &c), ST_OK);
    assert_int_equal(c.rank, c.size - 1 - b.rank);
    group_free(&c);
    group_free(&b);
    group_free(&a);
}

/* Both kinds of groups cover the ranks, meet in one rank each, and count by their coordinates. */
static void usp_groups(void **state) {
    (void)state;
    for (int u = 1; u <= test_world.size; u++)
        for (int i = 0; i < 2; i++) {
            const enum usp_inner inner = i == 0 ? USP_INNER_ULYSSES : USP_INNER_RING;
            const int r = test_world.size / u;
            if (u * r != test_world.size)
                continue;
            struct usp usp;
            int u_rank, r_rank;
            assert_int_equal(usp_open(&test_world, inner, u, &usp), ST_OK);
            usp_coordinates(inner, u, r, test_world.rank, &u_rank, &r_rank);
            assert_int_equal(usp.ulysses.size, u);
            assert_int_equal(usp.ring.size, r);
            assert_int_equal(usp.ulysses.rank, u_rank);
            assert_int_equal(usp.ring.rank, r_rank);
            assert_int_equal(usp_rank(inner, u, r, u_rank, r_rank), test_world.rank);
            int neighbour = test_world.rank;
            group_bcast(inner == USP_INNER_ULYSSES ? &usp.ulysses : &usp.ring, &neighbour,
                        sizeof neighbour, 0);
            assert_int_equal(test_world.rank - neighbour,
                             inner == USP_INNER_ULYSSES ? u_rank : r_rank);
            usp_close(&usp);
        }
    assert_int_equal(usp_default_ulysses_size(8, 8), 8);
    assert_int_equal(usp_default_ulysses_size(8, 4), 4);
    assert_int_equal(usp_default_ulysses_size(6, 8), 2);
    assert_int_equal(usp_default_ulysses_size(16, 1), 1);
}

int tests(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(barrier_separates),
        cmocka_unit_test(worst_status_reaches_all),
        cmocka_unit_test(collectives),
        cmocka_unit_test(parcels_move_for_all_or_none),
        cmocka_unit_test(parts_know_their_ranks),
        cmocka_unit_test(grid_groups),
        cmocka_unit_test(parts_serve_again),
        cmocka_unit_test(usp_groups),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
