/* Calls of libraries in the place of kernels: of a model what is prepared of them, as nodes of a graph or on a stream. */
#ifndef DLC_CUDA_CALLS_H
#define DLC_CUDA_CALLS_H

#include "cuda_arguments.h"

/* shared: of each library. states: of each kernel, NULL where the kernel itself runs. stream: captures what becomes a
 * node; made when first needed. */
typedef struct cuda_calls {
  void **shared, **states;
  CUstream stream;
} cuda_calls;

/* Prepare the calls of a variant whose libraries are open. A call that cannot be prepared is no error: its kernel runs,
 * and the state of its library says so. */
dlc_status cuda_calls_prepare(cuda_calls *calls, const dlc_variant *variant);

/* Whether a library computes in the place of kernel number `kernel`. */
static inline int cuda_calls_has(const cuda_calls *calls, uint32_t kernel) { return calls->states[kernel] != NULL; }

/* Enqueue the call of a launch on a stream. */
dlc_status cuda_calls_enqueue(const cuda_calls *calls, const cuda_driver *driver, const dlc_variant *variant,
                              const dlc_launch *launch, const cuda_arguments *arguments, CUstream stream);

/* Add the call of a launch to a graph as one node: a graph of its own. */
dlc_status cuda_calls_add(cuda_calls *calls, const cuda_driver *driver, const dlc_variant *variant,
                          const dlc_launch *launch, const cuda_arguments *arguments, CUgraph graph, CUgraphNode *node);

/* Let the node be the call on new arguments. */
dlc_status cuda_calls_update(cuda_calls *calls, const cuda_driver *driver, const dlc_variant *variant,
                             const dlc_launch *launch, const cuda_arguments *arguments, CUgraphExec executable,
                             CUgraphNode node);

/* Of calls that were prepared, or zero and prepared in part. */
void cuda_calls_free(cuda_calls *calls, const cuda_driver *driver, const dlc_variant *variant);

#endif
