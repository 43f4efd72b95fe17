/* The threads of a block as coroutines of one thread of the host.
 *
 * A thread runs until it waits, at a barrier or for the lanes of its warp, or ends; then another thread of its
 * warp runs, then the next warp. So a warp runs as far as it can before the next one begins, forwards in even
 * blocks and backwards in odd ones: what needs a barrier that is not there goes wrong. A thread has a stack of
 * its own only if it waits.
 *
 * Blocks that wait for each other, those of a cluster or of a cooperative kernel, run in turns, each until it waits
 * for another one. One warp of one of them, another one in each launch, is held back as long as anybody else can go
 * on: who does not wait for it, and should, finds nothing where it was to write.
 *
 * Threads that wait for a token of others go on once a pass over all warps has brought it; copies that arrive at
 * an mbarrier do so when nobody else can go on (tokens.c).
 *
 * What a warp does together is written down by each lane, and done for all of them when the first of them needs
 * it done: before it touches registers or shared memory otherwise, waits or ends. Nothing else happens between,
 * so it is as if it had been done at once, without a switch between lanes for each instruction.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "worker.h"

enum { GUARDED_STACKS = 16384, STACK_BYTES = 1 << 16, STACK_COLOURS = 31, COLOUR_BYTES = 1088, SHARED_ALIGNMENT = 1024, PAGE = 4096 };
__thread worker *self;
__thread thread_view *current_thread;

uint32_t thread_number(void) { return (uint32_t)(me() - self->threads); }

const unsigned char *block_memory(uint32_t *bytes) {
  *bytes = self->launch->shared_bytes;
  return self->shared;
}

void *products_of_block(size_t bytes) {
  if (!self->room) self->room = host_memory(bytes);
  return self->room;
}

int runs_early(void) { return self && self->launch && self->launch->early; }

static uint32_t my_lane(void) { return (uint32_t)(me() - self->threads) % WARP_LANES; }

/* Faults. ------------------------------------------------------------------------------------------------- */

const char *where_now(void) {
  static __thread char text[256];
  text[0] = 0;
  if (self && self->launch && current_thread) {
    const thread_view *v = current_thread;
    snprintf(text, sizeof text, "kernel %s, block %u %u %u, thread %u: ", self->launch->kernel->name, v->block.x,
             v->block.y, v->block.z, (unsigned)(me() - self->threads));
  }
  return text;
}

/* Coroutines. --------------------------------------------------------------------------------------------- */

static void coroutine_main(void);
static const char *const ENDED = "its end";

static atomic_int stacks;

