/* Launches and graphs of the stand-in driver.
 *
 * The nodes of a graph run in the order opposite to that in which they were added, as far as their dependencies allow.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static uint64_t launches;

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
static node *node_of(CUgraphNode which) { return &which->graph->nodes[which->number]; }

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

/* Launches. ----------------------------------------------------------------------------------------------- */

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

/* Enqueue a function that touches these ranges, as a library would enqueue kernels of its own. */
CUresult emulator_launch_host(CUstream stream, void (*call)(void *), void *data, const emulator_range *ranges,
                              size_t count) {
  node *nodes = host_memory(sizeof *nodes);
  for (size_t i = 0; i < count; i++) check_range(ranges[i].start, ranges[i].bytes, "what a library touches");
  nodes->host = (host_launch){call, data, host_memory(count * sizeof *ranges), count};
  memcpy(nodes->host.ranges, ranges, count * sizeof *ranges);
  return enqueue(stream, (work){.nodes = nodes, .count = 1});
}

/* Graphs. ------------------------------------------------------------------------------------------------- */

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

static CUresult add_after_last(CUstream stream, const node *given) {
  node *n;
  CUgraphNode added, before = stream->last_node;
  CUresult result = add_node(&added, stream->captured, &before, before != NULL, &n);
  if (result != SUCCESS) return result;
  edge *after = n->after;
  *n = *given;
  n->after = after;
  n->after_count = before != NULL;
  stream->last_node = added;
  return SUCCESS;
}

/* Add a launch to what a stream captures. */
CUresult capture(CUstream stream, const work *item) {
  return item->nodes && item->count == 1 ? add_after_last(stream, item->nodes) : INVALID_VALUE;
}

CUresult cuGraphAddKernelNode(CUgraphNode *added, CUgraph graph, const CUgraphNode *after, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS *parameters) {
  node *n;
  CUresult result = add_node(added, graph, after, count, &n);
  if (result == SUCCESS) set_parameters(n, parameters);
  return result;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode which, int attribute, const CUkernelNodeAttrValue *value) {
  node *n = node_of(which);
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
    if (early && (!node_of(from[i])->launch.kernel || !node_of(to[i])->launch.kernel)) return INVALID_VALUE;
    if (edges[i].to_port || edges[i].from_port != (early ? CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC : 0)) return INVALID_VALUE;
    if (add_edge(graph, from[i], to[i], early) != SUCCESS) return INVALID_VALUE;
  }
  return SUCCESS;
}

static node *copy_nodes(const node *nodes, size_t count) {
  return memcpy(host_memory(count * sizeof *nodes), nodes, count * sizeof *nodes);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *added, CUgraph graph, const CUgraphNode *after, size_t count,
                                  CUgraph child) {
  node *n;
  CUresult result = add_node(added, graph, after, count, &n);
  if (result != SUCCESS || !child->count) return INVALID_VALUE;
  n->child = copy_nodes(child->nodes, child->count);
  n->child_count = child->count;
  return SUCCESS;
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
  if (number_of(node) >= executable->count || !executable->nodes[number_of(node)].launch.kernel) return INVALID_VALUE;
  set_parameters(&executable->nodes[number_of(node)], parameters);
  return SUCCESS;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context) {
  if (number_of(node) >= executable->count) return INVALID_VALUE;
  return set_fill(&executable->nodes[number_of(node)], parameters, context);
}

/* The new graph has as many nodes as that of which it takes the place. */
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child) {
  if (number_of(node) >= executable->count || !executable->nodes[number_of(node)].child) return INVALID_VALUE;
  if (executable->nodes[number_of(node)].child_count != child->count) return NO_UPDATE;
  executable->nodes[number_of(node)].child = copy_nodes(child->nodes, child->count);
  return SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  node *nodes = copy_nodes(executable->nodes, executable->count);
  return enqueue(stream, (work){.nodes = nodes, .count = executable->count});
}

/* Running. ------------------------------------------------------------------------------------------------ */

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

