#include "attn/compute/cpu/isa.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *isa_missing_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? NULL
               : "this CPU has no AVX2 with FMA";
}

const char *isa_missing_avx512(void) {
    const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has ? isa_missing_avx2() : "this CPU has no AVX-512 with F, BW, DQ and VL";
}

/* CPUID.(7,1):EAX[5]; the state of AVX-512 is part of what was asked first. */
const char *isa_missing_avx512_bf16(void) {
    unsigned eax, ebx, ecx, edx;
    const char *why = isa_missing_avx512();
    if (why)
        return why;
    const bool has = __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax >> 5 & 1);
    return has ? NULL : "this CPU has no AVX512_BF16";
}

/* XCR0, after CPUID has said that the system has set it (OSXSAVE, which AVX-512 implies). */
static uint64_t extended_states(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (uint64_t)high << 32;
}

/* CPUID.(7,0):EDX[22] AMX-BF16 and [24] AMX-TILE; XCR0[17] XTILECFG and [18] XTILEDATA (Intel SDM
 * volume 1, 13.1). */
const char *isa_missing_amx(void) {
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 }; /* Linux, arch/x86/xstate.rst */
    unsigned eax, ebx, ecx, edx;
    const bool has =
        __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx >> 22 & 1) && (edx >> 24 & 1);
    if (!has)
        return "this CPU has no AMX-TILE and AMX-BF16";
    const char *why = isa_missing_avx512_bf16();
    if (why)
        return why;
    if ((extended_states() >> 17 & 3) != 3)
        return "the operating system keeps no AMX state";
    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) != 0)
        return "Linux (5.16 or later) does not let this process use AMX";
    return NULL;
}
