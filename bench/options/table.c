#include "bench/options/table.h"

#include "attn/compute/compute.h"
#include "attn/formula/method.h"
#include "attn/problem/layout.h"
#include "attn/problem/mask.h"
#include "bench/cases/comm_kinds.h"
#include "bench/measure/synchronise.h"
#include "comm/transport/mpi/algorithm.h"
#include "comm/transport/transport.h"
#include "comm/wrap/fault.h"

/* Bits of struct option's commands. */
enum {
    INFO = 1 << COMMAND_INFO,
    TOPO = 1 << COMMAND_TOPO,
    COMM = 1 << COMMAND_COMM,
    ATTN = 1 << COMMAND_ATTN,
    COMPARE = 1 << COMMAND_COMPARE,
    PLOT = 1 << COMMAND_PLOT,
    REPORT = 1 << COMMAND_REPORT,
    SUITE = 1 << COMMAND_SUITE,
    RUNS = COMM | ATTN,            /* measure cases */
    RECORDS = COMM | ATTN | SUITE, /* write records */
    ALL = (1 << COMMANDS) - 1,
};

static const struct option_command commands[COMMANDS] = {
    [COMMAND_INFO] = {"info",
                      "Version, build features, and which backends are available and why not", "",
                      0, 0},
    [COMMAND_TOPO] = {"topo",
                      "Topology of this machine, where ranks sit, and the link between any two", "",
                      0, 0},
    [COMMAND_COMM] = {"comm", "Measures exchanges alone, by message size or by model shape", "", 0,
                      0},
    [COMMAND_ATTN] = {"attn", "Measures a sequence-parallel attention layer, method beside method",
                      "", 0, 0},
    [COMMAND_COMPARE] = {"compare", "Compares two runs case by case; exit code 1 on a regression",
                         "BASE NEW", 2, 2},
    [COMMAND_PLOT] = {"plot", "Draws the pictures of a run with gnuplot", "RUN_DIR", 1, 1},
    [COMMAND_REPORT] = {"report", "Prints the records of runs, in any format", "RUN_DIR...", 1, 64},
    [COMMAND_SUITE] = {"suite", "Runs a named list of cases: quick, numerics", "NAME", 1, 1},
};

#define NAMES(...)                                                                                 \
    .choices = (const char *const[]) {                                                             \
        __VA_ARGS__, NULL                                                                          \
    }

/* Names that come from the tables of what is built in; "auto" stands before some. */
static const char *method_choice(size_t i) {
    return sp_methods[i] ? sp_methods[i]->name : NULL;
}

static const char *device_choice(size_t i) {
    return compute_rows[i] ? compute_rows[i]->device->name : NULL;
}

static const char *sync_choice(size_t i) {
    return sync_table[i] ? sync_table[i]->name : NULL;
}

static const char *layout_choice(size_t i) {
    return i == 0 ? "auto" : i <= LAYOUTS ? layout_name((enum layout)(i - 1)) : NULL;
}

static const char *transport_choice(size_t i) {
    if (i == 0)
        return "auto";
    return transport_table[i - 1] ? transport_table[i - 1]->name : NULL;
}

static const char *algorithm_choice(size_t i) {
    if (i == 0)
        return "auto";
    return mpi_algorithm_table[i - 1] ? mpi_algorithm_table[i - 1]->name : NULL;
}

/* A predicate on text: what it returns is what would be allowed. */
static const char *check_fault(const char *text) {
    struct fault fault;
    return fault_read(text, &fault) ? NULL : "corrupt, hang or die, then [:RANK[:EXCHANGE]]";
}

/* Order matters twice: rows of a group stand together in help, and in a sweep later variables
 * change faster. So what is compared side by side (methods, algorithms) comes last. */
