#include "bench/output/sink.h"

#include <errno.h>
#include <string.h>

#include "bench/output/run_output.h"

/* One line of the wire, at once: it must survive what happens next to this process. */
static enum status send_line(FILE *wire, const json_t *value) {
    if (json_dumpf(value, wire, JSON_COMPACT | JSON_ENSURE_ASCII) == 0 && fputc('\n', wire) >= 0 &&
        fflush(wire) == 0)
        return ST_OK;
    return fail(ST_ENV, "a result could not be passed on: %s", strerror(errno));
}

static enum status pass_on(struct sink *sink, json_t *record) {
    if (sink->wire)
        return send_line(sink->wire, record);
    return sink->output ? run_output_record(sink->output, record) : ST_OK;
}

enum status sink_record(struct sink *sink, json_t *record) {
    if (!record)
        return fail(ST_ENV, "out of memory for a record");
    if (sink->fingerprint)
        json_object_set(record, "fingerprint", sink->fingerprint);
    if (sink->launch > 0)
        json_object_set_new(record, "launch", json_integer(sink->launch));
    const enum status st = pass_on(sink, record);
    json_decref(record);
    return st;
}

void sink_progress(struct sink *sink, size_t done, size_t total, const char *what) {
    if (sink->output)
        run_output_progress(sink->output, done, total, what);
    if (!sink->wire)
        return;
    json_t *line =
        json_pack("{s:[I,I], s:s}", "progress", (json_int_t)done, (json_int_t)total, "what", what);
    if (line)
        send_line(sink->wire, line);
    json_decref(line);
}

void sink_close(struct sink *sink) {
    json_decref(sink->fingerprint);
    *sink = (struct sink){0};
}
