/* A stand-in for NVIDIA's driver: the functions that an artifact calls, on the memory and cores of the host.
 *
 * What is asynchronous happens as late as it may: a stream's work when somebody waits for it. The nodes of a graph
 * run in the order opposite to that in which they were added, as far as their dependencies allow.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_driver.h"
#include "emulator.h"


/* It has room for all blocks of any kernel. */
enum { MULTIPROCESSORS = 1 << 10 };
enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_IMAGE = 200, NOT_FOUND = 500, PLAIN_SHARED_BYTES = 48 << 10 };

static struct {
  int major, minor, shared_limit;
  uint64_t launches;
} device;

/* What the process that runs a model says before it loads it. --------------------------------------------- */

typedef struct image {
  const unsigned char *code;
  size_t bytes;
  const emulated_image *emulated;
  struct image *next;
} image;

static image *images;

/* Be a device of this compute capability, on `workers` cores; shared_limit: the most that a block may have. */
void emulator_start(int major, int minor, int shared_limit, int workers) {
  device.major = major;
  device.minor = minor;
  device.shared_limit = shared_limit;
  start_workers(workers);
}

/* Take `code`, which must stay where it is, for the machine code of `emulated`. */
void emulator_add_image(const void *code, size_t bytes, const emulated_image *emulated) {
  image *i = host_memory(sizeof *i);
  *i = (image){code, bytes, emulated, images};
  images = i;
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (number == SIGFPE) give_up("it divides an integer by zero, which has no defined result");
  fault("an access to memory at %p that it must not touch%s, or that is misaligned", info->si_addr,
        runs_early() ? " before it has waited for the launches before its own" : "");
}

static void catch_signals(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  int numbers[] = {SIGSEGV, SIGBUS, SIGFPE};
  for (int i = 0; i < 3; i++) sigaction(numbers[i], &action, NULL);
}

/* Device and context. ------------------------------------------------------------------------------------- */

CUresult cuInit(unsigned flags) { return flags ? INVALID_VALUE : SUCCESS; }

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == INVALID_IMAGE ? "the image is none of the artifact's cubins"
          : error == NOT_FOUND   ? "the image has no such kernel"
                                 : "invalid value";
  return SUCCESS;
}

CUresult cuDeviceGetCount(int *count) { return *count = 1, SUCCESS; }
CUresult cuDeviceGet(CUdevice *number, int ordinal) { return *number = ordinal, ordinal ? INVALID_VALUE : SUCCESS; }

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice number) {
  (void)number;
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *value = device.major;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *value = device.minor;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *value = MULTIPROCESSORS;
  else return INVALID_VALUE;
  return SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice number) {
  (void)number;
  return *context = (CUcontext)&device, SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) { return (void)number, SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext context) { return context ? SUCCESS : INVALID_VALUE; }
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) { return *least = *greatest = 0, SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext *context) { return *context = (CUcontext)&device, SUCCESS; }

/* Modules. ------------------------------------------------------------------------------------------------ */

struct CUfunc_st {
  const emulated_image *image;
  const emulated_kernel *kernel;
  int shared_limit;
};

CUresult cuModuleLoadData(CUmodule *module, const void *code) {
  for (const image *i = images; i; i = i->next)
    if (memcmp(i->code, code, i->bytes < 64 ? i->bytes : 64) == 0 && memcmp(i->code, code, i->bytes) == 0)
      return *module = (CUmodule)i, SUCCESS;
  return INVALID_IMAGE;
}

CUresult cuModuleUnload(CUmodule module) { return module ? SUCCESS : INVALID_VALUE; }

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  const emulated_image *emulated = ((const image *)module)->emulated;
  for (const emulated_kernel *k = emulated->kernels; k->name; k++)
    if (strcmp(k->name, name) == 0) {
      *function = host_memory(sizeof **function);
      **function = (struct CUfunc_st){emulated, k, PLAIN_SHARED_BYTES};
      return SUCCESS;
    }
  return NOT_FOUND;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > device.shared_limit) return INVALID_VALUE;
  if (value > function->shared_limit) function->shared_limit = value;
  return SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size, size_t shared_bytes) {
  if (block_size < 1 || shared_bytes > (size_t)function->shared_limit) return INVALID_VALUE;
  return *blocks = 1, SUCCESS;
}

