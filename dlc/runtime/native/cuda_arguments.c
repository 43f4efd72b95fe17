#include "cuda_arguments.h"

#include <stdlib.h>
#include <string.h>

/* No buffer begins here. */
static const CUdeviceptr UNSET = ~(CUdeviceptr)0;

dlc_status cuda_arguments_make(cuda_arguments *a, const dlc_kernel *kernel, const dlc_launch *launch) {
  size_t buffers = launch->operand_count, maps = kernel->map_count;
  *a = (cuda_arguments){.pointers = malloc((buffers + 1) * sizeof *a->pointers), /* C has no empty arrays */
                        .maps = aligned_alloc(_Alignof(CUtensorMap), (maps + 1) * sizeof *a->maps),
                        .parameters = malloc((buffers + maps + 1) * sizeof *a->parameters)};
  if (!a->pointers || !a->maps || !a->parameters) {
    cuda_arguments_free(a);
    return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory");
  }
  for (size_t i = 0; i < buffers; i++) {
    a->pointers[i] = UNSET;
    a->parameters[i] = &a->pointers[i];
  }
  for (size_t i = 0; i < maps; i++) a->parameters[buffers + i] = &a->maps[i];
  return DLC_OK;
}

static dlc_status encode(const cuda_driver *driver, const dlc_tensor_map *m, CUdeviceptr address, CUtensorMap *to) {
  void *start = (void *)(uintptr_t)address;
  const char *name = m->spatial_axes ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
  CUresult result;
  if (!driver->cuTensorMapEncodeTiled || !driver->cuTensorMapEncodeIm2col)
    return dlc_fail(DLC_DRIVER, "the NVIDIA driver has no %s; the model needs CUDA 12.0 or newer", name);
  if (m->spatial_axes)
    result = driver->cuTensorMapEncodeIm2col(to, m->data_type, m->rank, start, m->sizes, m->strides, m->lower_corner,
                                             m->upper_corner, m->box[0], m->box[1], m->element_strides, 0, m->swizzle,
                                             m->l2_promotion, 0);
  else
    result = driver->cuTensorMapEncodeTiled(to, m->data_type, m->rank, start, m->sizes, m->strides, m->box,
                                            m->element_strides, 0, m->swizzle, m->l2_promotion, 0);
  return cuda_status(driver, result, name);
}

dlc_status cuda_arguments_set(cuda_arguments *a, const cuda_driver *driver, const dlc_kernel *kernel,
                              const dlc_launch *launch, const dlc_address *operands, const dlc_places *places,
                              int *changed) {
  *changed = 0;
  for (uint32_t i = 0; i < launch->operand_count; i++) {
    CUdeviceptr pointer = dlc_resolve(places, operands[i]);
    *changed |= pointer != a->pointers[i];
    a->pointers[i] = pointer;
  }
  for (uint32_t i = 0; *changed && kernel && i < kernel->map_count; i++) {
    const dlc_tensor_map *map = &kernel->maps[i];
    dlc_status status = encode(driver, map, a->pointers[map->operand], &a->maps[i]);
    if (status != DLC_OK) return status;
  }
  return DLC_OK;
}

void cuda_arguments_free(cuda_arguments *a) {
  free(a->pointers);
  free(a->maps);
  free(a->parameters);
  memset(a, 0, sizeof *a);
}
