/* A block that runs, and what its threads wait for: what block.c and tokens.c know of each other. */
#ifndef DLC_EMULATED_WORKER_H
#define DLC_EMULATED_WORKER_H

#include <setjmp.h>
#include <ucontext.h>

#include "emulator.h"
#include "tensor_map.h"

enum { WIDEST_COPY = 16 };

/* The address of another block's shared memory: its rank, then the byte. */
enum { RANK_SHIFT = 24 }; /* as in device.h */

typedef struct coroutine {
  jmp_buf context;
  ucontext_t start;
  int started;
  struct coroutine *next_free;
} coroutine;

/* An asynchronous copy that has not arrived. group, number: those of its group and its own in its thread. */
typedef struct copy {
  unsigned char *to;
  const unsigned char *from;
  uint32_t bytes, filled, group, number;
} copy;

/* A copy of the bulk engine that has not arrived, or a store to this block by a thread of another one. barrier: the
 * place of its mbarrier; tensor: what is copied where `from` is NULL; words: what is stored where `is_store`. */
typedef struct bulk {
  unsigned char *to;
  const unsigned char *from;
  uint32_t bytes, barrier, is_store;
  unsigned char words[WIDEST_COPY];
  tensor_copy tensor;
} bulk;

/* An arrival that comes once the first copies of a thread are done, as many as started. */
typedef struct arrival {
  uint32_t thread, started, barrier;
} arrival;

/* A store of the bulk engine that has not been made. group: the number of its group in its thread. */
typedef struct tile_store {
  tensor_copy tensor;
  uint32_t group;
} tile_store;

/* An mbarrier in shared memory. missing: arrivals; bytes: of copies that are expected; odd: the parity of the phase
 * under way. */
typedef struct mbarrier {
  uint64_t arrivals : 20, missing : 20, odd : 1;
  int64_t bytes : 23;
} mbarrier;

/* A numbered barrier of the block. */
typedef struct numbered {
  uint32_t threads, arrived, round;
} numbered;

enum { MOST_MARKED = 64 };

enum { NUMBERED_BARRIERS = 16, WARPGROUP_THREADS = 4 * WARP_LANES };

typedef struct thread {
  thread_view view;
  coroutine *coroutine; /* NULL before it runs */
  const char *waits;    /* for what; NULL where it does not */
  int (*is_over)(const struct thread *); /* whether the token has come that it waits for; NULL where it waits for none */
  uint32_t place, parity;                /* of its mbarrier; or the number and round of its barrier; or words */
  const uint32_t *published;             /* the words that it waits for */
  const uint32_t *marked[MOST_MARKED];   /* where it has seen marks */
  uint32_t marked_count, looks;
  const int *counter; /* at which it has looked last */
  int counted;        /* what it was */
  copy *copies;
  uint32_t copy_first, copy_end, copy_room, groups, started;
  int waited; /* for the launches before its own */
  tile_store *stores;
  uint32_t store_count, store_room, store_groups;
} thread;

typedef struct warp {
  uint32_t lanes, runnable; /* one bit each */
  uint32_t arrived;
} warp;

/* A block that runs; a thread of the host has one, or as many as a cluster. others: these, by rank; room: that of
 * products; held: the warp that is held back, NULL where there is none. */
typedef struct worker {
  jmp_buf scheduler;
  const launch *launch;
  struct worker **others;
  uint32_t others_room;
  void *room;
  thread threads[MAX_THREADS];
  warp warps[MAX_THREADS / WARP_LANES];
  warp *warp, *held;
  /* Of each warp: a lane may wait with what it has deferred while the others of its warp wait for a token. */
  deferred queues[MAX_THREADS / WARP_LANES][MOST_DEFERRED][WARP_LANES];
  coroutine *free;
  unsigned char *shared;
  size_t shared_room;
  numbered numbered[NUMBERED_BARRIERS];
  numbered warpgroups[MAX_THREADS / WARPGROUP_THREADS];
  bulk *bulks;
  uint32_t bulk_count, bulk_room;
  arrival *arrivals; /* of copies */
  uint32_t arrival_count, arrival_room;
  uint32_t threads_in_block, finished, at_barrier, at_cluster_barrier, coroutines, backwards;
} worker;

extern __thread worker *self;

static inline int is_over(const worker *w) { return w->finished == w->threads_in_block; }

static inline thread *me(void) { return (thread *)current_thread; }

static inline unsigned place_of(unsigned address) { return address & ((1u << RANK_SHIFT) - 1); }

/* block.c. Lets others run until somebody makes this thread runnable; `waits`: for what. */
void park(worker *w, const char *waits);

/* A block of the cluster whose memory is touched. */
worker *other_block(uint32_t rank);

/* tokens.c. Let what was to arrive do so, and threads go on whose tokens have come; return whether there were any. */
int deliver_bulks(worker *w);
int deliver_copies(worker *w);
int release_tokens(worker *w);

#endif
