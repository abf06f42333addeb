#ifndef SPB_ATTN_COMPUTE_CPU_INNER_SPAN_H
#define SPB_ATTN_COMPUTE_CPU_INNER_SPAN_H

/* [begin, end): of the columns of a row, or of heads. */
struct span {
    int begin, end;
};

#endif
