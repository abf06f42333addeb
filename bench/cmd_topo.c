/* topo: the machine, where ranks sit on it, and the links between them. */
#include <stdio.h>
#include <string.h>

#include "bench/commands.h"
#include "topology/print.h"

static enum status print(const struct opts *opts, FILE *out, const struct machine *machine,
                         const struct place *places, int n) {
    if (strcmp(opts_str(opts, "output", 0), "table") == 0) {
        topology_table(out, machine, places, n);
        return ST_OK;
    }
    json_t *json = topology_json(machine, places, n);
    if (!json)
        return ST_ENV;
    const int failed = json_dumpf(json, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(json);
    return failed ? fail(ST_ENV, "the topology could not be written") : ST_OK;
}

enum status topo_ranks(struct run *run) {
    enum status st = ST_OK;
    if (run->out)
        st = print(run->opts, run->out, run->machine, run->places, run->world->size);
    return group_agree(run->world, st);
}

bool topo_is_local(const struct opts *opts) {
    return opts_count(opts, "input") > 0 || opts_count(opts, "synthetic") > 0;
}

enum status topo_local(const struct opts *opts, const char *data_dir) {
    (void)data_dir;
    const bool file = opts_count(opts, "input") > 0;
    if (file && opts_count(opts, "synthetic") > 0)
        return fail(ST_USAGE, "--input and --synthetic describe two machines; give one of them");
    if (opts_is_set(opts, "ranks"))
        return fail(ST_USAGE, "-n starts ranks on this machine; leave it out with %s",
                    file ? "--input" : "--synthetic");
    struct machine machine;
    enum status st = machine_load(&machine, file ? "file" : "synthetic",
                                  opts_str(opts, file ? "input" : "synthetic", 0));
    if (st == ST_OK)
        st = print(opts, stdout, &machine, NULL, 0);
    machine_free(&machine);
    return st;
}