static coroutine *take_coroutine(worker *w) {
  coroutine *c = w->free;
  if (c) {
    w->free = c->next_free;
    return c;
  }
  c = host_memory(sizeof *c);
  unsigned char *stack =
      mmap(NULL, STACK_BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  /* A guard costs a mapping, of which a process has 65530. */
  int guarded = atomic_fetch_add(&stacks, 1) < GUARDED_STACKS;
  if (stack == MAP_FAILED || (guarded && mprotect(stack, PAGE, PROT_NONE) != 0))
    give_up("out of memory for the stacks of the emulated threads");
  /* Stacks that all end at multiples of a page would fight for the same lines of the cache. */
  size_t colour = (size_t)(w->coroutines++ % STACK_COLOURS) * COLOUR_BYTES;
  getcontext(&c->start);
  c->start.uc_stack.ss_sp = stack + PAGE;
  c->start.uc_stack.ss_size = STACK_BYTES - colour;
  makecontext(&c->start, coroutine_main, 0);
  return c;
}

/* Let a coroutine that waits begin anew. */
static void drop_coroutine(worker *w, coroutine *c) {
  c->started = 0;
  makecontext(&c->start, coroutine_main, 0);
  c->next_free = w->free;
  w->free = c;
}

static void enter(coroutine *c) __attribute__((noreturn));
static void enter(coroutine *c) {
  if (c->started) _longjmp(c->context, 1);
  c->started = 1;
  setcontext(&c->start);
  abort();
}

/* Return the next thread of the warp that can run, NULL where there is none. */
static thread *pick(worker *w) {
  uint32_t mask = w->warp->runnable;
  if (!mask) return NULL;
  int lane = w->backwards ? 31 - __builtin_clz(mask) : __builtin_ctz(mask);
  w->warp->runnable &= ~(1u << lane);
  thread *next = &w->threads[(w->warp - w->warps) * WARP_LANES + lane];
  current_thread = &next->view;
  return next;
}

static void dispatch(worker *w) __attribute__((noreturn));
static void dispatch(worker *w) {
  thread *next = pick(w);
  if (!next) _longjmp(w->scheduler, 1);
  if (!next->coroutine) next->coroutine = take_coroutine(w);
  enter(next->coroutine);
}

static void coroutine_main(void) {
  for (;;) {
    worker *w = self;
    thread *t = me();
    coroutine *mine = t->coroutine;
    w->launch->kernel->call(w->launch->parameters);
    settle();
    if (t->store_count) fault("it ends before it has waited for its stores of tiles");
    if (w->launch->overlaps && !t->waited) fault("it ends and has not waited for the launches before its own");
    w->finished++;
    t->waits = ENDED;
    thread *next = pick(w);
    if (next && !next->coroutine) { /* goes on at once on this stack */
      next->coroutine = mine;
      continue;
    }
    mine->next_free = w->free;
    w->free = mine;
    if (_setjmp(mine->context)) continue;
    if (next) enter(next->coroutine);
    _longjmp(w->scheduler, 1);
  }
}

void park(worker *w, const char *waits) {
  thread *t = me();
  t->waits = waits;
  if (!_setjmp(t->coroutine->context)) dispatch(w);
  t->waits = NULL;
}

/* Waiting. ------------------------------------------------------------------------------------------------ */

/* Do what all lanes of a warp have written down. */
static void run_deferred(worker *w, const warp *p) {
  thread *lanes = &w->threads[(p - w->warps) * WARP_LANES];
  deferred(*queue)[WARP_LANES] = w->queues[p - w->warps];
  uint32_t mine = my_lane(), count = current_thread->waiting;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    if (p->lanes >> lane & 1 && lanes[lane].view.sequence != current_thread->sequence)
      fault("%s, while other lanes of its warp wait for another instruction", queue[0][mine].what->name);
  for (uint32_t i = 0; i < count; i++) {
    const instruction *what = queue[i][mine].what;
    if (!what->run) continue;
    if (p->lanes != ~0u) fault("%s in a warp of less than %d lanes", what->name, WARP_LANES);
    what->run(queue[i], w->shared, w->launch->shared_bytes);
  }
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) lanes[lane].view.waiting = 0, lanes[lane].view.sequence = 0;
}

void settle(void) {
  worker *w = self;
  warp *p = w->warp;
  if (!current_thread->waiting) return;
  p->arrived |= 1u << my_lane();
  if (p->arrived != p->lanes) {
    park(w, current_thread->queue->what->name);
    return;
  }
  run_deferred(w, p);
  p->arrived = 0;
  p->runnable = p->lanes & ~(1u << my_lane());
}

void block_barrier(void) {
  settle();
  self->at_barrier++;
  park(self, "__syncthreads");
}

void wait_for_launches_before(void) {
  settle();
  me()->waited = 1;
  if (self->launch->early) park(self, "griddepcontrol.wait");
}

static const char *const CLUSTER_BARRIER = "barrier.cluster.wait";

void meet_cluster(void) {
  settle();
  self->at_cluster_barrier++;
  park(self, CLUSTER_BARRIER);
}

unsigned remote_address(unsigned place, unsigned rank) {
  unsigned size = cluster_blocks(self->launch->kernel);
  if (rank >= size) fault("mapa: block %u of a cluster of %u", rank, size);
  return rank << RANK_SHIFT | place;
}

worker *other_block(uint32_t rank) {
  worker *owner = self->others[rank];
  if (is_over(owner)) fault("the shared memory of a block of the cluster that has ended");
  return owner;
}

