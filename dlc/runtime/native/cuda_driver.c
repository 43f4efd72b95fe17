#include "cuda_driver.h"

#include <dlfcn.h>
#include <string.h>

dlc_status cuda_open(cuda_driver *driver) {
  memset(driver, 0, sizeof *driver);
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver->library)
    return dlc_fail(DLC_DRIVER, "no NVIDIA driver: libcuda.so.1 cannot be opened; this model runs on a GPU only");
#define DLC_FIND(name, parameters)                                                                           \
  *(void **)&driver->name = dlsym(driver->library, #name);                                                   \
  if (!driver->name) return dlc_fail(DLC_DRIVER, "the NVIDIA driver has no " #name "; it needs CUDA 11.4 or newer");
  DLC_DRIVER_FUNCTIONS(DLC_FIND)
#undef DLC_FIND
#define DLC_FIND(name, parameters) *(void **)&driver->name = dlsym(driver->library, #name);
  DLC_NEWER_DRIVER_FUNCTIONS(DLC_FIND)
#undef DLC_FIND
  return cuda_status(driver, driver->cuInit(0), "cuInit");
}

void cuda_close(cuda_driver *driver) {
  if (driver->library) dlclose(driver->library);
  memset(driver, 0, sizeof *driver);
}

dlc_status cuda_status(const cuda_driver *driver, CUresult result, const char *what) {
  if (result == 0) return DLC_OK;
  const char *text = NULL;
  if (driver->cuGetErrorString(result, &text) != 0 || !text) text = "unknown error";
  return dlc_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? DLC_OUT_OF_MEMORY : DLC_DRIVER, "%s: %s (CUDA error %d)",
                  what, text, result);
}
