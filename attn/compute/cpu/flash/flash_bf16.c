#include "attn/compute/cpu/flash/flash_bf16.h"

size_t flash_bf16_workspace_bytes(int threads) {
    const size_t forward = flash_bf16_forward_bytes(), backward = flash_bf16_backward_bytes();
    return (size_t)threads * (forward > backward ? forward : backward);
}