unsigned char *remote_memory(unsigned address, unsigned bytes) {
  settle();
  const worker *owner = other_block(address >> RANK_SHIFT);
  unsigned place = place_of(address);
  if (place % bytes || place + bytes > owner->launch->shared_bytes)
    fault("%u bytes at byte %u of the %u bytes of another block's shared memory", bytes, place, owner->launch->shared_bytes);
  return owner->shared + place;
}
/* Blocks. ------------------------------------------------------------------------------------------------- */

static void make_shared(worker *w, uint32_t bytes) {
  size_t room = (bytes + SHARED_ALIGNMENT + PAGE - 1) / PAGE * PAGE + SHARED_ALIGNMENT;
  if (room > w->shared_room) {
    free(w->shared);
    w->shared = aligned_alloc(SHARED_ALIGNMENT, room);
    if (!w->shared) give_up("out of memory");
    w->shared_room = room;
  }
  memset(w->shared, POISON, bytes + SHARED_ALIGNMENT);
}

static void check_shared(const worker *w) {
  const unsigned char *after = w->shared + w->launch->shared_bytes;
  for (int i = 0; i < SHARED_ALIGNMENT; i++)
    if (after[i] != POISON) fault("the block writes behind its %u bytes of shared memory", w->launch->shared_bytes);
}

static void begin_block(worker *w, uint64_t number, uint32_t rank) {
  const launch *l = w->launch;
  uint64_t gx = l->grid[0], gy = l->grid[1];
  uint32_t bx = l->block[0], by = l->block[1], count = bx * by * l->block[2];
  w->threads_in_block = count;
  w->finished = w->at_barrier = w->at_cluster_barrier = w->bulk_count = w->arrival_count = 0;
  memset(w->numbered, 0, sizeof w->numbered);
  memset(w->warpgroups, 0, sizeof w->warpgroups);
  begin_products();
  w->backwards = number % 2;
  make_shared(w, l->shared_bytes);
  for (uint32_t i = 0; i < count; i++) {
    thread *t = &w->threads[i];
    t->view = (thread_view){{i % bx, i / bx % by, i / bx / by},
                            {(unsigned)(number % gx), (unsigned)(number / gx % gy), (unsigned)(number / gx / gy)},
                            rank,
                            w->shared,
                            &w->queues[i / WARP_LANES][0][i % WARP_LANES],
                            0,
                            0};
    t->coroutine = NULL;
    t->waits = NULL;
    t->is_over = NULL;
    t->copy_first = t->copy_end = t->groups = t->started = 0;
    t->waited = 0;
    t->marked_count = 0;
    t->counter = NULL;
    t->store_count = t->store_groups = 0;
  }
  for (uint32_t i = 0; i * WARP_LANES < count; i++) {
    uint32_t lanes = count - i * WARP_LANES;
    w->warps[i].lanes = w->warps[i].runnable = lanes < WARP_LANES ? (1u << lanes) - 1 : ~0u;
    w->warps[i].arrived = 0;
  }
}

static void run_warp(worker *w, warp *p) {
  w->warp = p;
  if (p->runnable && !_setjmp(w->scheduler)) dispatch(w);
  if (!p->arrived) return;
  thread *lanes = &w->threads[(p - w->warps) * WARP_LANES];
  for (int lane = 0; lane < WARP_LANES; lane++)
    if (p->lanes >> lane & 1 && lanes[lane].is_over) return; /* it may still come */
  if (w->launch->early) return;
  int other = __builtin_ctz(p->lanes & ~p->arrived);
  current_thread = &lanes[__builtin_ctz(p->arrived)].view;
  fault("it waits at %s for lane %d, which is at %s", me()->waits, other, lanes[other].waits);
}

static uint32_t warps_of(const worker *w) { return (w->threads_in_block + WARP_LANES - 1) / WARP_LANES; }

static void release_barrier(worker *w) {
  w->at_barrier = 0;
  for (uint32_t i = 0; i < warps_of(w); i++) w->warps[i].runnable = w->warps[i].lanes;
}

