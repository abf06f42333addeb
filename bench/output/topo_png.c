#include "bench/output/topo_png.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "plots/gnuplot.h"

enum { PATH_ROOM = 4096 };

static enum status copy_file(const char *path, FILE *out) {
    char buf[8192];
    size_t n;
    FILE *in = fopen(path, "rb");
    if (!in)
        return fail(ST_ENV, "gnuplot wrote no picture: %s", strerror(errno));
    while ((n = fread(buf, 1, sizeof buf, in)) > 0)
        fwrite(buf, 1, n, out);
    fclose(in);
    return ferror(out) ? output_failed(out, "the picture") : ST_OK;
}

enum status topo_png(FILE *out, const struct machine *machine, const struct place *places, int n,
                     const struct pair_rates *rates) {
    const char *tmp = getenv("TMPDIR");
    char dir[PATH_ROOM - 16], script[PATH_ROOM], png[PATH_ROOM];
    const int length = snprintf(dir, sizeof dir, "%s/spbench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (length < 0 || (size_t)length >= sizeof dir || !mkdtemp(dir))
        return fail(ST_ENV, "no folder for the picture in %s: %s", tmp ? tmp : "/tmp",
                    strerror(errno));
    snprintf(script, sizeof script, "%s/topo.gp", dir);
    snprintf(png, sizeof png, "%s/topo.png", dir);
    FILE *file = fopen(script, "w");
    enum status st = file ? topology_gnuplot(file, "topo.png", machine, places, n, rates)
                          : fail(ST_ENV, "cannot write %s: %s", script, strerror(errno));
    if (file && fclose(file) != 0 && st == ST_OK)
        st = fail(ST_ENV, "cannot write %s: %s", script, strerror(errno));
    if (st == ST_OK)
        st = gnuplot_run_script(dir, "topo.gp");
    if (st == ST_OK)
        st = copy_file(png, out);
    unlink(script);
    unlink(png);
    rmdir(dir);
    return st;
}
