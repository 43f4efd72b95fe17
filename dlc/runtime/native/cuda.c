/* A model of a GPU artifact: one model is a CUDA graph over one copy of weights and workspace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_calls.h"
#include "cuda_fills.h"

enum { CHUNK_BYTES = 32 << 20, ALIGNMENT_BYTES = 256 };

struct dlc_model {
  cuda_driver driver;
  CUdevice device;
  CUcontext context;
  const dlc_variant *variant;
  CUmodule *modules;
  CUfunction *functions;
  CUdeviceptr weights, workspace, staging; /* workspace, staging: made when first needed */
  CUstream stream;                         /* for run_host */
  CUgraph graph;
  CUgraphExec executable;
  CUgraphNode *nodes;
  cuda_arguments *arguments; /* of each launch, as the graph has them */
  cuda_fills *fills;         /* before each launch */
  cuda_calls calls;
};

/* Run a driver function of `model`; leave the calling function with the status where it fails. */
#define TRY(call)                                                                                            \
  do {                                                                                                       \
    dlc_status status_ = cuda_status(&model->driver, model->driver.call, #call);                             \
    if (status_ != DLC_OK) return status_;                                                                   \
  } while (0)

#define TRY_STATUS(call)                                                                                     \
  do {                                                                                                       \
    dlc_status status_ = (call);                                                                             \
    if (status_ != DLC_OK) return status_;                                                                   \
  } while (0)

static dlc_status out_of_memory(void) { return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory"); }

/* Choosing the variant. ----------------------------------------------------------------------------------- */

static int runs_on(const dlc_variant *v, int major, int minor) {
  return v->exact ? v->major == major && v->minor == minor : v->major == major && v->minor <= minor;
}

static int is_better(const dlc_variant *v, const dlc_variant *than) {
  return !than || v->minor > than->minor || (v->minor == than->minor && v->exact > than->exact);
}

static dlc_status choose_variant(dlc_model *model) {
  int major, minor;
  TRY(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, model->device));
  TRY(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, model->device));
  char names[256] = "";
  for (int32_t i = 0; i < dlc_variant_count; i++) {
    const dlc_variant *v = &dlc_variants[i];
    if (runs_on(v, major, minor) && is_better(v, model->variant)) model->variant = v;
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", v->name);
  }
  if (!model->variant)
    return dlc_fail(DLC_UNSUPPORTED, "the device is sm_%d%d, the model has code for %s; compile it with --target sm_%d%d",
                    major, minor, names, major, minor);
  return DLC_OK;
}

/* Loading. ------------------------------------------------------------------------------------------------ */

static dlc_status open_device(dlc_model *model, int32_t number) {
  int count;
  TRY_STATUS(cuda_open(&model->driver));
  TRY(cuDeviceGetCount(&count));
  if (number < 0 || number >= count)
    return dlc_fail(DLC_INVALID_ARGUMENT, "there is no CUDA device %d; this machine has %d", (int)number, count);
  TRY(cuDeviceGet(&model->device, number));
  TRY_STATUS(choose_variant(model));
  TRY(cuDevicePrimaryCtxRetain(&model->context, model->device));
  return DLC_OK;
}

static dlc_status load_module(dlc_model *model, const dlc_segment *code, uint32_t i, void *image) {
  const dlc_image *where = &model->variant->images[i];
  TRY_STATUS(dlc_segment_read(code, where->offset, where->bytes, image));
  TRY(cuModuleLoadData(&model->modules[i], image));
  return DLC_OK;
}

static dlc_status load_modules(dlc_model *model, const dlc_segment *code) {
  const dlc_variant *v = model->variant;
  for (uint32_t i = 0; i < v->image_count; i++) {
    void *image = malloc(v->images[i].bytes);
    dlc_status status = image ? load_module(model, code, i, image) : out_of_memory();
    free(image);
    TRY_STATUS(status);
  }
  return DLC_OK;
}

/* Fail where the device has no room for all blocks of a kernel that wait for each other: a part of one, or another
 * chip of its capability. */
