/* What the printed program of a GPU artifact defines: tables, one variant per target. */
#ifndef DLC_CUDA_PROGRAM_H
#define DLC_CUDA_PROGRAM_H

#include "program.h"

typedef enum dlc_space { DLC_INPUT, DLC_OUTPUT, DLC_WEIGHT, DLC_WORKSPACE } dlc_space;

/* Byte offset in the weights, in the workspace, or in the input or output number `buffer`. */
typedef struct dlc_address {
  uint32_t space, buffer;
  uint64_t offset;
} dlc_address;

/* A cubin in the device code segment of the artifact. */
typedef struct dlc_image {
  uint64_t offset, bytes;
} dlc_image;

typedef struct dlc_kernel {
  const char *name;
  uint32_t image, grid[3], block[3], shared_bytes;
} dlc_kernel;

typedef struct dlc_launch {
  uint32_t kernel, first_operand, operand_count;
} dlc_launch;

/* Made after all launches. */
typedef struct dlc_copy {
  dlc_address target, source;
  uint64_t bytes;
} dlc_copy;

typedef struct dlc_variant {
  const char *name;            /* sm_90a */
  int32_t major, minor, exact; /* compute capability; exact: runs on no other one */
  uint64_t workspace_bytes;
  uint32_t image_count, kernel_count, launch_count, operand_count, copy_count;
  const dlc_image *images;
  const dlc_kernel *kernels;
  const dlc_launch *launches;
  const dlc_address *operands;
  const dlc_copy *copies;
} dlc_variant;

extern const int32_t dlc_variant_count;
extern const dlc_variant dlc_variants[];

#endif
