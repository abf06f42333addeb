#include "tests/attn/method/sp_matrix.h"

#include <stdio.h>
#include <string.h>

#include "tests/attn/method/sp_case.h"

/* A document of one token, one that no cut of the sequence meets, and long ones; lengths are in
 * data/. */
static const char *const masks[] = {
    "full",      "causal",           "docs:3",           "docs:FILE",
    "window:17", "causal+docs:FILE", "docs:3+window:10", "causal+docs:FILE+window:20"};

/* KV heads below, at and above the numbers of ranks; heads that divide and that do not, so that a
 * rank's begin amid a group. */
static const struct {
    int batch, heads, kv_heads, head_dim, hidden;
} shapes[] = {
    {1, 8, 8, 8, 20}, {2, 9, 3, 16, 33}, {1, 12, 2, 8, 24}, {1, 10, 5, 8, 17}, {2, 8, 1, 8, 40}};

/* A tile and a half; what divides over one number of ranks alone; so few that ranks have none. */
static const int32_t seqs[] = {96, 83, 5};

static const char *const exchanges[] = {"pairwise", "alltoall", "datatype",
                                        "pull",     "hybrid:2", "hybrid:3"};

static const struct {
    bool forward, backward;
} passes[] = {{true, true}, {true, false}, {false, true}};

/* On so many ranks: sp_size 0 is all of them. Ranks in a crowd are slow, they leave out what is the
 * same as something else. */
