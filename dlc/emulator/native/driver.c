/* A stand-in for NVIDIA's driver: the functions that an artifact calls, on the memory and cores of the host.
 *
 * What is asynchronous happens as late as it may: a stream's work when somebody waits for it. graph.c has launches
 * and graphs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

/* It has room for all blocks of any kernel. */
enum { MULTIPROCESSORS = 1 << 10 };
enum { INVALID_IMAGE = 200, NOT_FOUND = 500, PLAIN_SHARED_BYTES = 48 << 10 };

static struct {
  int major, minor, shared_limit;
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

void catch_signals(void) {
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

CUresult enqueue(CUstream stream, work item) {
  if (stream->captured) return capture(stream, &item);
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
CUresult cuStreamIsCapturing(CUstream stream, int *status) { return *status = stream->captured != NULL, SUCCESS; }

CUresult cuStreamSynchronize(CUstream stream) {
  if (stream->captured) return INVALID_VALUE;
  return finish(stream), SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  if (mode != CU_STREAM_CAPTURE_MODE_RELAXED || stream->captured) return INVALID_VALUE;
  stream->last_node = NULL;
  return cuGraphCreate(&stream->captured, 0);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *captured) {
  *captured = stream->captured;
  stream->captured = NULL;
  return *captured ? SUCCESS : INVALID_VALUE;
}

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
