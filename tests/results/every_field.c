#include "tests/results/every_field.h"

#include "results/record/fields.h"

#include "tests/cmocka_all.h"

static json_t *everything_in(enum section section);

static json_t *sample(const struct field *f) {
    switch (f->type) {
    case FIELD_TEXT:
        return json_string(f->constant ? f->constant : "some text");
    case FIELD_BOOL:
        return json_true();
    case FIELD_COUNT:
        return json_integer(1 << 20);
    case FIELD_REAL:
        return json_real(1.5);
    case FIELD_UP_TO_1:
        return json_real(-0.25);
    case FIELD_REALS:
    case FIELD_INTERVAL:
        return json_pack("[f, f]", 0.0, 2.5);
    case FIELD_TEXTS:
        return json_pack("{s:s}", "OMP_PLACES", "cores");
    case FIELD_OBJECT:
        return everything_in(f->opens);
    default:
        return json_pack("[o, o]", everything_in(f->opens), everything_in(f->opens));
    }
}

static json_t *everything_in(enum section section) {
    json_t *object = json_object();
    for (const struct field *f = record_fields; f->key; f++)
        if (f->section == section)
            assert_int_equal(json_object_set_new(object, f->key, sample(f)), 0);
    return object;
}

json_t *every_field(void) {
    return everything_in(IN_RECORD);
}
