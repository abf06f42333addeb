#include <stdio.h>
#include <string.h>

#include "comm/transport/transport.h"

/* In the order in which "auto" tries them. */
#define TRANSPORTS(ROW)                                                                            \
    ROW(shm)                                                                                       \
    ROW(hybrid)                                                                                    \
    ROW(mpi)

#define DECLARE(name) extern const struct transport_row transport_##name;
#define LIST(name) &transport_##name,

TRANSPORTS(DECLARE)
const struct transport_row *const transport_table[] = {TRANSPORTS(LIST) NULL};

/* The rows that "auto" chooses from: naming an algorithm asks for it everywhere. */
static bool eligible(const struct transport_row *row, const struct mpi_algorithm *algorithm) {
    return !algorithm || row->algorithm == ALGORITHM_EVERYWHERE;
}

struct staging_rule transport_staging(const struct transport_row *row,
                                      const struct mpi_algorithm *algorithm, bool one_host) {
    const struct transport_row *first = NULL;
    int n = 0;
    for (size_t i = 0; transport_table[i] && !row; i++)
        if (eligible(transport_table[i], algorithm) && (one_host || !transport_table[i]->one_host))
            first = n++ > 0 ? first : transport_table[i];
    if (n > 1 && !one_host)
        return (struct staging_rule){STAGED_MOST, false};
    return (row ? row : first)->staging(algorithm, one_host);
}

/* Appends "NAME: WHY" to the reasons in text. */
static void add_reason(char *text, size_t size, const char *name, const char *why) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s: %s", used > 0 ? "; " : "", name, why);
}

/* Of all ranks, who then ask together whom it reaches. */
static bool available(const struct transport_row *row, const struct group *world, char *why,
                      size_t why_size) {
    const bool here = row->available(why, why_size);
    const bool everywhere = group_agree(world, here ? ST_OK : ST_ENV) == ST_OK;
    if (here && !everywhere)
        snprintf(why, why_size, "not on all ranks");
    return everywhere;
}

static enum status open_row(const struct transport_row *row, const struct transport_config *config,
                            const char *chosen_as, struct transport **out) {
    enum status st = row->open(config, out);
    st = group_agree(config->world, st);
    if (st != ST_OK) {
        transport_close(*out);
        *out = NULL;
        return st;
    }
    (*out)->row = row;
    snprintf((*out)->chosen_as, sizeof(*out)->chosen_as, "%s", chosen_as);
    return ST_OK;
}

enum status transport_open(const struct transport_row *row, const struct transport_config *config,
                           struct transport **out) {
    char reasons[sizeof((struct transport *)0)->chosen_as] = "";
    *out = NULL;
    for (size_t i = 0; transport_table[i]; i++) {
        const struct transport_row *candidate = transport_table[i];
        char why[160] = "";
        if (row && candidate != row)
            continue;
        if (!row && !eligible(candidate, config->algorithm)) {
            add_reason(reasons, sizeof reasons, candidate->name,
                       "--mpi-algo names an algorithm of mpi");
            continue;
        }
        const bool reached = available(candidate, config->world, why, sizeof why) &&
                             candidate->reaches(config, why, sizeof why);
        add_reason(reasons, sizeof reasons, candidate->name, why);
        if (reached)
            return open_row(candidate, config, row ? "" : reasons, out);
    }
    return fail(ST_ENV, "transport %s cannot be used: %s", row ? row->name : "auto", reasons);
}
