/* What the printed program of a CPU artifact defines. */
#ifndef DLC_CPU_PROGRAM_H
#define DLC_CPU_PROGRAM_H

#include "program.h"

extern const uint64_t dlc_workspace_bytes;

void dlc_program(const void *const *inputs, void *const *outputs, const unsigned char *weights,
                 unsigned char *workspace);

/* The first instruction-set extension that the kernels use and this processor lacks, or NULL. */
const char *dlc_missing_feature(void);

#endif