/* Streams. ------------------------------------------------------------------------------------------------ */

/* Bytes to copy, or the launches of a graph. */
typedef struct work {
  void *to;
  const void *from;
  size_t bytes;
  int frees_source, on_device;
  struct node *nodes;
  size_t count;
  struct work *next;
} work;

struct CUstream_st {
  work *first, **last;
};

static void run_graph(struct node *nodes, size_t count);

static void finish(CUstream stream) {
  for (work *w = stream->first, *next; w; w = next) {
    if (w->nodes) run_graph(w->nodes, w->count);
    else {
      if (w->on_device) make_writable(w->to); /* a launch before it may have protected it */
      memcpy(w->to, w->from, w->bytes);
    }
    if (w->frees_source) free((void *)w->from);
    free(w->nodes);
    next = w->next;
    free(w);
  }
  stream->first = NULL;
  stream->last = &stream->first;
}

static CUresult enqueue(CUstream stream, work item) {
  work *w = host_memory(sizeof *w);
  *w = item;
  *stream->last = w;
  stream->last = &w->next;
  return SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  if (flags != CU_STREAM_NON_BLOCKING) return INVALID_VALUE;
  *stream = host_memory(sizeof **stream);
  (*stream)->last = &(*stream)->first;
  return SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(int *mode) { return (void)mode, SUCCESS; }
CUresult cuStreamIsCapturing(CUstream stream, int *status) { return (void)stream, *status = 0, SUCCESS; }
CUresult cuStreamSynchronize(CUstream stream) { return finish(stream), SUCCESS; }

CUresult cuStreamDestroy_v2(CUstream stream) {
  finish(stream);
  free(stream);
  return SUCCESS;
}

/* Memory. ------------------------------------------------------------------------------------------------- */

/* Pinned host memory is read when the copy is made, other memory when it is asked for. */
typedef struct pinned {
  unsigned char *start;
  size_t bytes;
  struct pinned *next;
} pinned;

static pinned *pinned_memory;

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  if (!bytes) return INVALID_VALUE;
  *pointer = (CUdeviceptr)(uintptr_t)device_allocate(bytes);
  return SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer) { return device_free((void *)(uintptr_t)pointer), SUCCESS; }

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  pinned *p = host_memory(sizeof *p);
  if (flags) return INVALID_VALUE;
  *pointer = host_memory(bytes);
  *p = (pinned){*pointer, bytes, pinned_memory};
  pinned_memory = p;
  return SUCCESS;
}

CUresult cuMemFreeHost(void *pointer) {
  for (pinned **p = &pinned_memory; *p; p = &(*p)->next)
    if ((*p)->start == pointer) {
      pinned *gone = *p;
      *p = gone->next;
      free(gone);
      free(pointer);
      return SUCCESS;
    }
  return INVALID_VALUE;
}

static int is_pinned(const void *pointer) {
  for (const pinned *p = pinned_memory; p; p = p->next)
    if ((const unsigned char *)pointer >= p->start && (const unsigned char *)pointer < p->start + p->bytes) return 1;
  return 0;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  check_range((void *)(uintptr_t)to, bytes, "a copy to the device");
  if (is_pinned(from))
    return enqueue(stream, (work){.to = (void *)(uintptr_t)to, .from = from, .bytes = bytes, .on_device = 1});
  void *kept = host_memory(bytes);
  memcpy(kept, from, bytes);
  return enqueue(stream, (work){.to = (void *)(uintptr_t)to, .from = kept, .bytes = bytes, .frees_source = 1, .on_device = 1});
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  check_range((void *)(uintptr_t)from, bytes, "a copy from the device");
  return enqueue(stream, (work){.to = to, .from = (void *)(uintptr_t)from, .bytes = bytes});
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  check_range((void *)(uintptr_t)from, bytes, "a copy on the device");
  check_range((void *)(uintptr_t)to, bytes, "a copy on the device");
  return enqueue(stream, (work){.to = (void *)(uintptr_t)to, .from = (void *)(uintptr_t)from, .bytes = bytes, .on_device = 1});
}