static const struct option options[] = {
/* clang-format off */
#define GROUP .group = "Launch"
    {.name = "ranks", .letter = 'n', .type = OPT_COUNT, .list = true, .variable = true,
     .value = "N", .initial = "1", .min = 1, .max = 65536, .commands = TOPO | RUNS, GROUP,
     .help = "Ranks to start; every entry of a list is a launch of its own"},
    {.name = "launches", .type = OPT_COUNT, .value = "N", .initial = "1", .min = 1, .max = 1000,
     .commands = RUNS, GROUP,
     .help = "Repeat every launch: placement and page layout change from one to the next"},
    {.name = "timeout", .type = OPT_DURATION, .value = "TIME", .initial = "0",
     .commands = TOPO | RECORDS, GROUP,
     .help = "Abort a launch that takes longer and say where its ranks waited; 0: never"},
    {.name = "bind", .type = OPT_CHOICE, .variable = true, .value = "UNIT", .initial = "core",
     NAMES("core", "numa", "none"), .commands = TOPO | RUNS, GROUP,
     .help = "What a rank is pinned to: its share of the cores, its NUMA node, or nothing"},
    {.name = "threads", .type = OPT_COUNT, .list = true, .automatic = true, .variable = true,
     .value = "N", .initial = "auto", .min = 1, .max = 4096, .commands = RUNS, GROUP,
     .help = "Compute threads of a rank; auto: allowed cores / ranks of the node"},
    {.name = "wait", .type = OPT_CHOICE, .variable = true, .value = "POLICY",
     .initial = "auto", NAMES("auto", "spin", "yield", "block"), .commands = RUNS, GROUP,
     .help = "How a rank waits for its peers; auto: spin if every rank has a core of its own"},
#undef GROUP

#define GROUP .group = "Problem (the same global problem for every method)"
    {.name = "op", .type = OPT_CHOICE, .list = true, .variable = true, .value = "OP",
     .initial = "alltoall",
     .choice = comm_op_name,
     .commands = COMM, GROUP,
     .help = "Exchange to measure; ulysses and usp need the shape of a model, the others take one or "
             "--bytes"},
    {.name = "model", .type = OPT_STRING, .list = true, .variable = true, .value = "NAME|FILE",
     .commands = RUNS, GROUP,
     .help = "Shape of a model: a name that 'info' lists, or a Hugging Face config.json"},
    {.name = "heads", .type = OPT_COUNT, .list = true, .variable = true, .value = "N", .min = 1,
     .max = 65536, .commands = RUNS, GROUP, .help = "Query heads; overrides the model"},
    {.name = "kv-heads", .type = OPT_COUNT, .list = true, .variable = true, .value = "N",
     .min = 1, .max = 65536, .commands = RUNS, GROUP,
     .help = "Key/value heads, a divisor of the query heads; overrides the model"},
    {.name = "head-dim", .type = OPT_COUNT, .list = true, .variable = true, .value = "N",
     .min = 1, .max = 4096, .commands = RUNS, GROUP,
     .help = "Elements of a head; overrides the model"},
    {.name = "hidden", .type = OPT_COUNT, .list = true, .variable = true, .value = "N", .min = 1,
     .max = 1 << 20, .commands = ATTN, GROUP,
     .help = "Elements of a token outside attention; overrides the model"},
    {.name = "batch", .type = OPT_COUNT, .list = true, .variable = true, .value = "N",
     .initial = "1", .min = 1, .max = 65536, .commands = RUNS, GROUP,
     .help = "Sequences per data-parallel group"},
    {.name = "mask", .type = OPT_STRING, .list = true, .variable = true, .value = "MASK",
     .initial = "causal", .check = mask_check, .commands = ATTN, GROUP,
     .help = "Which keys a query sees: full; causal; docs:N or docs:FILE (packed documents, equal or "
             "of the lengths in a file); window:N (the last N keys); or several, joined by '+'"},
    {.name = "dtype", .type = OPT_CHOICE, .list = true, .variable = true, .value = "TYPE",
     .initial = "fp32", NAMES("fp32", "bf16"), .commands = RUNS, GROUP,
     .help = "Element type of tensors and of their exchanges"},
    {.name = "grad-dtype", .type = OPT_CHOICE, .list = true, .variable = true, .value = "TYPE",
     .initial = "fp32", NAMES("fp32", "bf16"), .commands = RUNS, GROUP,
     .help = "Element type in which travelling dK and dV are exchanged"},
    {.name = "pass", .type = OPT_CHOICE, .list = true, .variable = true, .value = "PASS",
     .initial = "fwd", NAMES("fwd", "bwd", "fwdbwd"), .commands = COMM, GROUP,
     .help = "The exchange of the forward pass, of the backward pass, or both"},
    {.name = "pass", .type = OPT_CHOICE, .list = true, .variable = true, .value = "PASS",
     .initial = "fwdbwd", NAMES("fwd", "bwd", "fwdbwd"), .commands = ATTN, GROUP,
     .help = "Forward, backward, or both"},
    {.name = "core-only", .type = OPT_FLAG, .variable = true, .commands = ATTN, GROUP,
     .help = "Leave out the projections: attention on generated Q, K, V"},
    {.name = "seq", .type = OPT_COUNT, .list = true, .variable = true, .value = "TOKENS",
     .min = 1, .max = INT32_MAX, .commands = RUNS, GROUP,
     .help = "Global sequence length, over all ranks of a sequence-parallel group"},
    {.name = "pad", .type = OPT_FLAG, .variable = true, .commands = ATTN, GROUP,
     .help = "Pad a sequence that does not divide over the ranks; padding counts as nothing"},
    {.name = "bytes", .type = OPT_SIZE, .list = true, .variable = true, .value = "BYTES",
     .min = 1, .commands = COMM, GROUP,
     .help = "Instead of a model's shape: a rank's whole send buffer, own block included; for "
             "pairs the largest message"},
#undef GROUP

#define GROUP .group = "Machine"
    {.name = "input", .type = OPT_STRING, .value = "FILE", .commands = TOPO, GROUP,
     .help = "Show the machine in a file instead of this one: hwloc XML, as lstopo writes it, or an "
             "NCCL topology (NCCL_TOPO_DUMP_FILE)"},
    {.name = "synthetic", .type = OPT_STRING, .value = "MACHINE", .commands = TOPO, GROUP,
     .help = "Show a machine described in hwloc's words: 'package:2 l3:1 core:4 pu:2'"},
    {.name = "nodes", .type = OPT_COUNT, .value = "N", .initial = "1", .min = 1, .max = 1024,
     .commands = TOPO, GROUP,
     .help = "Hosts like the one of --input or --synthetic, over which -n ranks are spread evenly"},
    {.name = "run", .type = OPT_STRING, .value = "DIR", .commands = TOPO, GROUP,
     .help = "Draw the bandwidth between ranks that 'comm --op pairs' saved in a run folder, and by "
             "default the machine of that run"},
#undef GROUP

#define GROUP .group = "Parallelism"
    {.name = "sp", .type = OPT_COUNT, .list = true, .automatic = true, .variable = true,
     .value = "N", .initial = "auto", .min = 1, .max = 65536, .commands = RUNS, GROUP,
     .help = "Ranks that share a sequence; auto: all ranks, or ranks / dp-shard"},
    {.name = "dp-shard", .type = OPT_COUNT, .list = true, .automatic = true, .variable = true,
     .value = "N", .initial = "auto", .min = 1, .max = 65536, .commands = RUNS, GROUP,
     .help = "Data-parallel groups; parameters are sharded over all ranks. auto: ranks / sp"},
    {.name = "placement", .type = OPT_CHOICE, .list = true, .variable = true, .value = "ORDER",
     .initial = "sp-inner", NAMES("sp-inner", "sp-outer"), .commands = RUNS, GROUP,
     .help = "Whether the ranks of a sequence are neighbours, or those of a parameter shard"},
    {.name = "sp", .type = OPT_COUNT, .automatic = true, .value = "N", .initial = "auto", .min = 1,
     .max = 65536, .commands = TOPO, GROUP,
     .help = "Show which links groups of N ranks that share a sequence would use"},
    {.name = "dp-shard", .type = OPT_COUNT, .automatic = true, .value = "N", .initial = "auto",
     .min = 1, .max = 65536, .commands = TOPO, GROUP,
     .help = "Data-parallel groups; auto: ranks / sp"},
    {.name = "placement", .type = OPT_CHOICE, .value = "ORDER", .initial = "sp-inner",
     NAMES("sp-inner", "sp-outer"), .commands = TOPO, GROUP,
     .help = "The placement that advice starts from"},
    {.name = "ulysses-size", .type = OPT_COUNT, .list = true, .automatic = true, .variable = true,
     .value = "N", .initial = "auto", .min = 1, .max = 65536, .commands = RUNS, GROUP,
     .help = "usp: ranks of a Ulysses group, the others are its rings; auto: the largest divisor of "
             "--sp that divides the KV heads"},
    {.name = "inner", .type = OPT_CHOICE, .list = true, .variable = true, .value = "GROUP",
     .initial = "ulysses", NAMES("ulysses", "ring"), .commands = RUNS, GROUP,
     .help = "usp: whether the ranks of a Ulysses group are neighbours, or those of a ring"},
    {.name = "fuse-qkv", .type = OPT_CHOICE, .list = true, .variable = true, .value = "ON|OFF",
     .initial = "on", NAMES("on", "off"), .commands = RUNS, GROUP,
     .help = "ulysses, usp: Q, K and V in one all-to-all, or one after the other"},
    {.name = "ring-direction", .type = OPT_CHOICE, .list = true, .variable = true,
     .value = "WAYS", .initial = "one", NAMES("one", "both"), .commands = COMM, GROUP,
     .help = "ring, ring-hop: blocks travel one way round, or their halves in both directions"},
    {.name = "layout", .type = OPT_CHOICE, .list = true, .variable = true, .value = "LAYOUT",
     .initial = "auto", .choice = layout_choice, .commands = ATTN, GROUP,
     .help = "Which tokens a rank holds; auto: zigzag for ring and usp under a causal mask, else contiguous"},
    {.name = "method", .type = OPT_CHOICE, .list = true, .variable = true, .value = "METHOD",
     .initial = "ulysses,ring", .choice = method_choice, .commands = ATTN, GROUP,
     .help = "Sequence-parallel method"},
    {.name = "kv-groups", .type = OPT_COUNT, .list = true, .variable = true, .value = "N",
     .initial = "1", .min = 1, .max = 65536, .commands = ATTN, GROUP,
     .help = "allgather: K/V heads are gathered in so many groups, one after the other"},
    {.name = "overlap", .type = OPT_CHOICE, .list = true, .variable = true, .value = "STATE",
     .initial = "on", NAMES("on", "off"), .commands = ATTN, GROUP,
     .help = "Exchange while computing: ring's hops, allgather's groups, dO, parameters; with "
             "--fuse-qkv off, Q, K, V and their gradients one under the other's projection"},
#undef GROUP

#define GROUP .group = "Backends"
    {.name = "device", .type = OPT_CHOICE, .list = true, .variable = true, .value = "DEVICE",
     .initial = "cpu", .choice = device_choice, .commands = RUNS, GROUP, .help = "Where tensors live"},
    {.name = "kernel", .type = OPT_STRING, .list = true, .variable = true, .value = "KERNEL",
     .initial = "auto", .commands = ATTN, GROUP,
     .help = "Attention kernel, see --list; auto: the fastest that supports the case"},
    {.name = "transport", .type = OPT_CHOICE, .list = true, .variable = true,
     .value = "TRANSPORT", .initial = "auto", .choice = transport_choice, .commands = RUNS, GROUP,
     .help = "What carries the exchanges"},
    {.name = "mpi-algo", .type = OPT_CHOICE, .list = true, .variable = true, .value = "ALGO",
     .initial = "auto", .choice = algorithm_choice, .commands = RUNS, GROUP,
     .help = "How the mpi transport carries out an exchange, see --list; auto: what a trial of each finds "
             "fastest"},
#undef GROUP

#define GROUP .group = "Measurement"
    {.name = "check", .type = OPT_FLAG, .initial = "on", .commands = RUNS, GROUP,
     .help = "Verify results; a wrong one ends with exit code 4"},
    {.name = "cache", .type = OPT_CHOICE, .list = true, .variable = true, .value = "STATE",
     .initial = "warm", NAMES("warm", "cold"), .commands = RUNS, GROUP,
     .help = "cold: rotate buffers through more than the last-level cache"},
    {.name = "sync", .type = OPT_CHOICE, .list = true, .variable = true, .value = "SYNC",
     .initial = "barrier", .choice = sync_choice, .commands = RUNS, GROUP,
     .help = "What aligns the ranks before an iteration; window: a common start time on "
             "synchronised clocks"},
    {.name = "rel-ci", .type = OPT_REAL, .value = "RATIO", .initial = "2%", .max = 1,
     .commands = RECORDS, GROUP,
     .help = "Stop when the 95% confidence interval is within this of the median, either side"},
    {.name = "max-time", .type = OPT_DURATION, .value = "TIME", .initial = "5s",
     .commands = COMM | SUITE, GROUP, .help = "Stop measuring a case after this, converged or not"},
    {.name = "max-time", .type = OPT_DURATION, .value = "TIME", .initial = "20s",
     .commands = ATTN, GROUP, .help = "Stop measuring a case after this, converged or not"},
    {.name = "max-warmup", .type = OPT_DURATION, .value = "TIME", .initial = "2s",
     .commands = RUNS, GROUP, .help = "Stop warming a case up after this, steady or not"},
    {.name = "min-samples", .type = OPT_COUNT, .value = "N", .initial = "10", .min = 1,
     .max = 1 << 20, .commands = RUNS, GROUP,
     .help = "Iterations before the confidence interval may stop a case"},
    {.name = "max-samples", .type = OPT_COUNT, .value = "N", .initial = "1000", .min = 1,
     .max = 1 << 20, .commands = RUNS, GROUP, .help = "Iterations after which a case ends"},
    {.name = "link-rates", .type = OPT_CHOICE, .value = "SOURCE", .initial = "auto",
     NAMES("auto", "probe", "off"), .commands = RUNS, GROUP,
     .help = "Bandwidth of links, for the predicted exchange time: that of 'comm --op pairs' in the run "
             "folder, else a probe of half a second; always a probe; or none. What is exchanged inside a "
             "host out of cold caches, as in layers, is always probed"},
    {.name = "serialize-ranks", .type = OPT_FLAG, .commands = ATTN, GROUP,
     .help = "Measure the balance with one rank computing at a time, as ranks that share cores need"},
    {.name = "seed", .type = OPT_COUNT, .value = "N", .initial = "1", .max = UINT32_MAX,
     .commands = RUNS, GROUP, .help = "Seed of the generated tensors"},
    {.name = "force", .type = OPT_FLAG, .commands = RECORDS, GROUP,
     .help = "Run although the predicted memory exceeds what is free"},
    {.name = "threshold", .type = OPT_REAL, .value = "RATIO", .initial = "5%", .max = 1,
     .commands = COMPARE, GROUP, .help = "Change of the median that counts as a regression"},
#undef GROUP

#define GROUP .group = "Output"
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .value = "FORMAT", .initial = "table",
     NAMES("table", "md", "csv", "json", "jsonl"), .commands = COMM, GROUP,
     .help = "Format of the results on stdout"},
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .value = "FORMAT", .initial = "table",
     NAMES("table", "md", "csv", "json", "jsonl", "errors"), .commands = ATTN | SUITE | REPORT,
     GROUP, .help = "Format of the results on stdout; errors: of each tensor, as Markdown"},
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .value = "FORMAT", .initial = "table",
     NAMES("table", "md", "csv", "json"), .commands = COMPARE, GROUP,
     .help = "Format of the comparison on stdout"},
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .value = "FORMAT", .initial = "table",
     NAMES("table", "json"), .commands = INFO, GROUP, .help = "Format of the output"},
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .value = "FORMAT", .initial = "table",
     NAMES("table", "json", "svg", "png"), .commands = TOPO, GROUP,
     .help = "Format of the output; svg and png are a picture, on stdout too"},
    {.name = "output", .letter = 'o', .type = OPT_CHOICE, .list = true, .value = "FORMAT",
     .initial = "png,svg", NAMES("png", "svg"), .commands = PLOT, GROUP,
     .help = "Formats of the pictures"},
    {.name = "dir", .type = OPT_STRING, .value = "DIR", .commands = PLOT, GROUP,
     .help = "Where the pictures go, instead of RUN_DIR/plots"},
    {.name = "save", .type = OPT_STRING, .value = "DIR", .commands = RECORDS, GROUP,
     .help = "Keep the records, the machine's topology and the command line in a run folder"},
    {.name = "dry-run", .type = OPT_FLAG, .commands = RECORDS, GROUP,
     .help = "List the cases with predicted bytes and memory; run nothing"},
    {.name = "list", .type = OPT_FLAG, .standalone = true, .commands = INFO | RUNS, GROUP,
     .help = "List methods, transports, devices and kernels"},
    {.name = "progress", .type = OPT_FLAG, .commands = RECORDS, GROUP,
     .help = "Show progress on stderr even if it is not a terminal; --no-progress: never"},
    {.name = "quiet", .letter = 'q', .type = OPT_FLAG, .commands = ALL, GROUP,
     .help = "No warnings and notes on stderr"},