static dlc_status check_room(dlc_model *model, CUfunction function, const dlc_kernel *kernel) {
  uint32_t blocks = kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
  int each, multiprocessors;
  TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &each, function, (int)(kernel->block[0] * kernel->block[1] * kernel->block[2]), kernel->shared_bytes));
  TRY(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, model->device));
  if (blocks > (uint32_t)each * (uint32_t)multiprocessors)
    return dlc_fail(DLC_UNSUPPORTED,
                    "kernel %s has %u blocks that wait for each other, the device has room for %d at a time (%d on each "
                    "of %d multiprocessors); run it on a whole device of the kind that it was compiled for",
                    kernel->name, blocks, each * multiprocessors, each, multiprocessors);
  return DLC_OK;
}

static dlc_status load_kernels(dlc_model *model, const dlc_segment *code) {
  const dlc_variant *v = model->variant;
  model->modules = calloc(v->image_count + 1, sizeof *model->modules);
  model->functions = calloc(v->kernel_count + 1, sizeof *model->functions);
  if (!model->modules || !model->functions) return out_of_memory();
  TRY_STATUS(load_modules(model, code));
  for (uint32_t i = 0; i < v->kernel_count; i++) {
    const dlc_kernel *kernel = &v->kernels[i];
    TRY(cuModuleGetFunction(&model->functions[i], model->modules[kernel->image], kernel->name));
    TRY(cuFuncSetAttribute(model->functions[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           (int)kernel->shared_bytes));
    if (kernel->cooperative && !cuda_calls_has(&model->calls, i)) TRY_STATUS(check_room(model, model->functions[i], kernel));
  }
  return DLC_OK;
}

/* Pageable memory is copied to the device several times slower than pinned memory, and pinning all weights would
 * take as much memory again; so they go through two pinned chunks, each with a stream of its own. */
static dlc_status copy_chunks(dlc_model *model, const dlc_segment *weights, void *const *chunks,
                              const CUstream *streams) {
  uint64_t bytes = weights->bytes;
  int turn = 0;
  for (uint64_t done = 0; done < bytes; done += CHUNK_BYTES, turn ^= 1) {
    size_t part = bytes - done < CHUNK_BYTES ? (size_t)(bytes - done) : CHUNK_BYTES;
    TRY(cuStreamSynchronize(streams[turn]));
    TRY_STATUS(dlc_segment_read(weights, done, part, chunks[turn]));
    TRY(cuMemcpyHtoDAsync_v2(model->weights + done, chunks[turn], part, streams[turn]));
  }
  for (int i = 0; i < 2; i++) TRY(cuStreamSynchronize(streams[i]));
  return DLC_OK;
}

static dlc_status make_chunks(dlc_model *model, void **chunks, CUstream *streams) {
  for (int i = 0; i < 2; i++) {
    TRY(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    TRY(cuMemHostAlloc(&chunks[i], CHUNK_BYTES, 0));
  }
  return DLC_OK;
}

static dlc_status upload_weights(dlc_model *model, const dlc_segment *weights) {
  void *chunks[2] = {NULL, NULL};
  CUstream streams[2] = {NULL, NULL};
  if (weights->bytes == 0) return DLC_OK;
  TRY(cuMemAlloc_v2(&model->weights, weights->bytes));
  dlc_status status = make_chunks(model, chunks, streams);
  if (status == DLC_OK) status = copy_chunks(model, weights, chunks, streams);
  for (int i = 0; i < 2; i++) {
    if (chunks[i]) model->driver.cuMemFreeHost(chunks[i]);
    if (streams[i]) model->driver.cuStreamDestroy_v2(streams[i]);
  }
  return status;
}

/* The graph. ----------------------------------------------------------------------------------------------- */

static CUDA_KERNEL_NODE_PARAMS node_parameters(const dlc_model *model, uint32_t number) {
  const dlc_launch *launch = &model->variant->steps.launches[number];
  const dlc_kernel *kernel = &model->variant->kernels[launch->kernel];
  return (CUDA_KERNEL_NODE_PARAMS){
      .func = model->functions[launch->kernel],
      .gridDimX = kernel->grid[0],
      .gridDimY = kernel->grid[1],
      .gridDimZ = kernel->grid[2],
      .blockDimX = kernel->block[0],
      .blockDimY = kernel->block[1],
      .blockDimZ = kernel->block[2],
      .sharedMemBytes = kernel->shared_bytes,
      .kernelParams = model->arguments[number].parameters,
  };
}

/* Whether a library computes what a launch is to compute. */
static int is_call(const dlc_model *model, uint32_t number) {
  return cuda_calls_has(&model->calls, model->variant->steps.launches[number].kernel);
}

static dlc_status set_arguments(const dlc_model *model, const dlc_launch *launch, const dlc_places *p,
                                cuda_arguments *arguments, int *changed) {
  const dlc_address *operands = model->variant->steps.operands + launch->first_operand;
  const dlc_kernel *own = cuda_calls_has(&model->calls, launch->kernel) ? NULL : &model->variant->kernels[launch->kernel];
  return cuda_arguments_set(arguments, &model->driver, own, launch, operands, p, changed);
}

/* What fills the buffers of a kernel runs beside the launches before it. */
static dlc_status add_node(dlc_model *model, uint32_t number) {
  static const CUkernelNodeAttrValue together = {.cooperative = 1};
  const dlc_launch *launch = &model->variant->steps.launches[number];
  const dlc_kernel *kernel = &model->variant->kernels[launch->kernel];
  cuda_fills *fills = &model->fills[number];
  CUgraphNode *node = &model->nodes[number];
  if (is_call(model, number))
    return cuda_calls_add(&model->calls, &model->driver, model->variant, launch, &model->arguments[number],
                          model->graph, node);
  TRY_STATUS(cuda_fills_add(fills, &model->driver, model->context, model->graph, kernel, &model->arguments[number]));
  CUDA_KERNEL_NODE_PARAMS parameters = node_parameters(model, number);
  TRY(cuGraphAddKernelNode(node, model->graph, fills->nodes, kernel->fill_count, &parameters));
  if (kernel->cooperative) TRY(cuGraphKernelNodeSetAttribute(*node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &together));
  return DLC_OK;
}

/* The memory plan reuses buffers along the edges. A kernel that waits itself is launched when those before it say so, or
 * when all blocks of them have ended; a library says nothing, and waits for nothing. */
static dlc_status add_edge(dlc_model *model, const dlc_edge *edge) {
  static const CUgraphEdgeData early = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                        .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
  const dlc_variant *v = model->variant;
  const CUgraphNode *before = &model->nodes[edge->before], *after = &model->nodes[edge->after];
  int are_kernels = !is_call(model, edge->before) && !is_call(model, edge->after);
  int waits = are_kernels && v->kernels[v->steps.launches[edge->after].kernel].waits;
  if (waits && model->driver.cuGraphAddDependencies_v2)
    TRY(cuGraphAddDependencies_v2(model->graph, before, after, &early, 1));
  else TRY(cuGraphAddDependencies(model->graph, before, after, 1));
  return DLC_OK;
}

/* Let the launches that are to go first do so, where there are any; flags: for the graph that is launched. */
static dlc_status set_priorities(dlc_model *model, unsigned long long *flags) {
  const dlc_steps *s = &model->variant->steps;
  CUkernelNodeAttrValue first = {0};
  int least;
  TRY(cuCtxGetStreamPriorityRange(&least, &first.priority));
  for (uint32_t i = 0; i < s->launch_count; i++) {
    if (!s->launches[i].goes_first || is_call(model, i)) continue;
    TRY(cuGraphKernelNodeSetAttribute(model->nodes[i], CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &first));
    *flags = CU_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  }
  return DLC_OK;
}

static dlc_status build_graph(dlc_model *model, const dlc_places *p) {
  const dlc_steps *s = &model->variant->steps;
  model->arguments = calloc(s->launch_count + 1, sizeof *model->arguments);
  model->nodes = calloc(s->launch_count + 1, sizeof *model->nodes);
  model->fills = calloc(s->launch_count + 1, sizeof *model->fills);
  if (!model->arguments || !model->nodes || !model->fills) return out_of_memory();
  TRY(cuGraphCreate(&model->graph, 0));
  for (uint32_t i = 0; i < s->launch_count; i++) {
    const dlc_launch *launch = &s->launches[i];
    int changed;
    TRY_STATUS(cuda_arguments_make(&model->arguments[i], &model->variant->kernels[launch->kernel], launch));
    TRY_STATUS(set_arguments(model, launch, p, &model->arguments[i], &changed));
    TRY_STATUS(add_node(model, i));
  }
  for (uint32_t i = 0; i < model->variant->edge_count; i++) TRY_STATUS(add_edge(model, &model->variant->edges[i]));
  unsigned long long flags = 0;
  TRY_STATUS(set_priorities(model, &flags));
  TRY(cuGraphInstantiateWithFlags(&model->executable, model->graph, flags));
  return DLC_OK;
}

static void drop_graph(dlc_model *model) {
  if (model->executable) model->driver.cuGraphExecDestroy(model->executable);
  if (model->graph) model->driver.cuGraphDestroy(model->graph);
  for (uint32_t i = 0; model->arguments && i < model->variant->steps.launch_count; i++)
    cuda_arguments_free(&model->arguments[i]);
  for (uint32_t i = 0; model->fills && i < model->variant->steps.launch_count; i++) cuda_fills_free(&model->fills[i]);
  free(model->nodes);
  free(model->arguments);
  free(model->fills);
  model->executable = NULL;
  model->graph = NULL;
  model->nodes = NULL;
  model->arguments = NULL;
  model->fills = NULL;
}

static dlc_status update_node(dlc_model *model, uint32_t number) {
  const dlc_launch *launch = &model->variant->steps.launches[number];
  if (is_call(model, number))
    return cuda_calls_update(&model->calls, &model->driver, model->variant, launch, &model->arguments[number],
                             model->executable, model->nodes[number]);
  CUDA_KERNEL_NODE_PARAMS parameters = node_parameters(model, number);
  TRY(cuGraphExecKernelNodeSetParams(model->executable, model->nodes[number], &parameters));
  TRY_STATUS(cuda_fills_update(&model->fills[number], &model->driver, model->context, model->executable,
                               &model->variant->kernels[launch->kernel], &model->arguments[number]));
  return DLC_OK;
}

/* Give the graph new arguments where buffers are not where they were in the run before. */
static dlc_status update_graph(dlc_model *model, const dlc_places *p) {
  const dlc_steps *s = &model->variant->steps;
  for (uint32_t i = 0; i < s->launch_count; i++) {
    int changed;
    TRY_STATUS(set_arguments(model, &s->launches[i], p, &model->arguments[i], &changed));
    if (changed) TRY_STATUS(update_node(model, i));
  }
  return DLC_OK;
}

/* A library may launch other kernels for other addresses, which a graph that is made does not take: it is made anew. */
static dlc_status ready_graph(dlc_model *model, const dlc_places *p) {
  if (model->executable && update_graph(model, p) == DLC_OK) return DLC_OK;
  drop_graph(model);
  dlc_status status = build_graph(model, p);
  if (status != DLC_OK) drop_graph(model);
  return status;
}

/* Runs. --------------------------------------------------------------------------------------------------- */

/* The memory is made now, also where this thread captures: no node of a graph makes it. */
static dlc_status make_workspace(dlc_model *model, uint64_t bytes) {
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  TRY(cuThreadExchangeStreamCaptureMode(&mode));
  CUresult made = model->driver.cuMemAlloc_v2(&model->workspace, bytes);
  TRY(cuThreadExchangeStreamCaptureMode(&mode));
  return cuda_status(&model->driver, made, "cuMemAlloc_v2");
}

static dlc_status find_places(dlc_model *model, CUdeviceptr workspace, const void *const *inputs,
                              void *const *outputs, dlc_places *p) {
  uint64_t bytes = model->variant->steps.workspace_bytes;
  if (!workspace && !model->workspace && bytes) TRY_STATUS(make_workspace(model, bytes));
  *p = (dlc_places){inputs, outputs, (uintptr_t)model->weights,
                    (uintptr_t)(workspace ? workspace : model->workspace)};
  return DLC_OK;
}

static dlc_status make_copy(dlc_model *model, const dlc_copy *copy, const dlc_places *p, CUstream stream) {
  TRY(cuMemcpyDtoDAsync_v2(dlc_resolve(p, copy->target), dlc_resolve(p, copy->source), copy->bytes, stream));
  return DLC_OK;
}

static dlc_status launch_with(dlc_model *model, const dlc_launch *what, const dlc_places *p,
                              cuda_arguments *arguments, CUstream stream) {
  const dlc_kernel *k = &model->variant->kernels[what->kernel];
  int changed;
  TRY_STATUS(set_arguments(model, what, p, arguments, &changed));
  if (cuda_calls_has(&model->calls, what->kernel))
    return cuda_calls_enqueue(&model->calls, &model->driver, model->variant, what, arguments, stream);
  TRY_STATUS(cuda_fills_enqueue(&model->driver, k, arguments, stream));
  if (k->cooperative) {
    TRY(cuLaunchCooperativeKernel(model->functions[what->kernel], k->grid[0], k->grid[1], k->grid[2], k->block[0],
                                  k->block[1], k->block[2], k->shared_bytes, stream, arguments->parameters));
    return DLC_OK;
  }
  TRY(cuLaunchKernel(model->functions[what->kernel], k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
                     k->block[2], k->shared_bytes, stream, arguments->parameters, NULL));
  return DLC_OK;
}

/* A launch by itself, without the graph. */
static dlc_status launch(dlc_model *model, const dlc_launch *what, const dlc_places *p, CUstream stream) {
  cuda_arguments arguments;
  TRY_STATUS(cuda_arguments_make(&arguments, &model->variant->kernels[what->kernel], what));
  dlc_status status = launch_with(model, what, p, &arguments, stream);
  cuda_arguments_free(&arguments);
  return status;
}

static dlc_status enqueue_steps(dlc_model *model, uint32_t first, uint32_t end, CUstream stream,
                                CUdeviceptr workspace, const void *const *inputs, void *const *outputs) {
  const dlc_steps *s = &model->variant->steps;
  dlc_places p;
  TRY_STATUS(find_places(model, workspace, inputs, outputs, &p));
  for (uint32_t i = first; i < end; i++)
    TRY_STATUS(i < s->launch_count ? launch(model, &s->launches[i], &p, stream)
                                   : make_copy(model, &s->copies[i - s->launch_count], &p, stream));
  return DLC_OK;
}

static dlc_status enqueue_graph(dlc_model *model, CUstream stream, const dlc_places *p) {
  const dlc_steps *s = &model->variant->steps;
  if (s->launch_count) {
    TRY_STATUS(ready_graph(model, p));
    TRY(cuGraphLaunch(model->executable, stream));
  }
  for (uint32_t i = 0; i < s->copy_count; i++) TRY_STATUS(make_copy(model, &s->copies[i], p, stream));
  return DLC_OK;
}

/* A stream that captures takes no graph: it gets the steps. */
static dlc_status enqueue(dlc_model *model, CUstream stream, CUdeviceptr workspace, const void *const *inputs,
                          void *const *outputs) {
  dlc_places p;
  int captures;
  TRY(cuStreamIsCapturing(stream, &captures));
  if (captures) return enqueue_steps(model, 0, dlc_model_step_count(model), stream, workspace, inputs, outputs);
  TRY_STATUS(find_places(model, workspace, inputs, outputs, &p));
  return enqueue_graph(model, stream, &p);
}

/* Host arrays. -------------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes) { return (bytes + ALIGNMENT_BYTES - 1) & ~(uint64_t)(ALIGNMENT_BYTES - 1); }

static dlc_status make_staging(dlc_model *model) {
  uint64_t bytes = ALIGNMENT_BYTES;
  for (int32_t i = 0; i < dlc_input_count; i++) bytes += aligned(dlc_inputs[i].bytes);
  for (int32_t i = 0; i < dlc_output_count; i++) bytes += aligned(dlc_outputs[i].bytes);
  TRY(cuStreamCreate(&model->stream, CU_STREAM_NON_BLOCKING));
  TRY(cuMemAlloc_v2(&model->staging, bytes));
  return DLC_OK;
}

static dlc_status copy_and_run(dlc_model *model, const void *const *inputs, void *const *outputs, void **device) {
  CUdeviceptr next = model->staging;
  void **device_outputs = device + dlc_input_count;
  for (int32_t i = 0; i < dlc_input_count; next += aligned(dlc_inputs[i++].bytes)) {
    device[i] = (void *)(uintptr_t)next;
    TRY(cuMemcpyHtoDAsync_v2(next, inputs[i], dlc_inputs[i].bytes, model->stream));
  }
  for (int32_t i = 0; i < dlc_output_count; next += aligned(dlc_outputs[i++].bytes))
    device_outputs[i] = (void *)(uintptr_t)next;
  TRY_STATUS(enqueue(model, model->stream, 0, (const void *const *)device, device_outputs));
  for (int32_t i = 0; i < dlc_output_count; i++)
    TRY(cuMemcpyDtoHAsync_v2(outputs[i], (CUdeviceptr)(uintptr_t)device_outputs[i], dlc_outputs[i].bytes,
                             model->stream));
  TRY(cuStreamSynchronize(model->stream));
  return DLC_OK;
}

/* What the entry table calls. ----------------------------------------------------------------------------- */

const uint32_t dlc_artifact_target = DLC_CUDA;
const size_t dlc_model_bytes = sizeof(dlc_model);

static void leave(dlc_model *model) {
  CUcontext popped;
  model->driver.cuCtxPopCurrent_v2(&popped);
}

dlc_status dlc_model_run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                         void *const *outputs) {
  TRY(cuCtxPushCurrent_v2(model->context));
  dlc_status status = enqueue(model, (CUstream)stream, (CUdeviceptr)(uintptr_t)workspace, inputs, outputs);
  leave(model);
  return status;
}

int32_t dlc_model_variant(const dlc_model *model) { return (int32_t)(model->variant - dlc_variants); }

uint32_t dlc_model_step_count(const dlc_model *model) {
  return model->variant->steps.launch_count + model->variant->steps.copy_count;
}

dlc_status dlc_model_run_steps(dlc_model *model, uint32_t first, uint32_t end, void *stream, void *workspace,
                               const void *const *inputs, void *const *outputs) {
  TRY(cuCtxPushCurrent_v2(model->context));
  dlc_status status = enqueue_steps(model, first, end, (CUstream)stream, (CUdeviceptr)(uintptr_t)workspace, inputs,
                                    outputs);
  leave(model);
  return status;
}

dlc_status dlc_model_run_host(dlc_model *model, const void *const *inputs, void *const *outputs) {
  TRY(cuCtxPushCurrent_v2(model->context));
  void **device = malloc((size_t)(dlc_input_count + dlc_output_count + 1) * sizeof *device);
  dlc_status status = device ? DLC_OK : out_of_memory();
  if (status == DLC_OK && !model->staging) status = make_staging(model);
  if (status == DLC_OK) status = copy_and_run(model, inputs, outputs, device);
  free(device);
  leave(model);
  return status;
}

static void release(dlc_model *model) {
  model->driver.cuCtxPushCurrent_v2(model->context);
  drop_graph(model);
  if (model->variant) cuda_calls_free(&model->calls, &model->driver, model->variant);
  if (model->stream) model->driver.cuStreamDestroy_v2(model->stream);
  CUdeviceptr memory[] = {model->weights, model->workspace, model->staging};
  for (int i = 0; i < 3; i++)
    if (memory[i]) model->driver.cuMemFree_v2(memory[i]);
  for (uint32_t i = 0; model->modules && i < model->variant->image_count; i++)
    if (model->modules[i]) model->driver.cuModuleUnload(model->modules[i]);
  leave(model);
  model->driver.cuDevicePrimaryCtxRelease_v2(model->device);
}

void dlc_model_close(dlc_model *model) {
  if (model->context) release(model);
  cuda_close(&model->driver);
  free(model->modules);
  free(model->functions);
}

static dlc_status load(dlc_model *model, const dlc_payload *payload) {
  TRY(cuCtxPushCurrent_v2(model->context));
  dlc_status status = cuda_calls_prepare(&model->calls, model->variant);
  if (status == DLC_OK) status = load_kernels(model, &payload->device_code);
  if (status == DLC_OK) status = upload_weights(model, &payload->weights);
  leave(model);
  return status;
}

dlc_status dlc_model_open(dlc_model *model, const char *path, const char *weights_path, int32_t device) {
  dlc_payload payload;
  TRY_STATUS(dlc_payload_open(path, weights_path, &payload));
  dlc_status status = open_device(model, device);
  if (status == DLC_OK) status = load(model, &payload);
  dlc_status unchanged = dlc_payload_close(&payload);
  return status == DLC_OK ? unchanged : status;
}

dlc_status dlc_model_set_threads(dlc_model *model, int32_t threads) {
  (void)model, (void)threads;
  return dlc_fail(DLC_INVALID_ARGUMENT, "set_threads: the model runs on a GPU");
}

uint64_t dlc_model_workspace_bytes(const dlc_model *model) { return model->variant->steps.workspace_bytes; }
