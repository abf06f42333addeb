/* One array, and one object a line. Records go out whole, unknown fields included. */
#include "results/export/export.h"

static void write_record(struct export_stream *stream, const json_t *record) {
    json_dumpf(record, stream->out, JSON_COMPACT);
}

static void begin(struct export_stream *stream) {
    fputc('[', stream->out);
}

static void element(struct export_stream *stream, const json_t *record) {
    fputs(stream->count ? ",\n " : "\n ", stream->out);
    write_record(stream, record);
}

static void end(struct export_stream *stream) {
    fputs(stream->count ? "\n]\n" : "]\n", stream->out);
}

static void line(struct export_stream *stream, const json_t *record) {
    write_record(stream, record);
    fputc('\n', stream->out);
}

const struct exporter export_json = {
    .name = "json",
    .help = "one JSON array of records",
    .begin = begin,
    .record = element,
    .end = end,
};
const struct exporter export_jsonl = {
    .name = "jsonl",
    .help = "one JSON record a line, as --save keeps them",
    .record = line,
};
