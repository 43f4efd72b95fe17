/* What a launch gives its kernel: pointers to its buffers, then tensor maps of some of them. */
#ifndef DLC_CUDA_ARGUMENTS_H
#define DLC_CUDA_ARGUMENTS_H

#include "cuda_driver.h"
#include "cuda_program.h"

/* parameters: the addresses of all arguments, as the driver wants them. */
typedef struct cuda_arguments {
  CUdeviceptr *pointers;
  CUtensorMap *maps;
  void **parameters;
} cuda_arguments;

/* Make the arguments of a launch of `kernel`, which are not set yet. */
dlc_status cuda_arguments_make(cuda_arguments *arguments, const dlc_kernel *kernel, const dlc_launch *launch);

/* Let the arguments be those at `places`; changed: whether any of them was another one before. A tensor map holds the
 * address of its buffer, so it is encoded again. operands: of the launch. kernel: NULL where a library computes in its
 * place, which takes no tensor maps. */
dlc_status cuda_arguments_set(cuda_arguments *arguments, const cuda_driver *driver, const dlc_kernel *kernel,
                              const dlc_launch *launch, const dlc_address *operands, const dlc_places *places,
                              int *changed);

void cuda_arguments_free(cuda_arguments *arguments);

#endif
