/* What the printed program of a GPU artifact defines: tables, one variant per target. */
#ifndef DLC_CUDA_PROGRAM_H
#define DLC_CUDA_PROGRAM_H

#include "program.h"
#include "steps.h"

/* A cubin in the device code segment of the artifact. */
typedef struct dlc_image {
  uint64_t offset, bytes;
} dlc_image;

typedef struct dlc_kernel {
  const char *name;
  uint32_t image, grid[3], block[3], shared_bytes;
} dlc_kernel;

typedef struct dlc_variant {
  const char *name;            /* sm_90a */
  int32_t major, minor, exact; /* compute capability; exact: runs on no other one */
  uint32_t image_count, kernel_count;
  const dlc_image *images;
  const dlc_kernel *kernels;
  dlc_steps steps;
} dlc_variant;

extern const int32_t dlc_variant_count;
extern const dlc_variant dlc_variants[];

#endif