static const struct way {
    int min_ranks, max_ranks, sp_size;
    const struct sp_method *method;
    int ulysses_size;
    enum usp_inner inner;
} ways[] = {
    {1, 8, 0, &sp_ulysses, 0, USP_INNER_ULYSSES},   {1, 8, 0, &sp_ring, 0, USP_INNER_ULYSSES},
    {1, 8, 0, &sp_allgather, 0, USP_INNER_ULYSSES}, {1, 4, 0, &sp_usp, 1, USP_INNER_ULYSSES},
    {1, 4, 1, &sp_local, 0, USP_INNER_ULYSSES},     {2, 2, 0, &sp_usp, 2, USP_INNER_RING},
    {3, 3, 0, &sp_usp, 3, USP_INNER_RING},          {4, 4, 0, &sp_usp, 4, USP_INNER_RING},
    {4, 4, 0, &sp_usp, 2, USP_INNER_ULYSSES},       {4, 4, 0, &sp_usp, 2, USP_INNER_RING},
    {4, 4, 2, &sp_ulysses, 0, USP_INNER_ULYSSES},   {4, 4, 2, &sp_ring, 0, USP_INNER_ULYSSES},
    {4, 4, 2, &sp_allgather, 0, USP_INNER_ULYSSES}, {8, 8, 0, &sp_usp, 2, USP_INNER_ULYSSES},
    {8, 8, 0, &sp_usp, 2, USP_INNER_RING},          {8, 8, 0, &sp_usp, 4, USP_INNER_ULYSSES},
    {8, 8, 0, &sp_usp, 4, USP_INNER_RING},          {8, 8, 4, &sp_usp, 2, USP_INNER_RING},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static bool possible(const struct way *w, int ranks) {
    return w->min_ranks <= ranks && ranks <= w->max_ranks;
}

static int count_ways(int ranks) {
    int n = 0;
    for (int i = 0; i < COUNT(ways); i++)
        n += possible(&ways[i], ranks);
    return n;
}

static const struct way *way(int ranks, int index) {
    int i = 0;
    while (!possible(&ways[i], ranks) || index-- > 0)
        i++;
    return &ways[i];
}

int sp_dim_size(enum sp_dim dim, int ranks) {
    static const int sizes[SP_DIMS] = {
        [DIM_MASK] = COUNT(masks), [DIM_DTYPE] = DTYPES,      [DIM_SHAPE] = COUNT(shapes),
        [DIM_SEQ] = COUNT(seqs),   [DIM_PROJECTIONS] = 2,     [DIM_PASS] = COUNT(passes),
        [DIM_LAYOUT] = LAYOUTS,    [DIM_FUSE_QKV] = 2,        [DIM_OVERLAP] = 2,
        [DIM_KV_GROUPS] = 3,       [DIM_GRAD_DTYPE] = DTYPES, [DIM_EXCHANGE] = COUNT(exchanges),
        [DIM_PLACEMENT] = 2,       [DIM_CHECK] = 2,
    };
    return dim == DIM_METHOD ? count_ways(ranks) : sizes[dim];
}

/* "docs:FILE" with the file of the lengths that add up to seq. */
static void open_mask(const char *text, int32_t seq, struct mask *out) {
    char full[4096], why[256] = "";
    const char *file = strstr(text, "FILE");
    const int before = file ? (int)(file - text) : (int)strlen(text);
    if (file)
        snprintf(full, sizeof full, "%.*s%s/docs_%d.txt%s", before, text, TEST_DATA_DIR, (int)seq,
                 file + strlen("FILE"));
    else
        snprintf(full, sizeof full, "%s", text);
    assert_int_equal(mask_open(full, seq, out, why, sizeof why), ST_OK);
    assert_string_equal(why, "");
}

/* 1, 2 and as many as there are. */
static int kv_groups_of(int value, int kv_heads) {
    if (value == 2)
        return kv_heads;
    return kv_heads > 1 ? value + 1 : 1;
}

/* Without its mask. */
static struct problem problem_of(const struct sp_choice *c, int ranks) {
    const struct way *w = way(ranks, c->v[DIM_METHOD]);
    const int shape = c->v[DIM_SHAPE], pass = c->v[DIM_PASS];
    struct problem p = {
        .batch = shapes[shape].batch,
        .seq = seqs[c->v[DIM_SEQ]],
        .heads = shapes[shape].heads,
        .kv_heads = shapes[shape].kv_heads,
        .head_dim = shapes[shape].head_dim,
        .hidden = shapes[shape].hidden,
        .rope_theta = 10000,
        .dtype = (enum dtype)c->v[DIM_DTYPE],
        .grad_dtype = (enum dtype)c->v[DIM_GRAD_DTYPE],
        .forward = passes[pass].forward,
        .backward = passes[pass].backward,
        .core_only = c->v[DIM_PROJECTIONS] == 0,
        .seed = 7,
        .sp_size = w->sp_size > 0 ? w->sp_size : ranks,
        .ulysses_size = w->ulysses_size,
        .inner = w->inner,
        .placement = (enum placement)c->v[DIM_PLACEMENT],
        .layout = (enum layout)c->v[DIM_LAYOUT],
        .fuse_qkv = c->v[DIM_FUSE_QKV] == 0,
        .overlap = c->v[DIM_OVERLAP] == 0,
        .kv_groups = kv_groups_of(c->v[DIM_KV_GROUPS], shapes[shape].kv_heads),
    };
    p.dp_shard_size = ranks / p.sp_size;
    w->method->split(&p);
    return p;
}

struct problem sp_choice_problem(const struct sp_choice *c, int ranks,
                                 const struct sp_method **method, const char **exchange) {
    struct problem p = problem_of(c, ranks);
    char why[256] = "";
    *method = way(ranks, c->v[DIM_METHOD])->method;
    *exchange = exchanges[c->v[DIM_EXCHANGE]];
    open_mask(masks[c->v[DIM_MASK]], p.seq, &p.mask);
    problem_pad(&p);
    assert_true(problem_valid(&p, why, sizeof why));
    assert_true((*method)->supports(&p, why, sizeof why));
    return p;
}

/* Hosts that all ranks share make hybrid the same as "pull". */
static bool one_host(const struct sp_choice *c, int ranks) {
    const char *exchange = exchanges[c->v[DIM_EXCHANGE]];
    return strchr(exchange, ':') && ranks_per_host(exchange, ranks) == ranks;
}

bool sp_choice_matters(const struct sp_choice *c, int ranks, enum sp_dim dim) {
    const struct problem p = problem_of(c, ranks);
    const bool gathers = way(ranks, c->v[DIM_METHOD])->method == &sp_allgather && p.sp_size > 1;
    const bool heads = !gathers && p.ulysses_size > 1, ring = !gathers && p.ring_size > 1;
    const bool options[SP_DIMS] = {
        [DIM_FUSE_QKV] = heads,
        [DIM_OVERLAP] = ring || (heads && !p.fuse_qkv) || (gathers && p.kv_groups > 1),
        [DIM_KV_GROUPS] = gathers && p.kv_heads > c->v[DIM_KV_GROUPS],
        [DIM_GRAD_DTYPE] = p.backward && (gathers || ring),
        [DIM_EXCHANGE] = !one_host(c, ranks),
        [DIM_PLACEMENT] = p.sp_size > 1 && p.dp_shard_size > 1,
    };
    const bool is_option = dim == DIM_FUSE_QKV || dim == DIM_OVERLAP || dim == DIM_KV_GROUPS ||
                           dim == DIM_GRAD_DTYPE || dim == DIM_EXCHANGE || dim == DIM_PLACEMENT;
    return !is_option || options[dim] || c->v[dim] == 0;
}

void sp_choice_text(const struct sp_choice *c, const struct problem *p,
                    const struct sp_method *method, const char *exchange, char *out, size_t size) {
    snprintf(out, size,
             "%s %dx%d%s dp %d%s, %s, %s, %s %s, batch %d seq %d heads %d/%d dim %d%s, pass %d%d, "
             "fuse-qkv %d, overlap %d, kv-groups %d, grad %s",
             method->name, p->ulysses_size, p->ring_size,
             p->inner == USP_INNER_RING ? " inner ring" : "", p->dp_shard_size,
             p->placement == SP_OUTER ? " outer" : "", masks[c->v[DIM_MASK]],
             layout_name(p->layout), dtype_name(p->dtype), exchange, p->batch, (int)p->seq,
             p->heads, p->kv_heads, p->head_dim, p->core_only ? "" : ", projections", p->forward,
             p->backward, p->fuse_qkv, p->overlap, p->kv_groups, dtype_name(p->grad_dtype));
}