/* Let nobody touch what a node writes. */
static void hide_written(const node *n) {
  const emulated_kernel *k = n->launch.kernel;
  for (size_t i = 0; i < n->child_count; i++) hide_written(&n->child[i]);
  for (size_t i = 0; i < n->host.count; i++)
    if (n->host.ranges[i].is_written) hide(n->host.ranges[i].start);
  if (n->fill.width) hide((void *)(uintptr_t)n->fill.dst);
  for (uint32_t j = 0; k && j < k->parameter_count; j++)
    if (k->parameters[j].role != READ) hide(*(void **)n->launch.parameters[j]);
}

/* Let a node come as far as it does before the ones before it end, and touch nothing that any node writes. */
static void run_early(node *nodes, size_t count, const node *n) {
  launch early = n->launch;
  for (size_t i = 0; i < count; i++) hide_written(&nodes[i]);
  early.early = 1;
  run_blocks(&early);
  for (const unsigned char *p = early.image->memory; p < early.image->memory_end; p++)
    if (*p) fault("kernel %s counts before it has waited for the launches before it", early.kernel->name);
}

static void run_host(const host_launch *h) {
  open_memory();
  for (size_t i = 0; i < h->count; i++)
    if (h->ranges[i].is_written) memset(h->ranges[i].start, POISON, h->ranges[i].bytes);
  h->call(h->data);
}

static void run_child(const node *n) {
  node *nodes = copy_nodes(n->child, n->child_count);
  run_graph(nodes, n->child_count);
  free(nodes);
}

static void run_node(node *n) {
  n->done = 1;
  if (n->child) {
    run_child(n);
    return;
  }
  if (n->host.call) {
    run_host(&n->host);
    return;
  }
  if (!n->launch.kernel) {
    fill_memory((void *)(uintptr_t)n->fill.dst, (int)n->fill.value, n->fill.width);
    return;
  }
  if (n->launch.kernel->cooperative && !n->launch.together)
    fault("kernel %s waits for other blocks, and is launched like one whose blocks come in any order", n->launch.kernel->name);
  n->launch.number = launches++;
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

/* Check what is set or touched by the host beside a launch. */
static void check_beside(const launch *l, const node *other) {
  const host_launch *h = &other->host;
  if (other->fill.width) check_outside(l, (void *)(uintptr_t)other->fill.dst, other->fill.width, 1);
  for (size_t i = 0; i < h->count; i++) check_outside(l, h->ranges[i].start, h->ranges[i].bytes, h->ranges[i].is_written);
}

static void check_hosts(const host_launch *one, const host_launch *other) {
  for (size_t i = 0; i < one->count; i++)
    for (size_t j = 0; j < other->count; j++) {
      const emulator_range *r = &one->ranges[i], *s = &other->ranges[j];
      char *p = r->start, *q = s->start;
      if ((r->is_written || s->is_written) && p < q + s->bytes && q < p + r->bytes)
        fault("two calls of a library may run at the same time and touch the same memory");
    }
}

static void check_pair(const node *one, const node *other) {
  for (size_t i = 0; i < one->child_count; i++) check_pair(&one->child[i], other);
  for (size_t i = 0; i < other->child_count; i++) check_pair(one, &other->child[i]);
  if (one->launch.kernel && other->launch.kernel) check_apart(&one->launch, &other->launch);
  else if (one->launch.kernel) check_beside(&one->launch, other);
  else if (other->launch.kernel) check_beside(&other->launch, one);
  else check_hosts(&one->host, &other->host);
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

void run_graph(node *nodes, size_t count) {
  catch_signals();
  check_unordered(nodes, count);
  for (size_t done = 0; done < count; done++) {
    node *next = &nodes[last_ready(nodes, count)];
    for (size_t i = 0; i < count; i++)
      if (may_begin(nodes, &nodes[i], next)) run_early(nodes, count, &nodes[i]);
    run_node(next);
  }
}
