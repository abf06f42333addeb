/* Tables of GPUs and NICs and of the paths between them. Private to topology/. */
#ifndef SPB_TOPOLOGY_PRINT_DEVICES_H
#define SPB_TOPOLOGY_PRINT_DEVICES_H

#include <stdio.h>

struct machine;

/* GPUs, NICs, and a matrix in the manner of `nvidia-smi topo -m`. Nothing where there are none. */
void print_devices(FILE *out, const struct machine *machine);

#endif
