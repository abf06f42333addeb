#include "attn/layer/projection.h"

static int rows_of(const struct attention *a) {
    return a->problem.batch * problem_local_tokens(&a->problem);
}

static void multiply(struct attention *a, struct gemm_args g) {
    if (in_flight_any(&a->in_flight)) {
        g.poll = in_flight_poll;
        g.poll_arg = &a->in_flight;
    }
    a->compute->row->gemm(a->compute, &g);
}

void project(struct attention *a, int n_out, int n_in, struct tokens in, const float *w,
             struct tokens out) {
    multiply(a, (struct gemm_args){.trans_b = true,
                                   .m = rows_of(a),
                                   .n = n_out,
                                   .k = n_in,
                                   .a = in.x,
                                   .a_dtype = in.dtype,
                                   .lda = n_in,
                                   .b = w,
                                   .ldb = n_in,
                                   .c = out.x,
                                   .c_dtype = out.dtype,
                                   .ldc = n_out});
}

void project_input_grad(struct attention *a, int n_out, int n_in, const float *dout, const float *w,
                        bool add, struct tokens din) {
    multiply(a, (struct gemm_args){.m = rows_of(a),
                                   .n = n_in,
                                   .k = n_out,
                                   .a = dout,
                                   .lda = n_out,
                                   .b = w,
                                   .ldb = n_in,
                                   .beta = add ? 1.0f : 0.0f,
                                   .c = din.x,
                                   .c_dtype = din.dtype,
                                   .ldc = n_in});
}

void project_weight_grad(struct attention *a, int n_out, int n_in, const float *dout,
                         struct tokens in, float *dw) {
    multiply(a, (struct gemm_args){.trans_a = true,
                                   .m = n_out,
                                   .n = n_in,
                                   .k = rows_of(a),
                                   .a = dout,
                                   .lda = n_out,
                                   .b = in.x,
                                   .b_dtype = in.dtype,
                                   .ldb = n_in,
                                   .c = dw,
                                   .ldc = n_in});
}
