/* The driver interface: what its parts know of each other. driver.c is device, memory and streams, graph.c launches. */
#ifndef DLC_EMULATED_DRIVER_H
#define DLC_EMULATED_DRIVER_H

#include "cuda_driver.h"
#include "emulator.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, NO_UPDATE = 910 };

struct CUfunc_st {
  const emulated_image *image;
  const emulated_kernel *kernel;
  int shared_limit;
};

/* Memory that a function of the host touches. */
typedef struct emulator_range {
  void *start;
  size_t bytes;
  int is_written;
} emulator_range;

/* A function of the host in the place of the kernels of a library. */
typedef struct host_launch {
  void (*call)(void *data);
  void *data;
  emulator_range *ranges;
  size_t count;
} host_launch;

/* To the node that goes before. early: that need only have begun. */
typedef struct edge {
  size_t node;
  int early;
} edge;

/* A launch, a graph of its own (child), a function of the host, or else memory that is set to a value. */
typedef struct node {
  launch launch;
  CUDA_MEMSET_NODE_PARAMS fill;
  host_launch host;
  struct node *child;
  size_t child_count;
  edge *after;
  size_t after_count;
  int done;
} node;

/* Bytes to copy, or the launches of a graph. */
typedef struct work {
  void *to;
  const void *from;
  size_t bytes;
  int frees_source, on_device;
  node *nodes;
  size_t count;
  struct work *next;
} work;

/* captured: takes what is enqueued while the stream captures, one after the other; last_node: of it. */
struct CUstream_st {
  work *first, **last;
  CUgraph captured;
  CUgraphNode last_node;
};

void catch_signals(void);
CUresult enqueue(CUstream stream, work item);
CUresult capture(CUstream stream, const work *item);
CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
void run_graph(node *nodes, size_t count);

#endif
