/* Prepares calls by cuDNN itself on a machine without a GPU: what stands in cudnn.c, but for handles. The library is told
 * the properties of a device in their place. FUNCTIONS declares its functions, CALLS has the constants of calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include FUNCTIONS

enum { DEVICE = 38, DEVICE_JSON = 2702, CHARACTERS = 24, DESCRIPTOR = 15, HANDLE = 0 };
enum { HEURISTICS_GRAPH = 201, HEURISTICS_DEVICE = 204, PLAN_HANDLE = 400, PLAN_DEVICE = 407, GRAPH_HANDLE = 800 };

static const char PROPERTIES[] =
    "{\"deviceName\": \"NVIDIA H200\", \"deviceVer\": 900, \"driverVer\": 13000, \"cudaDriverVer\": 13000, "
    "\"multiProcessorCount\": 132, \"warpSize\": 32, \"maxGridSize\": [2147483647, 65535, 65535], "
    "\"maxBlockSize\": [1024, 1024, 64], \"maxThreadsPerBlock\": 1024, \"maxThreadsPerSM\": 2048, \"maxCtasPerSM\": 32, "
    "\"regsPerBlock\": 65536, \"maxRegistersPerSM\": 65536, \"maxSharedMemoryPerBlock\": 49152, "
    "\"maxSharedMemoryPerBlockOptin\": 232448, \"reservedSharedMemoryPerBlock\": 1024, "
    "\"oversizedSharedMemoryPerBlock\": 0, \"smCountOrigin\": 0, \"smClockRateKHz\": 1980000, "
    "\"memClockRateKHz\": 3201000, \"memoryBusWidth\": 6144, \"l2CacheSize\": 62914560, "
    "\"totalGlobalMem\": 150000000000, \"cudaDeviceId\": 0, \"deviceId\": 0, \"pciDeviceId\": 0, \"isTccDriver\": 0, "
    "\"supportCoopLaunch\": 1, \"clusterLaunch\": 1}";

static void *device;

static int make_device(void) {
  int status = cudnnBackendCreateDescriptor(DEVICE, &device);
  if (!status) status = cudnnBackendSetAttribute(device, DEVICE_JSON, CHARACTERS, sizeof PROPERTIES, PROPERTIES);
  return status ? status : cudnnBackendFinalize(device);
}

static int set_without_gpu(void *descriptor, int attribute, int type, int64_t count, const void *values) {
  if (attribute == GRAPH_HANDLE) return type != HANDLE;
  if (attribute == PLAN_HANDLE)
    return type == HANDLE ? cudnnBackendSetAttribute(descriptor, PLAN_DEVICE, DESCRIPTOR, 1, &device) : 1;
  int status = cudnnBackendSetAttribute(descriptor, attribute, type, count, values);
  if (!status && attribute == HEURISTICS_GRAPH)
    status = cudnnBackendSetAttribute(descriptor, HEURISTICS_DEVICE, DESCRIPTOR, 1, &device);
  return status;
}

static int create_without_gpu(void **handle) { return *handle = NULL, 0; }

#define cudnnBackendSetAttribute set_without_gpu
#define cudnnCreate create_without_gpu
#include TEXT
#undef cudnnCreate
#undef cudnnBackendSetAttribute

static const struct {
  int32_t algorithm;
  cudnn_call given;
} calls[] = {
#include CALLS
};

/* Say whether the variant pack of a call is taken; its addresses are never read. */
static int packed(const cudnn_call *call) {
  static char memory[16];
  void *buffers[] = {memory, memory, memory, memory, memory}, *pack = NULL;
  int status = cudnnBackendCreateDescriptor(CUDNN_DESCRIPTOR_VARIANT_PACK, &pack);
  if (!status) status = cudnn_pack(call, buffers, memory, pack);
  cudnnBackendDestroyDescriptor(pack);
  return status;
}

int main(void) {
  void *shared = NULL;
  if (make_device()) return fprintf(stderr, "cuDNN takes no properties of a device\n"), 1;
  (void)cudnn_enqueue;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    void *state = NULL;
    const char *message = cudnn_prepare(&calls[i].given, calls[i].algorithm, &shared, &state);
    if (!message) message = cudnn_message(packed(&calls[i].given));
    puts(message ? message : "ok");
    if (state) cudnn_release(state);
  }
  return 0;
}
