#include "plots/gnuplot.h"
#include "plots/plot.h"
#include "results/record/record.h"
#include "results/record/store.h"
#include "results/verdict/phase_class.h"
#include "tests/results/synthetic.h"

#include "tests/cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(char out[512], const char *dir, const char *name) {
    const int n = snprintf(out, 512, "%s/%s", dir, name);
    assert_in_range(n, 1, 511);
    return out;
}

/* A fresh folder for each test; what is in it goes with it. */
static int make_dir(void **state) {
    *state = strdup("/tmp/spb_plot_XXXXXX");
    return mkdtemp(*state) ? 0 : -1;
}

static void remove_tree(const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char below[512];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_tree(join(below, path, entry->d_name));
    }
    if (dir)
        closedir(dir);
    remove(path);
}

static int remove_dir(void **state) {
    remove_tree(*state);
    free(*state);
    return 0;
}

static bool exists(const char *dir, const char *name) {
    char path[512];
    struct stat info;
    return stat(join(path, dir, name), &info) == 0 && info.st_size > 0;
}

/* A run as `suite quick` leaves it: exchanges by size, then layers by length, sp_size and method.
 */
static void add_run(json_t *records) {
    for (long long bytes = 1024; bytes <= 64 << 20; bytes *= 4) {
        json_array_append_new(records, synthetic_comm("alltoall", "pairwise", 2, bytes, 6.5));
        json_array_append_new(records, synthetic_comm("alltoall", "alltoall", 2, bytes, 5.0));
        json_array_append_new(records, synthetic_comm("alltoall", "pairwise", 4, bytes, 4.0));
        json_array_append_new(records, synthetic_comm("ring", "pairwise", 2, bytes, 8.0));
        json_array_append_new(records, synthetic_comm("ring", "pairwise", 4, bytes, 5.5));
        json_array_append_new(records, synthetic_comm("allgather", "pairwise", 2, bytes, 7.2));
    }
    for (int seq = 1024; seq <= 8192; seq *= 2) {
        const double comm_share = 200.0 / (200.0 + 0.2 * seq);
        json_array_append_new(records, synthetic_attn(&(struct synthetic_attn){
                                           .method = "local", .sp = 1, .seq = seq}));
        for (int sp = 2; sp <= 4; sp *= 2) {
            json_array_append_new(
                records, synthetic_attn(&(struct synthetic_attn){
                             .method = "ulysses", .sp = sp, .seq = seq, .comm = comm_share}));
            json_array_append_new(
                records, synthetic_attn(&(struct synthetic_attn){.method = "ring",
                                                                 .sp = sp,
                                                                 .seq = seq,
                                                                 .spread = 0.05,
                                                                 .comm = 0.6 * comm_share}));
        }
    }
}

static void a_whole_run(void **state) {
    json_t *records = json_array();
    add_run(records);
    struct store *store;
    assert_int_equal(store_open(*state, &store), ST_OK);
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        assert_int_equal(store_append(store, record), ST_OK);
    }
    store_close(store);
    json_decref(records);

    const struct plot_options options = {.data_dir = PLOT_SCRIPTS, .formats = PLOT_PNG | PLOT_SVG};
    assert_int_equal(plot_run(*state, &options), ST_OK);
    static const char *const expected[] = {
        "bandwidth.png", "tokens.png", "memory.png", "phases.png",   "phases-4.png",
        "bandwidth.svg", "tokens.svg", "memory.svg", "phases-4.svg",
    };
    char dir[512];
    join(dir, *state, "plots");
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        if (!exists(dir, expected[k]))
            fail_msg("%s is missing", expected[k]);
    assert_false(exists(dir, "bandwidth_model.png")); /* the run has no data for it */

    /* SPB_KEEP_PICTURES=DIR: keep them, to be looked at */
    const char *keep = getenv("SPB_KEEP_PICTURES");
    if (keep)
        assert_int_equal(rename(dir, keep), 0);
}

