/* The part of the CUDA driver interface that is used, opened at run time from libcuda.so.1.
 *
 * Declared here so that compiling needs no CUDA toolkit; names and types are those of NVIDIA's "CUDA Driver
 * API" manual, with the version suffixes under which libcuda exports them.
 */
#ifndef DLC_CUDA_DRIVER_H
#define DLC_CUDA_DRIVER_H

#include "program.h"

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct CUDA_KERNEL_NODE_PARAMS_v1 {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUtensorMap_st {
  _Alignas(64) uint64_t opaque[16];
} CUtensorMap;

/* Memory that a node of a graph sets to one value; height: 1 for a row. */
typedef struct CUDA_MEMSET_NODE_PARAMS_v1 {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef union CUkernelNodeAttrValue_v1 {
  char pad[64];
  int cooperative;
  int priority;
} CUkernelNodeAttrValue;

/* Of an edge of a graph: which event of the node before it lets the node after it begin. */
typedef struct CUgraphEdgeData_st {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

enum {
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE = 2,
  CU_KERNEL_NODE_ATTRIBUTE_PRIORITY = 8,
  CU_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_STREAM_NON_BLOCKING = 1
};

#define DLC_DRIVER_FUNCTIONS(X)                                                                              \
  X(cuInit, (unsigned flags))                                                                                \
  X(cuGetErrorString, (CUresult error, const char **text))                                                   \
  X(cuDeviceGetCount, (int *count))                                                                          \
  X(cuDeviceGet, (CUdevice * device, int number))                                                            \
  X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                                      \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                        \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                         \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                                \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                               \
  X(cuCtxGetStreamPriorityRange, (int *least, int *greatest))                                                \
  X(cuModuleLoadData, (CUmodule * module, const void *image))                                                \
  X(cuModuleUnload, (CUmodule module))                                                                       \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                         \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                                     \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                             \
    (int *blocks, CUfunction function, int block_size, size_t shared_bytes))                                 \
  X(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                                                    \
  X(cuMemFree_v2, (CUdeviceptr pointer))                                                                     \
  X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                                          \
  X(cuMemFreeHost, (void *pointer))                                                                          \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                 \
  X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                       \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                 \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                                                     \
  X(cuStreamDestroy_v2, (CUstream stream))                                                                   \
  X(cuStreamSynchronize, (CUstream stream))                                                                  \
  X(cuStreamIsCapturing, (CUstream stream, int *status))                                                     \
  X(cuThreadExchangeStreamCaptureMode, (int *mode))                                                          \
  X(cuStreamBeginCapture_v2, (CUstream stream, int mode))                                                    \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * captured))                                               \
  X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
                     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,                \
                     void **parameters, void **extra))                                                       \
  X(cuLaunchCooperativeKernel,                                                                               \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,               \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters))         \
  X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))                   \
  X(cuGraphCreate, (CUgraph * graph, unsigned flags))                                                        \
  X(cuGraphDestroy, (CUgraph graph))                                                                         \
  X(cuGraphAddKernelNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t count,        \
                           const CUDA_KERNEL_NODE_PARAMS *parameters))                                       \
  X(cuGraphKernelNodeSetAttribute, (CUgraphNode node, int attribute, const CUkernelNodeAttrValue *value))    \
  X(cuGraphAddMemsetNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t count,        \
                           const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context))                    \
  X(cuGraphAddChildGraphNode,                                                                                \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child))              \
  X(cuGraphAddDependencies,                                                                                  \
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count))                           \
  X(cuGraphInstantiateWithFlags, (CUgraphExec * executable, CUgraph graph, unsigned long long flags))        \
  X(cuGraphExecDestroy, (CUgraphExec executable))                                                            \
  X(cuGraphExecKernelNodeSetParams,                                                                          \
    (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters))                   \
  X(cuGraphExecMemsetNodeSetParams, (CUgraphExec executable, CUgraphNode node,                               \
                                     const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context))          \
  X(cuGraphExecChildGraphNodeSetParams, (CUgraphExec executable, CUgraphNode node, CUgraph child))           \
  X(cuGraphLaunch, (CUgraphExec executable, CUstream stream))

/* Drivers from CUDA 12.0 on have these, the last from 12.3 on; enumerations are numbers. */
#define DLC_NEWER_DRIVER_FUNCTIONS(X)                                                                        \
  X(cuTensorMapEncodeTiled,                                                                                  \
    (CUtensorMap * map, unsigned data_type, uint32_t rank, void *address, const uint64_t *sizes,             \
     const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, unsigned interleave,     \
     unsigned swizzle, unsigned l2_promotion, unsigned fill))                                                \
  X(cuTensorMapEncodeIm2col,                                                                                 \
    (CUtensorMap * map, unsigned data_type, uint32_t rank, void *address, const uint64_t *sizes,             \
     const uint64_t *strides, const int *lower_corner, const int *upper_corner, uint32_t channels,           \
     uint32_t pixels, const uint32_t *element_strides, unsigned interleave, unsigned swizzle,                \
     unsigned l2_promotion, unsigned fill))                                                                  \
  X(cuGraphAddDependencies_v2, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,               \
                                const CUgraphEdgeData *edges, size_t count))

typedef struct cuda_driver {
  void *library;
#define DLC_DECLARE(name, parameters) CUresult(*name) parameters;
  DLC_DRIVER_FUNCTIONS(DLC_DECLARE)
  DLC_NEWER_DRIVER_FUNCTIONS(DLC_DECLARE) /* NULL where the driver is older */
#undef DLC_DECLARE
} cuda_driver;

/* Open the driver and initialise it. */
dlc_status cuda_open(cuda_driver *driver);
void cuda_close(cuda_driver *driver);

/* Turn what a driver function returned into a status; what: the name of the step for the message. */
dlc_status cuda_status(const cuda_driver *driver, CUresult result, const char *what);

#endif
