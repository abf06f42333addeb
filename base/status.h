/* Status codes and the log: what a function that can fail returns, and where its reason is said.
 *
 * The codes are the process exit codes of the command line contract, so the status that reaches
 * main() is what the shell sees. Rule: the first function that understands a failure calls
 * fail() with the values that matter and the remedy; every caller above passes the code up. */
#ifndef SPB_BASE_STATUS_H
#define SPB_BASE_STATUS_H

enum status {
    ST_OK = 0,
    ST_REGRESSION = 1,   /* a regression, or a threshold missed */
    ST_USAGE = 2,        /* bad option, bad input file, or a constraint that cannot hold */
    ST_ENV = 3,          /* environment or backend unavailable, out of memory, I/O error */
    ST_WRONG = 4,        /* a result was verified and is wrong */
    ST_TIMEOUT = 5,      /* --timeout reached */
    ST_INCONCLUSIVE = 6, /* too few samples to decide */
    ST_DIED = 7,         /* a rank died */
    ST_UNREAD =
        128 + 13, /* the reader of the output left: never said, as if SIGPIPE had ended us */
};

/* Logs "spbench: error: MESSAGE" to stderr and returns code, so that a failing function ends
 * with `return fail(ST_USAGE, "...")`. MESSAGE: what, where, what to do. */
enum status fail(enum status code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Logs a warning ("spbench: warning: ...") or a progress note (no prefix) to stderr. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum { LOG_QUIET = 1, LOG_SILENT = 2 };

/* Names the rank in every later line of this process ("spbench[3]: error: ..."); rank < 0: none.
 * LOG_QUIET drops warnings and notes: ranks other than 0 say nothing twice. LOG_SILENT drops
 * errors, too: of what all ranks find alike. 0: neither. */
void log_set_rank(int rank, int quiet);

#endif
