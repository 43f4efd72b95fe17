#include "cuda_calls.h"

#include <stdlib.h>
#include <string.h>

#include "libraries.h"

static dlc_status out_of_memory(void) { return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory"); }

static dlc_status failed(const dlc_call *call, const char *message) {
  return message ? dlc_fail(DLC_DRIVER, "library %s: %s", dlc_libraries[call->library].name, message) : DLC_OK;
}

/* Preparing. ---------------------------------------------------------------------------------------------- */

/* Prepare the calls of one library, and say for how many kernels it computes nothing. */
static void prepare_library(cuda_calls *c, const dlc_variant *v, uint32_t library) {
  int32_t count = 0, refused = 0;
  const char *reason = "";
  for (uint32_t i = 0; i < v->kernel_count; i++) {
    const dlc_call *call = v->kernels[i].call;
    if (!call || call->library != library) continue;
    const char *message = call->prepare(call->given, call->algorithm, &c->shared[library], &c->states[i]);
    count++;
    if (message && !refused++) reason = message;
  }
  dlc_libraries_note((int32_t)library, count, refused, reason);
}

dlc_status cuda_calls_prepare(cuda_calls *c, const dlc_variant *v) {
  c->shared = calloc((size_t)dlc_library_count + 1, sizeof *c->shared);
  c->states = calloc(v->kernel_count + 1, sizeof *c->states);
  if (!c->shared || !c->states) return out_of_memory();
  for (int32_t i = 0; i < dlc_library_count; i++)
    if (dlc_libraries[i].is_used) prepare_library(c, v, (uint32_t)i);
  return DLC_OK;
}

static void close_library(cuda_calls *c, const dlc_variant *v, uint32_t library) {
  const dlc_call *last = NULL;
  for (uint32_t i = 0; i < v->kernel_count; i++) {
    const dlc_call *call = v->kernels[i].call;
    if (!call || call->library != library) continue;
    if (c->states[i]) call->release(c->states[i]);
    last = call;
  }
  if (last && c->shared[library]) last->close(c->shared[library]);
}

void cuda_calls_free(cuda_calls *c, const cuda_driver *driver, const dlc_variant *v) {
  for (int32_t i = 0; c->states && c->shared && i < dlc_library_count; i++) close_library(c, v, (uint32_t)i);
  if (c->stream) driver->cuStreamDestroy_v2(c->stream);
  free(c->shared);
  free(c->states);
  memset(c, 0, sizeof *c);
}

/* Running. ------------------------------------------------------------------------------------------------ */

/* Run the call of a launch with the addresses that it takes. */
static const char *run_call(const cuda_calls *c, const dlc_variant *v, const dlc_launch *launch,
                            const cuda_arguments *a, void **addresses, CUstream stream) {
  const dlc_call *call = v->kernels[launch->kernel].call;
  void *workspace = call->has_workspace ? (void *)(uintptr_t)a->pointers[launch->operand_count - 1] : NULL;
  for (uint32_t i = 0; i < call->buffer_count; i++)
    addresses[i] = (void *)(uintptr_t)a->pointers[call->buffers[i]];
  return call->enqueue(call->given, c->states[launch->kernel], stream, addresses, workspace);
}

/* A library may load code at its first launch, which a thread that captures may not do in every mode. */
dlc_status cuda_calls_enqueue(const cuda_calls *c, const cuda_driver *driver, const dlc_variant *v,
                              const dlc_launch *launch, const cuda_arguments *a, CUstream stream) {
  const dlc_call *call = v->kernels[launch->kernel].call;
  void **addresses = malloc((call->buffer_count + 1) * sizeof *addresses);
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (!addresses) return out_of_memory();
  dlc_status status = cuda_status(driver, driver->cuThreadExchangeStreamCaptureMode(&mode), "capture mode");
  if (status == DLC_OK) {
    status = failed(call, run_call(c, v, launch, a, addresses, stream));
    driver->cuThreadExchangeStreamCaptureMode(&mode);
  }
  free(addresses);
  return status;
}

/* As a node of a graph. ----------------------------------------------------------------------------------- */

static dlc_status capture(cuda_calls *c, const cuda_driver *driver, const dlc_variant *v, const dlc_launch *launch,
                          const cuda_arguments *a, CUgraph *captured) {
  dlc_status status = DLC_OK;
  *captured = NULL;
  if (!c->stream)
    status = cuda_status(driver, driver->cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  if (status != DLC_OK) return status;
  CUresult begun = driver->cuStreamBeginCapture_v2(c->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (begun != 0) return cuda_status(driver, begun, "cuStreamBeginCapture_v2");
  status = cuda_calls_enqueue(c, driver, v, launch, a, c->stream);
  CUresult ended = driver->cuStreamEndCapture(c->stream, captured);
  return status != DLC_OK ? status : cuda_status(driver, ended, "cuStreamEndCapture");
}

dlc_status cuda_calls_add(cuda_calls *c, const cuda_driver *driver, const dlc_variant *v, const dlc_launch *launch,
                          const cuda_arguments *a, CUgraph graph, CUgraphNode *node) {
  CUgraph captured;
  dlc_status status = capture(c, driver, v, launch, a, &captured);
  if (status == DLC_OK)
    status = cuda_status(driver, driver->cuGraphAddChildGraphNode(node, graph, NULL, 0, captured),
                         "cuGraphAddChildGraphNode");
  if (captured) driver->cuGraphDestroy(captured);
  return status;
}

dlc_status cuda_calls_update(cuda_calls *c, const cuda_driver *driver, const dlc_variant *v, const dlc_launch *launch,
                             const cuda_arguments *a, CUgraphExec executable, CUgraphNode node) {
  CUgraph captured;
  dlc_status status = capture(c, driver, v, launch, a, &captured);
  if (status == DLC_OK)
    status = cuda_status(driver, driver->cuGraphExecChildGraphNodeSetParams(executable, node, captured),
                         "cuGraphExecChildGraphNodeSetParams");
  if (captured) driver->cuGraphDestroy(captured);
  return status;
}
