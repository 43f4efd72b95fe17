#include "cuda_fills.h"

#include <stdlib.h>

enum { ONES = 0xff };

static CUDA_MEMSET_NODE_PARAMS parameters_of(const dlc_fill *fill, const cuda_arguments *arguments) {
  return (CUDA_MEMSET_NODE_PARAMS){
      .dst = arguments->pointers[fill->operand], .value = ONES, .elementSize = 1, .width = fill->bytes, .height = 1};
}

dlc_status cuda_fills_add(cuda_fills *f, const cuda_driver *driver, CUcontext context, CUgraph graph,
                          const dlc_kernel *kernel, const cuda_arguments *arguments) {
  f->nodes = calloc(kernel->fill_count + 1, sizeof *f->nodes);
  if (!f->nodes) return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory");
  for (uint32_t i = 0; i < kernel->fill_count; i++) {
    CUDA_MEMSET_NODE_PARAMS p = parameters_of(&kernel->fills[i], arguments);
    CUresult result = driver->cuGraphAddMemsetNode(&f->nodes[i], graph, NULL, 0, &p, context);
    dlc_status status = cuda_status(driver, result, "cuGraphAddMemsetNode");
    if (status != DLC_OK) return status;
  }
  return DLC_OK;
}

dlc_status cuda_fills_update(const cuda_fills *f, const cuda_driver *driver, CUcontext context, CUgraphExec executable,
                             const dlc_kernel *kernel, const cuda_arguments *arguments) {
  for (uint32_t i = 0; i < kernel->fill_count; i++) {
    CUDA_MEMSET_NODE_PARAMS p = parameters_of(&kernel->fills[i], arguments);
    CUresult result = driver->cuGraphExecMemsetNodeSetParams(executable, f->nodes[i], &p, context);
    dlc_status status = cuda_status(driver, result, "cuGraphExecMemsetNodeSetParams");
    if (status != DLC_OK) return status;
  }
  return DLC_OK;
}

dlc_status cuda_fills_enqueue(const cuda_driver *driver, const dlc_kernel *kernel, const cuda_arguments *arguments,
                              CUstream stream) {
  for (uint32_t i = 0; i < kernel->fill_count; i++) {
    CUdeviceptr to = arguments->pointers[kernel->fills[i].operand];
    CUresult result = driver->cuMemsetD8Async(to, ONES, kernel->fills[i].bytes, stream);
    dlc_status status = cuda_status(driver, result, "cuMemsetD8Async");
    if (status != DLC_OK) return status;
  }
  return DLC_OK;
}

void cuda_fills_free(cuda_fills *f) {
  free(f->nodes);
  f->nodes = NULL;
}
