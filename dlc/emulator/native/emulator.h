/* Kernels for an NVIDIA GPU that run on the host: what the parts of the emulator know of each other.
 *
 * block.c runs the threads of a block, tokens.c is what they wait for, instructions.c does what a warp does together,
 * warpgroup.c what four of them do, memory.c is the device's memory, driver.c and graph.c the driver interface. A kernel's
 * text is compiled with device.h in front of it.
 */
#ifndef DLC_EMULATOR_H
#define DLC_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

enum { WARP_LANES = 32, MAX_THREADS = 1024, MAX_PARAMETERS = 512, MOST_DEFERRED = 64 };
enum { POISON = 0xff, FAULT = 3, NOT_STARTED = 5 };

typedef struct dim3_index {
  unsigned x, y, z;
} dim3_index;

/* What a lane has to do with the others of its warp. operands: what the instruction says. */
typedef struct deferred {
  const struct instruction *what;
  void *operands[3];
} deferred;

/* What a warp does together. run: for all lanes; NULL where it only waits for them. */
typedef struct instruction {
  const char *name;
  void (*run)(const deferred *lanes, unsigned char *shared, uint32_t shared_bytes);
} instruction;

/* What a kernel sees of the thread that it is; `device.h` declares the same. queue: what it has deferred, each
 * WARP_LANES after the one before it; waiting: how many; sequence: a number that tells which instructions. */
typedef struct thread_view {
  dim3_index thread, block;
  uint32_t rank; /* of the block in its cluster */
  unsigned char *shared;
  deferred *queue;
  uint32_t waiting;
  uint64_t sequence;
} thread_view;

extern __thread thread_view *current_thread;

typedef enum parameter_role { READ, WRITTEN, SCRATCH } parameter_role;

/* A buffer that a kernel gets. float_bytes: the size of its elements where they are floats, else 0. filled: it holds
 * only ones when the kernel begins. row_bytes: where the kernel writes a part of each row of so many bytes, else 0;
 * first, part_bytes: where the part begins in a row, and what it has. */
typedef struct kernel_parameter {
  uint64_t bytes;
  uint32_t role, float_bytes, filled;
  uint64_t row_bytes, first, part_bytes;
} kernel_parameter;

/* A kernel of an image; tables of them end with one without a name. threads: of a block; 0 where its text does not
 * say how many. maps: the tensor maps that follow the buffers, as the numbers of these. cluster: blocks along x, y, z.
 * cooperative: the blocks wait for each other. */
typedef struct emulated_kernel {
  const char *name;
  void (*call)(void **parameters);
  uint32_t threads, parameter_count, map_count;
  const kernel_parameter *parameters;
  const uint32_t *maps;
  uint32_t cluster[3], cooperative;
} emulated_kernel;

static inline uint32_t cluster_blocks(const emulated_kernel *k) { return k->cluster[0] * k->cluster[1] * k->cluster[2]; }

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
  int overlaps; /* it may begin before the launches before it have ended, for which its threads wait */
  int early;    /* they have not ended: threads come as far as to where they wait */
  int together; /* all blocks run at the same time */
} launch;

/* block.c. run_blocks returns when all blocks are done. */
void start_workers(int count);
void run_blocks(const launch *launch);
int runs_early(void); /* what runs on this core */
const char *where_now(void); /* kernel, block and thread that run on this core; "" where none does */

/* Returns when what this thread has deferred is done. */
void settle(void);

/* This thread waits for the launches before its own. */
void wait_for_launches_before(void);

/* Which thread of its block this is, and the block's shared memory. */
uint32_t thread_number(void);
const unsigned char *block_memory(uint32_t *bytes);

/* Room of the block that runs, zero at first. */
void *products_of_block(size_t bytes);

/* This thread loads words that others publish. The first look may bring marks, also where words have come: each arrives
 * on its own. If the thread looks there again, it waits until no word is a mark. Returns a bit for each word that it
 * gets. */
unsigned look_at_published(const void *from, unsigned words);

/* This thread loads a counter that others raise. If it looks there again, it waits until the counter has changed. */
int look_at_counter(const int *from);

/* All threads of a cluster wait for each other; a place in the shared memory of one of its blocks. */
void meet_cluster(void);
unsigned remote_address(unsigned place, unsigned rank);
unsigned char *remote_memory(unsigned address, unsigned bytes);

/* Returns when all threads of the warpgroup have come; the last of them calls `together` with its number and `value`. */
void meet_warpgroup(const char *name, void (*together)(uint32_t, uint32_t), uint32_t value);

/* warpgroup.c. A thread starts its part of c += a * b; columns, kind: of the instruction; a, b: descriptors; words: of
 * `a` where that is in registers. */
typedef enum element_type { F16, BF16, TF32, S8, U8 } element_type;
typedef struct product_kind {
  int columns, bytes;
  element_type a, b;
  int integers, a_in_registers, transpose_a, transpose_b;
} product_kind;

void start_product(const product_kind *kind, void *sums, uint64_t a, const void *words, uint64_t b);
void commit_products(void);
void wait_for_products(unsigned outstanding);
void begin_products(void);
void end_products(void);

/* memory.c. The functions that take a range end the process where it is not inside of one allocation. */
void *host_memory(size_t bytes); /* zero, for the emulator's own use */
void *device_allocate(size_t bytes);
void device_free(void *pointer);
void check_range(const void *pointer, size_t bytes, const char *what);
void make_writable(const void *pointer);
void fill_memory(void *start, int value, size_t bytes); /* for the next launch that wants it */
void open_memory(void); /* everything may be read and written, until the next launch */
void hide(const void *pointer); /* the allocation around it, until the next launch */
void before_launch(const launch *launch);
void after_launch(const launch *launch);
void check_apart(const launch *one, const launch *other); /* they may run at the same time */
void check_outside(const launch *launch, const void *start, size_t bytes, int is_written); /* by what may run meanwhile */

/* End the process with one line on standard error: it is the artifact's fault, or the machine's. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void give_up(const char *reason) __attribute__((noreturn));

#endif