/* Nobody in the cluster can go on: say who of a block waits for what. */
static void tell_stall(worker *w) {
  self = w;
  for (uint32_t i = 0; i < w->threads_in_block; i++) {
    current_thread = &w->threads[i].view;
    if (me()->is_over) fault("it waits at %s for ever", me()->waits);
  }
  if (!w->at_barrier) return;
  for (uint32_t i = 0; i < w->threads_in_block; i++)
    if (strcmp(w->threads[i].waits, "__syncthreads") == 0) current_thread = &w->threads[i].view;
  fault("it waits at a barrier that %u threads of the block do not reach", w->finished);
}

/* Let the threads of a block run as far as they can, but for those held back; return whether any ran or may then go on. */
static int go_on(worker *w) {
  uint32_t warps = warps_of(w);
  int any = 0;
  self = w;
  for (uint32_t i = 0; i < warps; i++) any |= &w->warps[i] != w->held && w->warps[i].runnable;
  for (uint32_t i = 0; i < warps; i++) {
    warp *p = &w->warps[w->backwards ? warps - 1 - i : i];
    if (p != w->held) run_warp(w, p);
  }
  if (is_over(w)) return any;
  if (release_tokens(w)) return 1;
  if (w->held && w->held->runnable) return any; /* copies arrive when nobody else can go on */
  if (deliver_bulks(w) || deliver_copies(w)) return 1;
  if (w->at_barrier != w->threads_in_block) return any;
  release_barrier(w);
  return 1;
}

/* Leave a block whose threads wait for the launches before it. */
static void leave_block(worker *w) {
  for (uint32_t i = 0; i < w->threads_in_block; i++)
    if (w->threads[i].coroutine && w->threads[i].waits != ENDED) drop_coroutine(w, w->threads[i].coroutine);
}

static void end_block(worker *w) {
  self = w;
  if (w->launch->early) {
    leave_block(w);
    return;
  }
  if (w->bulk_count || w->arrival_count) fault("the block ends before its copies have arrived");
  end_products();
  check_shared(w);
}

/* Warps that have ended are not waited for (PTX ISA, "barrier.cluster"). */
static void release_cluster_barrier(worker *const *blocks, uint32_t count) {
  for (uint32_t rank = 0; rank < count; rank++) {
    worker *w = self = blocks[rank];
    w->at_cluster_barrier = 0;
    for (uint32_t i = 0; i * WARP_LANES < w->threads_in_block; i++) {
      warp *p = &w->warps[i];
      uint32_t waits = 0;
      for (uint32_t lanes = p->lanes; lanes; lanes &= lanes - 1) {
        uint32_t lane = __builtin_ctz(lanes);
        if (w->threads[i * WARP_LANES + lane].waits == CLUSTER_BARRIER) waits |= 1u << lane;
      }
      if (waits && waits != p->lanes) {
        current_thread = &w->threads[i * WARP_LANES + __builtin_ctz(p->lanes & ~waits)].view;
        fault("a barrier of the cluster that not all lanes of a warp reach: this one is at %s", me()->waits);
      }
      p->runnable = waits;
    }
  }
}

static int all_at_cluster_barrier(worker *const *blocks, uint32_t count) {
  for (uint32_t rank = 0; rank < count; rank++)
    if (blocks[rank]->at_cluster_barrier != blocks[rank]->threads_in_block) return 0;
  return 1;
}

/* Choose the warp that is held back, where there are other blocks that could do without it, and return its block. */
static worker *hold_back(worker *const *blocks, uint32_t count) {
  uint32_t number = (uint32_t)blocks[0]->launch->number;
  for (uint32_t rank = 0; rank < count; rank++) blocks[rank]->held = NULL;
  worker *w = blocks[(number * 0x9E3779B9u >> 8) % count];
  if (count > 1) w->held = &w->warps[warps_of(w) - 1 - number % warps_of(w)];
  return w;
}

/* Let the warp go on that is held back; return whether it could. */
static int let_go(worker *w) {
  warp *held = w->held;
  w->held = NULL;
  int any = held && !is_over(w) && go_on(w);
  w->held = held;
  return any;
}

