/* What a command line of spbench says, as fields: one per option, from the rows of options.def.
 *
 * The same struct holds the options of a whole command (of a list the first value) and those of
 * each case of its sweep (bench/options/sweep.h). */
#ifndef SPB_BENCH_OPTIONS_OPTIONS_H
#define SPB_BENCH_OPTIONS_OPTIONS_H

#include "attn/problem/layout.h"
#include "base/options/options.h"
#include "comm/op/op.h"
#include "comm/ranks/grid.h"
#include "comm/ranks/wait.h"
#include "device/dtype.h"
#include "topology/place/bind.h"

struct command;
struct sp_method;
struct compute_row;
struct mpi_algorithm;
struct transport_row;
struct sync_row;
struct exporter;
struct compare_printer;

enum cache_state { CACHE_WARM, CACHE_COLD };
enum link_rates_from { LINK_RATES_AUTO, LINK_RATES_PROBE, LINK_RATES_OFF };
enum info_form { INFO_TABLE, INFO_JSON };
enum topology_form { TOPO_TABLE, TOPO_JSON, TOPO_SVG, TOPO_PNG, TOPO_FORMS };
enum generated {
    GENERATE_NOTHING,
    GENERATE_MAN,
    GENERATE_BASH,
    GENERATE_RECORD_MD,
    GENERATE_RECORD_SCHEMA,
    GENERATE_MODELS
};

/* "auto" is 0 or NULL, of an enum its end (WAIT_POLICIES, LAYOUTS), of kernels the word. 0 and NULL
 * stand for what has no default, too. */
struct options {
    const struct opts *line;       /* arguments, and all values of lists */
    const struct command *command; /* NULL: none was given, and need not be */
#define VARIANT(...)
#define OPTION(type, field, ...) bool field;
    struct {
#include "bench/options/options.def"
    } given; /* on the command line */
#undef OPTION
#define OPTION(type, field, ...) type field;
#include "bench/options/options.def"
#undef OPTION
#undef VARIANT
};

/* opts_parse() into out, which refers to table and argv. table's commands begin struct commands.
 * options_free() in any case. */
enum status options_parse(const struct option_table *table, int argc, char *const argv[],
                          struct options *out);
void options_free(struct options *options);

/* Whether a row means something to who lists these keys (NULL: none of the scoped ones). */
bool option_in_scope(const struct option *row, const char *const *scope);

/* Keys of the command's variable options that have several values, ending with NULL; the caller
 * frees the list. NULL without memory. */
const char **options_swept(const struct options *options);

/* Gives what does not its default, so that it makes no difference. */
void options_keep(struct options *options, const char *const *scope);

#endif
