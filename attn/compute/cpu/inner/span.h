#ifndef SPB_ATTN_COMPUTE_CPU_INNER_SPAN_H
#define SPB_ATTN_COMPUTE_CPU_INNER_SPAN_H

/* Columns [begin, end) of a row. */
struct span {
    int begin, end;
};

#endif