/* Text that would run a command, break out of a string or end a data file. */
static void hostile_text_is_never_run(void **state) {
    static const char *const texts[] = {
        "`touch PWNED`",
        "\"; system('touch PWNED'); \"",
        "'.system(\"touch PWNED\").'",
        "\n\n\nx\"\n1 2 3\n",
        "@x",
        "{/=50 big}",
        "a\\\\\"b",
        "<touch PWNED",
        "|touch PWNED",
        "\xe2\x80\xae",
        "%s%n%d",
        "$(touch PWNED)",
    };
    json_t *records = json_array();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_array_append_new(
            records,
            synthetic_attn(&(struct synthetic_attn){
                .method = "ring", .sp = 2, .seq = 4096, .model = texts[0], .pass = "fwd"}));
        json_t *last = json_array_get(records, 2 * i);
        record_param_str(last, "method", texts[i]);
        record_param_str(last, "layout", texts[i]);
        json_array_append_new(json_object_get(last, "phases"),
                              json_pack("{s:s, s:f}", "name", texts[i], "median_s", 0.1));
        json_array_append_new(records, synthetic_comm(texts[i], texts[i], 2, 1024, 1.0));
    }
    char out[512];
    const struct plot_options options = {.out_dir = join(out, *state, "|touch PWNED"),
                                         .data_dir = PLOT_SCRIPTS,
                                         .formats = PLOT_SVG};
    char pictures[512];
    join(pictures, *state, "|touch PWNED");
    assert_int_equal(plot_records(records, &options), ST_OK);
    assert_true(exists(pictures, "phases.svg"));
    assert_false(exists(pictures, "PWNED"));
    assert_false(exists(*state, "PWNED"));
    assert_false(exists(".", "PWNED"));
    json_decref(records);
}

/* One point, huge and tiny numbers, no interval, no prediction: a picture, not an error. */
static void extreme_numbers(void **state) {
    json_t *records = json_array();
    json_array_append_new(
        records, synthetic_attn(&(struct synthetic_attn){.method = "local", .sp = 1, .seq = 64}));
    for (int i = 0; i < 2; i++) {
        json_t *r = synthetic_attn(&(struct synthetic_attn){
            .method = "ring", .sp = 2, .seq = 4096, .time_s = i ? 1e300 : 1e-300, .samples = 1});
        record_metric(r, "tokens_per_s", i ? 1e300 : 1e-300);
        json_object_del(json_object_get(r, "metrics"), "predicted_mem_bytes");
        record_param_int(r, "sp_size", i + 1);
        json_array_append_new(records, r);
    }
    json_t *zero = synthetic_comm("ring", "x", 2, 1024, 1.0);
    record_param_int(zero, "bytes", 0); /* not on a logarithmic axis */
    json_array_append_new(records, zero);
    const struct plot_options options = {
        .out_dir = *state, .data_dir = PLOT_SCRIPTS, .formats = PLOT_PNG};
    assert_int_equal(plot_records(records, &options), ST_OK);
    assert_true(exists(*state, "tokens.png"));
    assert_false(exists(*state, "bandwidth.png"));
    json_decref(records);
}

/* The text of a file in dir, which the caller frees. */
static char *contents(const char *dir, const char *name) {
    char path[512];
    FILE *in = fopen(join(path, dir, name), "r");
    if (!in)
        fail_msg("%s is missing", name);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    return text;
}

