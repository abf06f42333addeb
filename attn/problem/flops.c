#include "attn/problem/flops.h"

double flops_attn_fwd(int batch, int heads, int head_dim, uint64_t pairs) {
    return 4.0 * head_dim * heads * batch * (double)pairs;
}

double flops_attn_bwd(int batch, int heads, int head_dim, uint64_t pairs) {
    return 2.5 * flops_attn_fwd(batch, heads, head_dim, pairs);
}

double flops_proj_fwd(int64_t tokens, int hidden, int heads, int kv_heads, int head_dim) {
    const double widths = 2.0 * head_dim * ((double)heads + kv_heads);
    return 2.0 * (double)tokens * hidden * widths;
}

double flops_proj_bwd(int64_t tokens, int hidden, int heads, int kv_heads, int head_dim) {
    return 2.0 * flops_proj_fwd(tokens, hidden, heads, kv_heads, head_dim);
}
