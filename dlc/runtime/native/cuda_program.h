/* What the printed program of a GPU artifact defines: tables, one variant per target. */
#ifndef DLC_CUDA_PROGRAM_H
#define DLC_CUDA_PROGRAM_H

#include "program.h"
#include "steps.h"

/* A cubin in the device code segment of the artifact. */
typedef struct dlc_image {
  uint64_t offset, bytes;
} dlc_image;

/* A tensor map of buffer number `operand`, as the driver's functions take it: the innermost axis first, enumerations
 * as numbers. spatial_axes: 0 for a box; else of a column of pixels, whose box is channels and pixels. */
typedef struct dlc_tensor_map {
  uint32_t operand, data_type, rank, spatial_axes, swizzle, l2_promotion;
  uint64_t sizes[5], strides[4];
  uint32_t box[5], element_strides[5];
  int32_t lower_corner[3], upper_corner[3];
} dlc_tensor_map;

/* Bytes of buffer number `operand` that are all 0xff when a launch begins. */
typedef struct dlc_fill {
  uint32_t operand;
  uint64_t bytes;
} dlc_fill;

/* What a library computes in the place of a kernel. library: its number. given: what its functions are told of the call,
 * numbers that do not change. buffers: those of the launch that it takes, in its order. has_workspace: whether the last
 * buffer of the launch is scratch for it. Functions give NULL, or say what is wrong with a text that stays.
 * prepare: once for a model, on the model's device, by one of the algorithms of the library, from 0. shared: of all calls
 * of the library in a model, NULL at first; `close` takes it once all calls are released. state: of this call; it is set,
 * unless there is a text. A trial prepares one algorithm after another with the state of those before, which a text
 * leaves as it is.
 * enqueue: on a stream, which may capture; the model waits for what it has enqueued, as for a kernel. */
typedef struct dlc_call {
  uint32_t library;
  const void *given;
  int32_t algorithm;
  uint32_t buffer_count;
  const uint32_t *buffers;
  uint32_t has_workspace;
  const char *(*prepare)(const void *given, int32_t algorithm, void **shared, void **state);
  const char *(*enqueue)(const void *given, void *state, void *stream, void *const *buffers, void *workspace);
  void (*release)(void *state);
  void (*close)(void *shared);
} dlc_call;

/* Its parameters are pointers to the buffers of the launch, then the tensor maps. waits: it may begin before the
 * launches before it have ended, since each of its threads waits for that (PTX ISA, "griddepcontrol.wait"). cooperative:
 * its blocks wait for each other, so all run at the same time. call: NULL where no library computes the same. */
typedef struct dlc_kernel {
  const char *name;
  uint32_t image, grid[3], block[3], shared_bytes, waits, cooperative, map_count;
  const dlc_tensor_map *maps;
  uint32_t fill_count;
  const dlc_fill *fills;
  const dlc_call *call;
} dlc_kernel;

/* The launch `after` begins when the launch `before` has ended; launches without a way of edges between them may run at
 * the same time. */
typedef struct dlc_edge {
  uint32_t before, after;
} dlc_edge;

typedef struct dlc_variant {
  const char *name;            /* sm_90a */
  int32_t major, minor, exact; /* compute capability; exact: runs on no other one */
  uint32_t image_count, kernel_count;
  const dlc_image *images;
  const dlc_kernel *kernels;
  uint32_t edge_count;
  const dlc_edge *edges;
  dlc_steps steps;
} dlc_variant;

extern const int32_t dlc_variant_count;
extern const dlc_variant dlc_variants[];

#endif
