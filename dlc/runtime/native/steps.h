/* What a host program does in a run, as the tables that are printed for either target. */
#ifndef DLC_STEPS_H
#define DLC_STEPS_H

#include <stdint.h>

typedef enum dlc_space { DLC_INPUT, DLC_OUTPUT, DLC_WEIGHT, DLC_WORKSPACE } dlc_space;

/* Byte offset in the weights, in the workspace, or in the input or output number `buffer`. */
typedef struct dlc_address {
  uint32_t space, buffer;
  uint64_t offset;
} dlc_address;

/* A run of kernel number `kernel` on operands that follow each other: inputs, outputs, scratch. goes_first: of launches
 * that could begin, on a GPU. */
typedef struct dlc_launch {
  uint32_t kernel, first_operand, operand_count, goes_first;
} dlc_launch;

/* Made after all launches. */
typedef struct dlc_copy {
  dlc_address target, source;
  uint64_t bytes;
} dlc_copy;

typedef struct dlc_steps {
  uint64_t workspace_bytes;
  uint32_t launch_count, operand_count, copy_count;
  const dlc_launch *launches; /* in this order; a GPU has edges between them */
  const dlc_address *operands;
  const dlc_copy *copies;
} dlc_steps;

/* Where the memory of a run is, on the host or on the device. */
typedef struct dlc_places {
  const void *const *inputs;
  void *const *outputs;
  uintptr_t weights, workspace;
} dlc_places;

static inline uintptr_t dlc_resolve(const dlc_places *p, dlc_address a) {
  switch ((dlc_space)a.space) {
    case DLC_INPUT: return (uintptr_t)p->inputs[a.buffer] + a.offset;
    case DLC_OUTPUT: return (uintptr_t)p->outputs[a.buffer] + a.offset;
    case DLC_WEIGHT: return p->weights + a.offset;
    default: return p->workspace + a.offset;
  }
}

#endif
