/* Bytes that exchanges send, by formula: what the transport's own count must equal.
 *
 * All values are payload bytes that one rank sends to other ranks (barriers and a rank's own blocks
 * are not counted). Sources: DeepSpeed-Ulysses (Jacobs et al. 2023), Ring Attention (Liu et al.
 * 2023) and USP (Fang and Zhao 2024) for the exchanges, ZeRO (Rajbhandari et al. 2020) for
 * parameters. */
#ifndef SPB_COMM_SHAPE_VOLUME_H
#define SPB_COMM_SHAPE_VOLUME_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/shape/shape.h"

/* An all-to-all in which each rank sends bytes_per_peer to each other rank. */
size_t volume_alltoall(size_t bytes_per_peer, int ranks);

/* Ulysses, one layer: Q, K, V out and O back (forward), or dO out and dQ, dK, dV back (backward).
 */
size_t volume_ulysses_forward(const struct sp_shape *s, int ulysses_rank);
size_t volume_ulysses_backward(const struct sp_shape *s, int ulysses_rank);

/* USP: the Ulysses exchange inside the Ulysses group, and a ring of the K/V that the rank then has:
 * ulysses_size times the tokens, its share of the heads. A revolution of them; backward another
 * one, and dK/dV home in grad_bytes. With Ulysses groups of one it is Ring Attention. */
size_t volume_usp_forward(const struct sp_shape *s, int ulysses_rank);
size_t volume_usp_backward(const struct sp_shape *s, int ulysses_rank);

/* K/V of all sp_size ranks gathered; backward gathered again, and dK/dV reduced to their owners in
 * grad_bytes. */
size_t volume_kv_gather_forward(const struct sp_shape *s);
size_t volume_kv_gather_backward(const struct sp_shape *s);

/* Shards of shard_bytes on each of ranks, gathered whole on every one; or reduced back to shards.
 */
size_t volume_allgather(size_t shard_bytes, int ranks);
size_t volume_reduce_scatter(size_t shard_bytes, int ranks);

#endif
