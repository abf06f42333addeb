/* Pictures of every machine in data/ and of some synthetic ones: texts must not overlap. */
#include <dirent.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "topology/model/machine.h"
#include "topology/place/bind.h"
#include "topology/place/place.h"
#include "topology/print/picture/drawing.h"
#include "topology/print/picture/parts.h"

#include "tests/cmocka_all.h"
#include "tests/topology/formats.h"

static bool overlap(const struct shape *a, const struct shape *b) {
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

/* Whether a text lies within every rectangle that holds its upper left corner. */
static bool is_inside(const struct shape *text, const struct shape *rect) {
    const bool starts = text->x >= rect->x && text->x < rect->x + rect->w && text->y >= rect->y &&
                        text->y < rect->y + rect->h;
    return !starts || (text->x + text->w <= rect->x + rect->w + 0.01 &&
                       text->y + text->h <= rect->y + rect->h + 0.01);
}

static void check(const char *what, const struct machine *machine, const struct place *places,
                  int n, const struct pair_rates *rates) {
    struct drawing d = {0};
    assert_int_equal(picture_draw(&d, machine, places, n, rates), ST_OK);
    assert_true(d.n > 3);
    for (size_t i = 0; i < d.n; i++) {
        const struct shape *a = &d.shapes[i];
        assert_true(a->x >= 0 && a->y >= 0 && a->x + a->w <= d.width && a->y + a->h <= d.height);
        for (size_t j = 0; a->text[0] && j < d.n; j++) {
            const struct shape *b = &d.shapes[j];
            if (j < i && b->text[0] && overlap(a, b))
                fail_msg("%s: \"%s\" and \"%s\" overlap", what, a->text, b->text);
            if (!b->text[0] && !is_inside(a, b))
                fail_msg("%s: \"%s\" leaves its box", what, a->text);
        }
    }
    drawing_free(&d);
}

/* Seats ranks on one or more such machines, and checks the picture, with something measured. */
static void check_ranks(const char *what, const struct machine *machine, int hosts, int n) {
    struct place *places = calloc((size_t)n, sizeof *places);
    double *gb_s = calloc((size_t)n * (size_t)n, sizeof *gb_s);
    enum link_class *classes = calloc((size_t)n * (size_t)n, sizeof *classes);
    for (int i = 0; i < n * n; i++)
        gb_s[i] = i % (n + 1) ? 123.45 / (1 + abs(i / n / 8 - i % n / 8) % 7) : 0;
    const struct pair_rates rates = {"measured", n, gb_s, classes};
    assert_int_equal(bind_described(machine, BIND_CORE, hosts, n, places), ST_OK);
    check(what, machine, places, n, &rates);
    check(what, machine, NULL, 0, &rates);
    free(classes);
    free(gb_s);
    free(places);
}

static void every_machine(void **state) {
    (void)state;
    DIR *dir = opendir(TEST_DATA_DIR);
    int seen = 0;
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strstr(entry->d_name, ".expected.json");
        char path[512];
        if (!dot || !expected_of_this_hwloc(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%.*s.xml", TEST_DATA_DIR, (int)(dot - entry->d_name),
                 entry->d_name);
        struct machine machine;
        assert_int_equal(machine_load(&machine, "file", path), ST_OK);
        check(path, &machine, NULL, 0, NULL);
        check_ranks(path, &machine, 2, 6);
        machine_free(&machine);
        seen++;
    }
    closedir(dir);
    assert_true(seen > 5);
}

static void synthetic_machines(void **state) {
    (void)state;
    static const struct {
        const char *machine;
        int hosts, ranks;
    } cases[] = {
        {"package:2 [numa] l3:2 core:4 pu:2", 2, 16},
        {"package:2 [numa] l3:2 core:4 pu:2", 64, 512}, /* hosts that are not shown, strips */
        {"package:1 core:1 pu:1", 1, 40},               /* a crowd on one core */
        {"package:2 core:3 pu:1", 3, 3},                /* a NUMA node larger than packages */
        {"[numa] core:96 pu:1", 1, 96},                 /* no package, cells without words */
        {"package:4 [numa] [numa] l3:8 core:8 pu:2", 1, 256},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine;
        assert_int_equal(machine_load(&machine, "synthetic", cases[i].machine), ST_OK);
        check_ranks(cases[i].machine, &machine, cases[i].hosts, cases[i].ranks);
        machine_free(&machine);
    }
}

/* Names from a file that mean something to XML and to gnuplot. */
static void text_is_escaped(void **state) {
    (void)state;
    struct drawing d = {0};
    char *text = NULL;
    size_t size = 0;
    drawing_text(&d, 0, 0, 10, 0, "<script>&\"'`system('x')`\n\x80$(x)");
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(drawing_svg(&d, out), ST_OK);
    fclose(out);
    assert_null(strstr(text, "<script"));
    xmlDoc *doc = xmlReadMemory(text, (int)size, "x.svg", NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    xmlChar *content = xmlNodeGetContent(xmlDocGetRootElement(doc));
    assert_non_null(strstr((const char *)content, "<script>&\"'`system('x')`??$(x)"));
    xmlFree(content);
    xmlFreeDoc(doc);
    free(text);

    out = open_memstream(&text, &size);
    assert_int_equal(drawing_gnuplot(&d, "x.png", out), ST_OK);
    fclose(out);
    assert_non_null(strstr(text, "'<script>&\"''`system(''x'')`??$(x)' at screen"));
    free(text);
    drawing_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine),
        cmocka_unit_test(synthetic_machines),
        cmocka_unit_test(text_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
