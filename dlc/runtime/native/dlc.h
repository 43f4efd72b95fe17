/* The C interface of a compiled model (model.so).
 *
 * A model.so exports one symbol, dlc_entry; several models live in one process when each is opened with
 * dlopen(path, RTLD_NOW | RTLD_LOCAL). It needs the C library, and for a GPU the driver's
 * libcuda.so.1, which it opens itself.
 *
 * Threads: functions may be called from any thread. Two runs of one dlc_model must not overlap, unless its
 * target is the CPU and each run has a workspace of its own; different dlc_models are independent.
 *
 * A run on the CPU takes threads that wait for it between runs, for 0.3 ms awake and then asleep; destroy ends them.
 *
 * fork: a child may go on using a model of the CPU, even when another thread was running it. In a child that is
 * forked after the library was opened, runs take one thread, since the others do not survive a fork. A library that
 * the child opens itself takes as many as any. CUDA cannot be used in a child once its parent has.
 */
#ifndef DLC_H
#define DLC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLC_ABI_VERSION 5u

typedef enum dlc_status {
  DLC_OK = 0,
  DLC_INVALID_ARGUMENT = 1, /* a null pointer, a device that does not exist */
  DLC_CORRUPT = 2,          /* model.so or its weights file is damaged, incomplete or of another compile */
  DLC_UNSUPPORTED = 3,      /* this processor or GPU cannot run the code of the artifact */
  DLC_OUT_OF_MEMORY = 4,
  DLC_DRIVER = 5 /* the CUDA driver is missing or reported an error */
} dlc_status;

typedef enum dlc_target { DLC_CPU = 0, DLC_CUDA = 1 } dlc_target;

typedef enum dlc_dtype {
  DLC_BOOL = 0, /* one byte, 0 or 1 */
  DLC_INT8 = 1,
  DLC_INT16 = 2,
  DLC_INT32 = 3,
  DLC_INT64 = 4,
  DLC_UINT8 = 5,
  DLC_UINT16 = 6,
  DLC_UINT32 = 7,
  DLC_UINT64 = 8,
  DLC_FLOAT16 = 9,
  DLC_BFLOAT16 = 10,
  DLC_FLOAT32 = 11,
  DLC_FLOAT64 = 12
} dlc_dtype;

/* An input or output: dense, row-major, the last axis contiguous. */
typedef struct dlc_tensor {
  const char *name; /* the ONNX name, UTF-8 */
  int32_t dtype;    /* a dlc_dtype */
  int32_t rank;
  const int64_t *shape; /* rank sizes */
  uint64_t bytes;
} dlc_tensor;

/* A library of others that kernels call where create finds it; generated kernels run where it does not. */
typedef struct dlc_library {
  const char *name;     /* openblas */
  const char *variable; /* of the environment, that names its file: DLC_OPENBLAS */
  const char *wheel;    /* a Python package and the file in it, for set_library; "": none */
  int32_t is_used;
  const char *state; /* from the first create on: the file, or why generated kernels run */
  int32_t kernel_count, refused_count; /* of the model that was made last, on a GPU: its kernels that call the library,
                                        * and those of them that generated ones run for, as state says */
} dlc_library;

typedef struct dlc_model dlc_model;

/* The entry table. Compare abi_version with DLC_ABI_VERSION before using anything behind it. */
typedef struct dlc_api {
  uint32_t abi_version;
  uint32_t target; /* a dlc_target */
  int32_t input_count;
  int32_t output_count;
  const dlc_tensor *inputs;
  const dlc_tensor *outputs;

  /* Make a model. path: of this model.so; NULL: the name under which it was opened, which must still lead to
   * it. weights_path: the file that was written with --weights=file; NULL: "<path>.weights". device: the CUDA
   * device number; ignored on the CPU. The model is used until destroy. */
  dlc_status (*create)(const char *path, const char *weights_path, int32_t device, dlc_model **model);

  /* The bytes that run needs for intermediate values. */
  uint64_t (*workspace_bytes)(const dlc_model *model);

  /* Run once. inputs, outputs: one pointer per tensor in the order of the table, to host memory on the CPU and
   * to device memory on a GPU, aligned to 64 bytes on a GPU and to the element on the CPU. Outputs may not
   * overlap inputs or each other. workspace: NULL (the model then keeps one) or workspace_bytes bytes, aligned
   * to 256. stream: a CUstream (NULL: the default stream), ignored on the CPU; on a GPU the call returns when
   * the work is enqueued, and may be captured by the caller's stream: then launches are one after the other.
   * Elements that name places in a tensor (of Gather, Scatter, ...) must be -n to n - 1 for an axis of n elements. Others never lead outside of a buffer, but give numbers without meaning: the nearest
   * element is read, nothing is written. What may be where is in the report: indices. */
  dlc_status (*run)(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                    void *const *outputs);

  /* Run once on host memory whatever the target; on a GPU it copies in and out and waits. */
  dlc_status (*run_host)(dlc_model *model, const void *const *inputs, void *const *outputs);

  void (*destroy)(dlc_model *model); /* NULL is allowed */

  /* What went wrong in the last call of this thread that did not return DLC_OK: one line. */
  const char *(*message)(void);

  /* How many threads a run of a CPU model takes; 0, as at first: what OMP_NUM_THREADS says, else one per core.
   * Not while the model runs. */
  dlc_status (*set_threads)(dlc_model *model, int32_t threads);

  /* Which of the report's "variants" runs, from 0 on. */
  int32_t (*variant)(const dlc_model *model);

  /* The steps of a run: its launches in the order of the variant's "steps", then its copies to outputs. */
  uint32_t (*step_count)(const dlc_model *model);

  /* Do the steps from number `first` to before number `end`, otherwise as run; all of them, one after the other and
   * in order, do what run does. For measuring each, and for looking at what is between them. On a GPU a call may be
   * captured as one of run may. */
  dlc_status (*run_steps)(dlc_model *model, uint32_t first, uint32_t end, void *stream, void *workspace,
                          const void *const *inputs, void *const *outputs);

  int32_t library_count;
  const dlc_library *libraries;

  /* Name the file of a library, by its number in the table, that create opens unless the environment names one; "":
   * none. NULL: create opens no file, whatever the environment names. It counts for the next create while there is no
   * model. */
  dlc_status (*set_library)(int32_t number, const char *path);
} dlc_api;

const dlc_api *dlc_entry(void);
typedef const dlc_api *(*dlc_entry_function)(void);

#ifdef __cplusplus
}
#endif
#endif