/* Run the blocks of a cluster in turns, forwards or backwards; `numbers` are theirs by rank. */
static void run_cluster(worker *const *blocks, const uint64_t *numbers, uint32_t count) {
  for (uint32_t rank = 0; rank < count; rank++) {
    self = blocks[rank];
    begin_block(self, numbers[rank], rank);
  }
  worker *holding = hold_back(blocks, count);
  for (int over = 0; !over;) {
    int any = 0;
    over = 1;
    for (uint32_t i = 0; i < count; i++) {
      worker *w = blocks[blocks[0]->backwards ? count - 1 - i : i];
      while (!is_over(w) && go_on(w)) any = 1;
      over &= is_over(w);
    }
    if (any || over || let_go(holding)) continue;
    if (blocks[0]->launch->early && !all_at_cluster_barrier(blocks, count)) break;
    for (uint32_t i = 0; i < count; i++) tell_stall(blocks[i]);
    release_cluster_barrier(blocks, count);
  }
  for (uint32_t rank = 0; rank < count; rank++) end_block(blocks[rank]);
  self = blocks[0];
  current_thread = NULL;
}

/* Workers. ------------------------------------------------------------------------------------------------ */

static struct {
  int count;
  pthread_barrier_t begin, end;
  const launch *launch;
  atomic_uint_fast64_t next;
} pool;

/* The number of a block of a cluster in the grid, by the cluster's number and the block's rank. */
static uint64_t number_of(const launch *l, uint64_t cluster, uint32_t rank) {
  const uint32_t *size = l->kernel->cluster;
  uint64_t gx = l->grid[0] / size[0], gy = l->grid[1] / size[1];
  uint64_t x = cluster % gx * size[0] + rank % size[0], y = cluster / gx % gy * size[1] + rank / size[0] % size[1];
  uint64_t z = cluster / gx / gy * size[2] + rank / size[0] / size[1];
  return x + l->grid[0] * (y + l->grid[1] * z);
}

/* Make what as many blocks that run in turns need beside the first one. */
static worker *const *cluster_of(worker *first, uint32_t count) {
  if (first->others_room < count) {
    first->others = realloc(first->others, count * sizeof *first->others);
    if (!first->others) give_up("out of memory");
    memset(first->others + first->others_room, 0, (count - first->others_room) * sizeof *first->others);
    first->others_room = count;
  }
  first->others[0] = first;
  for (uint32_t rank = 0; rank < count; rank++) {
    if (!first->others[rank]) first->others[rank] = host_memory(sizeof *first);
    first->others[rank]->others = first->others;
    first->others[rank]->launch = first->launch;
  }
  return first->others;
}

static void work(void) {
  const launch *l = self->launch = pool.launch;
  uint64_t all = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], i;
  uint32_t count = l->together ? (uint32_t)all : cluster_blocks(l->kernel);
  uint64_t clusters = all / count, *numbers = host_memory(count * sizeof *numbers);
  worker *const *blocks = NULL;
  while ((i = atomic_fetch_add(&pool.next, 1)) < clusters) {
    if (!blocks) blocks = cluster_of(self, count);
    for (uint32_t rank = 0; rank < count; rank++)
      numbers[rank] = l->together ? rank : number_of(l, l->number % 2 ? clusters - 1 - i : i, rank);
    run_cluster(blocks, numbers, count);
  }
  free(numbers);
  self->launch = NULL;
}

static void *worker_main(void *unused) {
  self = host_memory(sizeof *self);
  for (; unused == NULL;) {
    pthread_barrier_wait(&pool.begin);
    work();
    pthread_barrier_wait(&pool.end);
  }
  return NULL;
}

void start_workers(int count) {
  self = host_memory(sizeof *self);
  pool.count = count;
  pthread_barrier_init(&pool.begin, NULL, (unsigned)count);
  pthread_barrier_init(&pool.end, NULL, (unsigned)count);
  for (int i = 1; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker_main, NULL) != 0) give_up("no thread can be started");
  }
}

void run_blocks(const launch *launch) {
  pool.launch = launch;
  pool.next = 0;
  pthread_barrier_wait(&pool.begin);
  work();
  pthread_barrier_wait(&pool.end);
}
