/* What the printed program of a CPU artifact defines. */
#ifndef DLC_CPU_PROGRAM_H
#define DLC_CPU_PROGRAM_H

#include "program.h"
#include "steps.h"

typedef void dlc_kernel(void *const *operands);

extern const dlc_steps dlc_program;
extern dlc_kernel *const dlc_kernels[];

/* The first instruction-set extension that the kernels use and this processor lacks, or NULL. */
const char *dlc_missing_feature(void);

#endif