#undef GROUP

#define GROUP .group = "Testing spbench itself"
    {.name = "fault", .type = OPT_STRING, .check = check_fault, .value = "FAULT",
     .commands = RUNS, GROUP,
     .help = "KIND[:RANK[:EXCHANGE]]: break a rank's exchanges, from one on, to prove that it is "
             "noticed. Kinds: corrupt, hang, die"},
#undef GROUP

#define GROUP .group = "General"
    {.name = "generate", .type = OPT_CHOICE, .hidden = true, .value = "WHAT",
     NAMES("man", "bash", "record-md", "record-schema"), .commands = INFO, GROUP,
     .help = "Print the man page, the bash completion, or what stands in records"},
    {.name = "help", .letter = 'h', .type = OPT_FLAG, .standalone = true, .commands = ALL, GROUP,
     .help = "This help"},
    {.name = "version", .letter = 'V', .type = OPT_FLAG, .standalone = true, .commands = ALL,
     GROUP, .help = "Version of spbench"},
#undef GROUP
    /* clang-format on */
};

const struct option_table *options_table(void) {
    static const struct option_table table = {
        .program = "spbench",
        .summary = "Benchmark and communication analysis for sequence parallelism",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .commands = commands,
        .n_commands = COMMANDS,
    };
    return &table;
}
