#include "bench/cases/case_list.h"

#include "base/output.h"
#include "base/text/units.h"

enum status case_list_open(struct case_list *list, const struct exporter *as, FILE *out) {
    *list = (struct case_list){.out = out, .as = as};
    if (as == &export_table || as == &export_json || as == &export_jsonl)
        return ST_OK;
    return fail(ST_USAGE, "--dry-run lists as -o table, json or jsonl, not %s", as->name);
}

void case_list_heading(struct case_list *list, const char *text) {
    if (list->as == &export_table)
        fprintf(list->out, "%s\n", text);
}

static void print_line(FILE *out, const char *title, const char *remark, const struct forecast *f) {
    fprintf(out, "%-52s", title);
    if (f->tokens > 0)
        fprintf(out, "  tokens %-8.0f  TFLOP %-9.4g", f->tokens, f->flops / 1e12);
    fprintf(out, "  sent/rank %-9s", format_bytes((double)f->sent).s);
    if (f->tokens > 0)
        fprintf(out, "  param/rank %-9s", format_bytes((double)f->param_sent).s);
    fprintf(out, "  memory/rank %s", format_bytes((double)f->memory).s);
    if (f->memory_apart > f->memory)
        fprintf(out, " on one host, up to %s across hosts",
                format_bytes((double)f->memory_apart).s);
    fprintf(out, *remark ? "\n    %s\n" : "\n%s", remark);
}

/* What does not apply is absent. */
static json_t *make_object(const char *name, const struct forecast *f) {
    json_t *o = json_pack("{s:s}", "case", name);
    if (f->tokens > 0) {
        json_object_set_new(o, "tokens", json_real(f->tokens));
        json_object_set_new(o, "flops", json_real(f->flops));
    }
    json_object_set_new(o, "bytes_predicted_per_rank", json_integer((json_int_t)f->sent));
    if (f->tokens > 0)
        json_object_set_new(o, "param_bytes_predicted_per_rank",
                            json_integer((json_int_t)f->param_sent));
    json_object_set_new(o, "predicted_mem_bytes", json_integer((json_int_t)f->memory));
    json_object_set_new(o, "predicted_mem_bytes_across_hosts",
                        json_integer((json_int_t)f->memory_apart));
    return o;
}

enum status case_list_add(struct case_list *list, const char *title, const char *name,
                          const char *remark, const struct forecast *f) {
    const bool array = list->as == &export_json;
    if (list->as == &export_table) {
        print_line(list->out, title, remark, f);
    } else {
        json_t *object = make_object(name, f);
        fputs(!array ? "" : list->n == 0 ? "[\n" : ",\n", list->out);
        json_dumpf(object, list->out, JSON_COMPACT);
        fputs(array ? "" : "\n", list->out);
        json_decref(object);
    }
    list->n++;
    return ferror(list->out) ? output_failed(list->out, "the list of cases") : ST_OK;
}

enum status case_list_close(struct case_list *list, enum status st) {
    if (list->as == &export_json && (list->n > 0 || st == ST_OK))
        fputs(list->n > 0 ? "\n]\n" : "[]\n", list->out);
    return st;
}
