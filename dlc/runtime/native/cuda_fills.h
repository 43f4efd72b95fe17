/* Buffers that hold only ones when a kernel begins: what sets them, as nodes of a graph or on a stream. */
#ifndef DLC_CUDA_FILLS_H
#define DLC_CUDA_FILLS_H

#include "cuda_arguments.h"

/* The nodes before one launch, in the order of the kernel's fills, and room for one more behind them. */
typedef struct cuda_fills {
  CUgraphNode *nodes;
} cuda_fills;

/* Add the nodes. They wait for nothing: no launch before this one touches the memory (the memory plan). */
dlc_status cuda_fills_add(cuda_fills *fills, const cuda_driver *driver, CUcontext context, CUgraph graph,
                          const dlc_kernel *kernel, const cuda_arguments *arguments);

/* Say where the buffers are now. */
dlc_status cuda_fills_update(const cuda_fills *fills, const cuda_driver *driver, CUcontext context,
                             CUgraphExec executable, const dlc_kernel *kernel, const cuda_arguments *arguments);

/* Fill the buffers on a stream. */
dlc_status cuda_fills_enqueue(const cuda_driver *driver, const dlc_kernel *kernel, const cuda_arguments *arguments,
                              CUstream stream);

void cuda_fills_free(cuda_fills *fills);

#endif
