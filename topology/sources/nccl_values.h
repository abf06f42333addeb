/* What stands in the attributes of NCCL's topology files. Private to topology/. */
#ifndef SPB_TOPOLOGY_SOURCES_NCCL_VALUES_H
#define SPB_TOPOLOGY_SOURCES_NCCL_VALUES_H

#include <libxml/tree.h>
#include <stdbool.h>

#include "topology/sources/nccl.h"

enum { NCCL_MOST_CPUS = 4096 };

/* A whole number, decimal or in C's hexadecimal; `unknown` where there is none, or one that is not
 * from 0 to max. */
long nccl_number(const xmlNode *node, const char *name, long max, long unknown);

/* The same of an attribute in hexadecimal, with or without 0x: a PCI class or id. */
long nccl_hex(const xmlNode *node, const char *name, long max, long unknown);

/* "0000:17:00.0", with a domain of up to 32 bits; what firmware of virtual machines makes up
 * ("ffff:ff:20.0") too. */
bool nccl_bus_id(const char *text, struct nccl_bus_id *id);

/* Whether it is how NCCL calls the far end of an NVLink that a virtual machine hides
 * ("fffffff:ffff:ff", "fffffff:ff:ff.0"). */
bool nccl_is_hidden(const char *target);

/* "00ff,ffffffff": words of 32 bits, the highest first. NULL or "" leaves pus empty. */
bool nccl_mask(const char *text, hwloc_bitmap_t pus);

/* GB/s of the PCI link of a <pci>, one direction; 0 when not told. */
double nccl_pci_gb_s(const xmlNode *node);

/* The class of a <pci>, 16 bits (0x0302): by what stands below it, if that tells, else as it says.
 * To NCCL whatever is no GPU or NIC and has devices below it is a switch (0x0604). -1: nothing
 * tells. */
long nccl_class(const xmlNode *node);

#endif
