/* Kernels for an NVIDIA GPU that run on the host: what the parts of the emulator know of each other.
 *
 * block.c runs the threads of a block, instructions.c does what a warp does together, memory.c is the device's
 * memory, driver.c the driver interface. A kernel's text is compiled with device.h in front of it.
 */
#ifndef DLC_EMULATOR_H
#define DLC_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

enum { WARP_LANES = 32, MAX_THREADS = 1024, MAX_PARAMETERS = 512, POISON = 0xff, NOT_STARTED = 5 };

typedef struct dim3_index {
  unsigned x, y, z;
} dim3_index;

/* What a kernel sees of the thread that it is; `device.h` declares the same. */
typedef struct thread_view {
  dim3_index thread, block;
  unsigned char *shared;
} thread_view;

typedef enum parameter_role { READ, WRITTEN, SCRATCH } parameter_role;

/* A buffer that a kernel gets. float_bytes: the size of its elements where they are floats, else 0. */
typedef struct kernel_parameter {
  uint64_t bytes;
  uint32_t role, float_bytes;
} kernel_parameter;

/* A kernel of an image; tables of them end with one without a name. threads: of a block; 0 where its text does not
 * say how many. */
typedef struct emulated_kernel {
  const char *name;
  void (*call)(void **parameters);
  uint32_t threads, parameter_count;
  const kernel_parameter *parameters;
} emulated_kernel;

/* A cubin. memory: what its kernels keep between launches, which each of them leaves at zero. */
typedef struct emulated_image {
  const emulated_kernel *kernels;
  const unsigned char *memory, *memory_end;
} emulated_image;

typedef struct launch {
  const emulated_kernel *kernel;
  const emulated_image *image;
  uint32_t grid[3], block[3], shared_bytes;
  void **parameters; /* addresses of the arguments */
  uint64_t number;                  /* counts launches */
} launch;

/* block.c. run_blocks returns when all blocks are done. */
void start_workers(int count);
void run_blocks(const launch *launch);
const char *where_now(void); /* kernel, block and thread that run on this core; "" where none does */

/* Does for all lanes of a warp what one instruction does; operands: each lane's. */
typedef void instruction(void *const *operands, const unsigned char *shared, uint32_t shared_bytes);
void together(instruction *what, const char *name, void *operands);

/* memory.c. The functions that take a range end the process where it is not inside of one allocation. */
void *host_memory(size_t bytes); /* zero, for the emulator's own use */
void *device_allocate(size_t bytes);
void device_free(void *pointer);
void check_range(const void *pointer, size_t bytes, const char *what);
void make_writable(const void *pointer);
void before_launch(const launch *launch);
void after_launch(const launch *launch);

/* End the process with one line on standard error: it is the artifact's fault, or the machine's. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void give_up(const char *reason) __attribute__((noreturn));

#endif