/* Graphs. ------------------------------------------------------------------------------------------------- */

/* To the node that goes before. early: that need only have begun. */
typedef struct edge {
  size_t node;
  int early;
} edge;

/* A launch, or, where that has no kernel, memory that is set to a value. */
typedef struct node {
  launch launch;
  CUDA_MEMSET_NODE_PARAMS fill;
  edge *after;
  size_t after_count;
  int done;
} node;

struct CUgraph_st {
  node *nodes;
  size_t count;
};

struct CUgraphExec_st {
  node *nodes;
  size_t count;
};

/* By what the caller knows a node. */
struct CUgraphNode_st {
  CUgraph graph;
  size_t number;
};

static size_t number_of(CUgraphNode node) { return node->number; }

/* Return copies of the arguments: the caller's may change once the node is made. */
static void **keep_arguments(void *const *parameters, const emulated_kernel *k) {
  void **addresses = host_memory((k->parameter_count + k->map_count) * sizeof *addresses);
  uint64_t *values = host_memory(k->parameter_count * sizeof *values);
  CUtensorMap *maps = aligned_alloc(_Alignof(CUtensorMap), (k->map_count + 1) * sizeof *maps);
  if (!maps) give_up("out of memory");
  for (uint32_t i = 0; i < k->parameter_count; i++) {
    values[i] = *(const uint64_t *)parameters[i];
    addresses[i] = &values[i];
  }
  for (uint32_t i = 0; i < k->map_count; i++) {
    memcpy(&maps[i], parameters[k->parameter_count + i], sizeof *maps);
    addresses[k->parameter_count + i] = &maps[i];
  }
  return addresses;
}

static void set_parameters(node *n, const CUDA_KERNEL_NODE_PARAMS *p) {
  const emulated_kernel *k = p->func->kernel;
  if (k->threads && p->blockDimX * p->blockDimY * p->blockDimZ != k->threads)
    fault("kernel %s is launched with blocks of %u threads, its text says %u", k->name,
          p->blockDimX * p->blockDimY * p->blockDimZ, k->threads);
  if (!p->gridDimX || !p->gridDimY || !p->gridDimZ) fault("kernel %s is launched with an empty grid", k->name);
  if ((int)p->sharedMemBytes > p->func->shared_limit)
    fault("kernel %s is launched with %u bytes of shared memory, %d are allowed", k->name, p->sharedMemBytes,
          p->func->shared_limit);
  n->launch = (launch){.kernel = k,
                       .overlaps = n->launch.overlaps,
                       .together = n->launch.together,
                       .image = p->func->image,
                       .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                       .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                       .shared_bytes = p->sharedMemBytes,
                       .parameters = keep_arguments(p->kernelParams, k)};
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                        void **parameters, void **extra) {
  CUDA_KERNEL_NODE_PARAMS all = {function, grid_x,  grid_y,       grid_z,     block_x,
                                 block_y,  block_z, shared_bytes, parameters, extra};
  node *nodes = host_memory(sizeof *nodes);
  set_parameters(nodes, &all);
  return enqueue(stream, (work){.nodes = nodes, .count = 1});
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **parameters) {
  CUDA_KERNEL_NODE_PARAMS all = {function, grid_x,  grid_y,       grid_z,     block_x,
                                 block_y,  block_z, shared_bytes, parameters, NULL};
  node *nodes = host_memory(sizeof *nodes);
  nodes->launch.together = 1;
  set_parameters(nodes, &all);
  return enqueue(stream, (work){.nodes = nodes, .count = 1});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  check_range((void *)(uintptr_t)to, bytes, "a fill on the device");
  node *nodes = host_memory(sizeof *nodes);
  nodes->fill = (CUDA_MEMSET_NODE_PARAMS){.dst = to, .value = value, .elementSize = 1, .width = bytes, .height = 1};
  return enqueue(stream, (work){.nodes = nodes, .count = 1});
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  *graph = host_memory(sizeof **graph);
  return flags ? INVALID_VALUE : SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  free(graph->nodes);
  free(graph);
  return SUCCESS;
}

