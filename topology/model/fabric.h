/* Links between GPUs that are not PCI: NVLink and XGMI. Private to topology/.
 *
 * They come from hwloc's matrices NVLinkBandwidth and XGMIBandwidth (of NVML and RSMI, or made of
 * an NCCL topology). GPUs that share no link but both reach NVSwitches are joined by the narrower
 * side of the two: NVSwitches do not block. Where there are NVSwitches and no matrix, the model of
 * an SXM module tells what it has. */
#ifndef SPB_TOPOLOGY_MODEL_FABRIC_H
#define SPB_TOPOLOGY_MODEL_FABRIC_H

#include "base/status.h"
#include "topology/link.h"

struct machine;
struct hwloc_obj;

struct fabric_link {
    enum link_class class; /* LINK_NVLINK or LINK_XGMI; only if there is a link */
    int links;             /* 0: no link; 1 also where they are not told apart (XGMI) */
    double gb_s;           /* all of them, one direction; 0 when unknown */
};

/* Fills machine->fabric, [n_gpus * n_gpus], symmetric; and counts machine->n_nvswitches. The GPUs
 * must have been found. ST_ENV when memory is short. */
enum status fabric_find(struct machine *machine);

#endif
