#include "results/export/export.h"

#include "base/output.h"

const struct exporter *const *export_list(size_t *n) {
#define LIST(name) &export_##name,
    static const struct exporter *const exporters[] = {EXPORTERS(LIST)};
    *n = sizeof exporters / sizeof exporters[0];
    return exporters;
}

static enum status flushed(struct export_stream *stream) {
    if (stream->failed)
        return ST_ENV; /* said before */
    if (fflush(stream->out) == 0 && !ferror(stream->out))
        return ST_OK;
    stream->failed = true;
    return output_failed(stream->out, "the output");
}

enum status export_begin(struct export_stream *stream, const struct exporter *exporter, FILE *out) {
    *stream = (struct export_stream){.out = out, .exporter = exporter};
    if (exporter->begin)
        exporter->begin(stream);
    return flushed(stream);
}

enum status export_record(struct export_stream *stream, const json_t *record) {
    stream->exporter->record(stream, record);
    stream->count++;
    return flushed(stream);
}

enum status export_end(struct export_stream *stream) {
    if (stream->exporter->end)
        stream->exporter->end(stream);
    return flushed(stream);
}