static CUresult add_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, int early) {
  if (number_of(from) >= number_of(to) || number_of(to) >= graph->count) return INVALID_VALUE;
  node *n = &graph->nodes[number_of(to)];
  n->after = realloc(n->after, (n->after_count + 1) * sizeof *n->after);
  if (!n->after) give_up("out of memory");
  n->after[n->after_count++] = (edge){number_of(from), early};
  n->launch.overlaps |= early;
  return SUCCESS;
}

static CUresult add_node(CUgraphNode *added, CUgraph graph, const CUgraphNode *after, size_t count, node **made) {
  node *nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *nodes);
  if (!nodes) give_up("out of memory");
  graph->nodes = nodes;
  *added = host_memory(sizeof **added);
  **added = (struct CUgraphNode_st){graph, graph->count};
  node *n = &nodes[graph->count++];
  *n = (node){0};
  for (size_t i = 0; i < count; i++)
    if (add_edge(graph, after[i], *added, 0) != SUCCESS) return INVALID_VALUE;
  return *made = n, SUCCESS;
}

CUresult cuGraphAddKernelNode(CUgraphNode *added, CUgraph graph, const CUgraphNode *after, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS *parameters) {
  node *n;
  CUresult result = add_node(added, graph, after, count, &n);
  if (result == SUCCESS) set_parameters(n, parameters);
  return result;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode which, int attribute, const CUkernelNodeAttrValue *value) {
  node *n = &which->graph->nodes[which->number];
  if (attribute == CU_KERNEL_NODE_ATTRIBUTE_PRIORITY && n->launch.kernel) return SUCCESS;
  if (attribute != CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE || !n->launch.kernel) return INVALID_VALUE;
  return n->launch.together = value->cooperative != 0, SUCCESS;
}

static CUresult set_fill(node *n, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
  if (!context || p->elementSize != 1 || p->height != 1 || p->value > 0xff) return INVALID_VALUE;
  check_range((void *)(uintptr_t)p->dst, p->width, "a fill on the device");
  n->fill = *p;
  return SUCCESS;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *added, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context) {
  node *n;
  CUresult result = add_node(added, graph, after, count, &n);
  return result == SUCCESS ? set_fill(n, parameters, context) : result;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (add_edge(graph, from[i], to[i], 0) != SUCCESS) return INVALID_VALUE;
  return SUCCESS;
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int early = edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    if (edges[i].to_port || edges[i].from_port != (early ? CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC : 0)) return INVALID_VALUE;
    if (add_edge(graph, from[i], to[i], early) != SUCCESS) return INVALID_VALUE;
  }
  return SUCCESS;
}

static node *copy_nodes(const node *nodes, size_t count) {
  return memcpy(host_memory(count * sizeof *nodes), nodes, count * sizeof *nodes);
}

/* Shallow: the arguments of a node are never changed, only exchanged. */
CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  *executable = host_memory(sizeof **executable);
  **executable = (struct CUgraphExec_st){copy_nodes(graph->nodes, graph->count), graph->count};
  return flags & ~(unsigned long long)CU_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? INVALID_VALUE : SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  free(executable->nodes);
  free(executable);
  return SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                            const CUDA_KERNEL_NODE_PARAMS *parameters) {
  if (number_of(node) >= executable->count) return INVALID_VALUE;
  set_parameters(&executable->nodes[number_of(node)], parameters);
  return SUCCESS;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context) {
  if (number_of(node) >= executable->count) return INVALID_VALUE;
  return set_fill(&executable->nodes[number_of(node)], parameters, context);
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  node *nodes = copy_nodes(executable->nodes, executable->count);
  return enqueue(stream, (work){.nodes = nodes, .count = executable->count});
}

