/* Instruction sets of x86: NULL if this processor and its operating system offer one, otherwise
 * what is missing, to complete the sentence "not here: ...". */
#ifndef SPB_ATTN_COMPUTE_CPU_ISA_H
#define SPB_ATTN_COMPUTE_CPU_ISA_H

const char *isa_missing_avx2(void);        /* AVX2 and FMA */
const char *isa_missing_avx512(void);      /* AVX-512 F, BW, DQ and VL */
const char *isa_missing_avx512_bf16(void); /* and BF16 */

/* AMX-TILE and AMX-BF16, beside the above. Linux keeps tiles for the processes that ask for them,
 * which this does: it holds for all threads of the process. */
const char *isa_missing_amx(void);

#endif
