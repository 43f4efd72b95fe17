/* The functions of the driver that cuDNN calls, or asks the addresses of, before anything runs: a version, kernels that are
 * never launched, and nothing else. */
#define NOTHING(name) int name(void) { return 0; }
#define POINTER(name) int name(void **found) { static int thing[64]; return *found = thing, 0; }

NOTHING(cuCtxGetCurrent) NOTHING(cuCtxGetLimit) NOTHING(cuCtxPopCurrent) NOTHING(cuCtxPushCurrent)
NOTHING(cuDeviceGet) NOTHING(cuDeviceGetCount) NOTHING(cuGetErrorName) NOTHING(cuGetErrorString)
NOTHING(cuKernelSetAttribute) NOTHING(cuLaunchCooperativeKernel) NOTHING(cuLaunchKernel) NOTHING(cuLaunchKernelEx)
NOTHING(cuLibraryLoadFromFile) NOTHING(cuLibraryUnload) NOTHING(cuLinkAddData) NOTHING(cuLinkComplete)
NOTHING(cuLinkCreate) NOTHING(cuLinkDestroy) NOTHING(cuModuleGetFunction) NOTHING(cuModuleLoadData)
NOTHING(cuModuleUnload) NOTHING(cuOccupancyMaxPotentialClusterSize) NOTHING(cuStreamGetCtx)
NOTHING(cuTensorMapEncodeIm2col) NOTHING(cuTensorMapEncodeTiled)
POINTER(cuLibraryLoadData) POINTER(cuLibraryGetKernel) POINTER(cuKernelGetFunction)
int cuKernelGetAttribute(int *found) { return *found = 0, 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