static int is_ready(const node *nodes, const node *n) {
  if (n->done) return 0;
  for (size_t i = 0; i < n->after_count; i++)
    if (!nodes[n->after[i].node].done) return 0;
  return 1;
}

/* Return whether a node may begin while `running` runs. */
static int may_begin(const node *nodes, const node *n, const node *running) {
  int follows = 0;
  for (size_t i = 0; i < n->after_count; i++) {
    const node *before = &nodes[n->after[i].node];
    if (before == running && n->after[i].early) follows = 1;
    else if (!before->done) return 0;
  }
  return follows;
}

/* Let a node come as far as it does before the ones before it end, and touch nothing that any node writes. */
static void run_early(node *nodes, size_t count, const node *n) {
  launch early = n->launch;
  for (size_t i = 0; i < count; i++) {
    const emulated_kernel *k = nodes[i].launch.kernel;
    if (!k) hide((void *)(uintptr_t)nodes[i].fill.dst);
    for (uint32_t j = 0; k && j < k->parameter_count; j++)
      if (k->parameters[j].role != READ) hide(*(void **)nodes[i].launch.parameters[j]);
  }
  early.early = 1;
  run_blocks(&early);
  for (const unsigned char *p = early.image->memory; p < early.image->memory_end; p++)
    if (*p) fault("kernel %s counts before it has waited for the launches before it", early.kernel->name);
}

static void run_node(node *n) {
  n->done = 1;
  if (!n->launch.kernel) {
    fill_memory((void *)(uintptr_t)n->fill.dst, (int)n->fill.value, n->fill.width);
    return;
  }
  if (n->launch.kernel->cooperative && !n->launch.together)
    fault("kernel %s waits for other blocks, and is launched like one whose blocks come in any order", n->launch.kernel->name);
  n->launch.number = device.launches++;
  before_launch(&n->launch);
  run_blocks(&n->launch);
  after_launch(&n->launch);
}

/* Return the ready node that was added last. */
static size_t last_ready(const node *nodes, size_t count) {
  for (size_t i = count; i-- > 0;)
    if (is_ready(nodes, &nodes[i])) return i;
  fault("a graph without an order");
}

/* Mark what a node comes after. */
static void mark_before(const node *nodes, const node *n, unsigned char *before) {
  for (size_t i = 0; i < n->after_count; i++) {
    size_t other = n->after[i].node;
    if (before[other]) continue;
    before[other] = 1;
    mark_before(nodes, &nodes[other], before);
  }
}

static void check_pair(const node *one, const node *other) {
  if (one->launch.kernel && other->launch.kernel) check_apart(&one->launch, &other->launch);
  else if (one->launch.kernel) check_outside(&one->launch, (void *)(uintptr_t)other->fill.dst, other->fill.width);
  else if (other->launch.kernel) check_outside(&other->launch, (void *)(uintptr_t)one->fill.dst, one->fill.width);
}

/* Nodes without an order may run at the same time: check that none writes what another one touches. */
static void check_unordered(const node *nodes, size_t count) {
  unsigned char *before = host_memory(count);
  for (size_t i = 0; i < count; i++) {
    memset(before, 0, count);
    mark_before(nodes, &nodes[i], before);
    for (size_t j = 0; j < i; j++)
      if (!before[j]) check_pair(&nodes[j], &nodes[i]);
  }
  free(before);
}

static void run_graph(node *nodes, size_t count) {
  catch_signals();
  check_unordered(nodes, count);
  for (size_t done = 0; done < count; done++) {
    node *next = &nodes[last_ready(nodes, count)];
    for (size_t i = 0; i < count; i++)
      if (may_begin(nodes, &nodes[i], next)) run_early(nodes, count, &nodes[i]);
    run_node(next);
  }
}