/* Lines that only some params tell apart name these; other shapes go to pages of their own. */
static void no_case_is_dropped(void **state) {
    json_t *records = json_array();
    for (int i = 0; i < 4; i++) {
        json_t *r =
            synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096});
        record_param_int(r, "core_only", i == 3);
        record_param_int(r, "kv_heads", i == 2 ? 2 : 8);
        if (i == 1)
            record_param_str(r, "layout", "contiguous");
        json_array_append_new(records, r);
    }
    const struct plot_options options = {
        .out_dir = *state, .data_dir = PLOT_SCRIPTS, .formats = PLOT_SVG};
    assert_int_equal(plot_records(records, &options), ST_OK);
    char *text = contents(*state, "tokens.dat");
    assert_non_null(strstr(text, "\"ring, sp 2, zigzag\"\n"));
    assert_non_null(strstr(text, "\"ring, sp 2, contiguous\"\n"));
    free(text);
    static const struct {
        const char *file, *setting;
    } pages[] = {{"tokens.svg", "kv_heads 8,"}, {"tokens-2.svg", "kv_heads 2,"}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        text = contents(*state, pages[i].file);
        assert_non_null(strstr(text, pages[i].setting));
        assert_null(strstr(text, "core only"));
        free(text);
    }
    text = contents(*state, "tokens-3.svg");
    assert_non_null(strstr(text, "core only 1"));
    free(text);
    assert_true(exists(*state, "phases-3.svg"));
    text = contents(*state, "phases.dat");
    assert_null(strstr(text, "ring, zigzag, mpi"));
    free(text);
    json_decref(records);
}

static void errors_are_told_apart(void **state) {
    json_t *empty = json_array(), *one = json_array();
    json_array_append_new(one, synthetic_comm("ring", "x", 2, 1024, 1.0));
    struct plot_options options = {
        .out_dir = *state, .data_dir = PLOT_SCRIPTS, .formats = PLOT_SVG};
    assert_int_equal(plot_records(empty, &options), ST_USAGE);
    options.data_dir = "/nonexistent";
    assert_int_equal(plot_records(one, &options), ST_ENV);
    options.data_dir = "/";
    assert_int_equal(plot_records(one, &options), ST_ENV);
    options.data_dir = PLOT_SCRIPTS;
    options.out_dir = "/proc/nowhere";
    assert_int_equal(plot_records(one, &options), ST_ENV);
    assert_int_equal(plot_run("/nonexistent", &options), ST_USAGE);

    char *path = strdup(getenv("PATH"));
    options.out_dir = *state;
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(plot_records(one, &options), ST_ENV); /* no gnuplot */
    setenv("PATH", path, 1);
    free(path);
    json_decref(empty);
    json_decref(one);
}

/* As many colours as classes of phases, when a picture has all of them. */
static void classes_have_their_own_colours(void **state) {
    static const char *const phases[] = {"alltoall_o", "kv_gather", "param_gather"};
    static const char fill[] = "fill = 'rgb(";
    json_t *records = json_array();
    json_t *r = synthetic_attn(&(struct synthetic_attn){.method = "ring", .sp = 2, .seq = 4096});
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        record_phase(r, phases[i], 0.1);
    json_array_append_new(records, r);
    const struct plot_options options = {
        .out_dir = *state, .data_dir = PLOT_SCRIPTS, .formats = PLOT_SVG};
    assert_int_equal(plot_records(records, &options), ST_OK);
    json_decref(records);
    char *text = contents(*state, "phases.svg");
    json_t *colours = json_object();
    for (const char *at = text; (at = strstr(at, fill));) {
        at += sizeof fill - 1;
        char colour[16];
        snprintf(colour, sizeof colour, "%.13s", at);
        json_object_set_new(colours, colour, json_true());
    }
    assert_int_equal(json_object_size(colours), PHASE_CLASSES);
    json_decref(colours);
    free(text);
}

static void labels(void **state) {
    (void)state;
    char out[8];
    gnuplot_label(out, sizeof out, "a`b\"c\n");
    assert_string_equal(out, "a_b_c_");
    gnuplot_label(out, sizeof out, "\xc3\xa9t\xc3\xa9");
    assert_string_equal(out, "_t_");
    gnuplot_label(out, sizeof out, "0123456789");
    assert_string_equal(out, "0123456");
}

int main(void) {
    const char *const paths[] = {"/usr/bin/gnuplot", "/usr/local/bin/gnuplot", "/bin/gnuplot"};
    bool found = false;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        found = found || access(paths[i], X_OK) == 0;
    if (!found)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),
        cmocka_unit_test_setup_teardown(a_whole_run, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(hostile_text_is_never_run, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(no_case_is_dropped, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(classes_have_their_own_colours, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(extreme_numbers, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(errors_are_told_apart, make_dir, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
