/* What threads of a block wait for: tokens of others, at mbarriers, numbered barriers and in global memory, and
 * asynchronous copies, of threads and of the bulk engine.
 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

enum { TILE_ALIGNMENT = 128 };
static const uint32_t MARK = ~0u; /* where nothing is published */

/* Copies. ------------------------------------------------------------------------------------------------- */

static inline void fill(unsigned char *to, int value, uint32_t bytes) {
  if (bytes == WIDEST_COPY) memset(to, value, WIDEST_COPY); /* without a call */
  else memset(to, value, bytes);
}

static inline void finish_copy(const copy *c) {
  if (c->filled == WIDEST_COPY) memcpy(c->to, c->from, WIDEST_COPY); /* without a call */
  else {
    if (c->filled) memcpy(c->to, c->from, c->filled);
    fill(c->to + c->filled, 0, c->bytes - c->filled);
  }
}

/* Tokens. ------------------------------------------------------------------------------------------------- */

static void wait_for_token(const char *name, int (*is_over)(const thread *), uint32_t place, uint32_t parity) {
  thread *t = me();
  settle();
  t->place = place;
  t->parity = parity;
  if (is_over(t)) return;
  t->is_over = is_over;
  park(self, name);
}

static mbarrier *mbarrier_at(const worker *w, uint32_t place) {
  if (place % sizeof(mbarrier) || place + sizeof(mbarrier) > w->launch->shared_bytes)
    fault("an mbarrier at byte %u of %u bytes of shared memory", place, w->launch->shared_bytes);
  mbarrier *found = (mbarrier *)(w->shared + place);
  static const uint64_t poison = ~0ull;
  if (memcmp(found, &poison, sizeof poison) == 0) fault("an mbarrier that was not initialised");
  return found;
}

static void end_phase(mbarrier *b) {
  if (b->missing || b->bytes) return;
  b->missing = b->arrivals;
  b->odd ^= 1;
}

void mbarrier_init(unsigned place, unsigned arrivals) {
  settle();
  memset(self->shared + place, 0, sizeof(mbarrier));
  mbarrier *b = mbarrier_at(self, place);
  b->arrivals = b->missing = arrivals;
}

static void arrive(const worker *w, unsigned place, unsigned bytes) {
  mbarrier *b = mbarrier_at(w, place);
  if (!b->missing) fault("it arrives once too often at the mbarrier at byte %u", place);
  b->bytes += bytes;
  b->missing--;
  end_phase(b);
}

void mbarrier_arrive(unsigned place, unsigned bytes) {
  settle();
  arrive(self, place, bytes);
}

void mbarrier_arrive_remote(unsigned address) {
  settle();
  arrive(other_block(address >> RANK_SHIFT), place_of(address), 0);
}

static int is_other_phase(const thread *t) { return mbarrier_at(self, t->place)->odd != t->parity; }

void mbarrier_wait(unsigned place, unsigned parity) {
  wait_for_token("mbarrier.try_wait", is_other_phase, place, parity);
}

static int are_published(const thread *t) {
  for (uint32_t i = 0; i < t->place; i++)
    if (t->published[i] == MARK) return 0;
  return 1;
}

/* Whether the thread has seen a mark there, which it forgets. */
static int was_marked(thread *t, const void *from) {
  for (uint32_t i = 0; i < t->marked_count; i++)
    if (t->marked[i] == from) {
      t->marked[i] = t->marked[--t->marked_count];
      return 1;
    }
  return 0;
}

/* Which words a first look brings: a bit for each. One look in four brings none, one all, the others any. */
static uint32_t words_that_came(thread *t) {
  uint32_t drawn = (++t->looks + (thread_number() << 16)) * 0x9E3779B9u;
  drawn = (drawn ^ (drawn >> 15)) * 0x85EBCA6Bu;
  drawn ^= drawn >> 13;
  return drawn & 1 ? drawn >> 8 : drawn & 2 ? ~0u : 0;
}

unsigned look_at_published(const void *from, unsigned words) {
  thread *t = me();
  if ((uintptr_t)from % (words * sizeof(uint32_t))) fault("a vector of %u published words at an address that is no multiple of it", words);
  settle();
  t->published = from;
  t->place = words;
  uint32_t all = (1u << words) - 1, came = all;
  if (was_marked(t, from) || t->marked_count == MOST_MARKED) wait_for_token("ld.relaxed", are_published, words, 0);
  else if ((came = words_that_came(t) & all) != all || !are_published(t)) t->marked[t->marked_count++] = from;
  return came;
}

static int has_changed(const thread *t) { return *t->counter != t->counted; }

int look_at_counter(const int *from) {
  thread *t = me();
  settle();
  if (t->counter == from) wait_for_token("ld.acquire", has_changed, 0, 0);
  t->counter = from;
  return t->counted = *from;
}

static int is_other_round(const thread *t) { return self->numbered[t->place].round != t->parity; }

void numbered_barrier(unsigned number, unsigned threads, int waits) {
  settle();
  if (number < 1 || number >= NUMBERED_BARRIERS) fault("barrier %u; 1 to 15 are free", number);
  numbered *b = &self->numbered[number];
  if (b->arrived && b->threads != threads) fault("barrier %u for %u threads, others say %u", number, threads, b->threads);
  uint32_t round = b->round;
  b->threads = threads;
  if (++b->arrived == threads) b->arrived = 0, b->round++;
  if (waits) wait_for_token("bar.sync", is_other_round, number, round);
}

static int is_other_meeting(const thread *t) { return self->warpgroups[t->place].round != t->parity; }

void meet_warpgroup(const char *name, void (*together)(uint32_t, uint32_t), uint32_t value) {
  settle();
  uint32_t index = thread_number() / WARPGROUP_THREADS;
  numbered *b = &self->warpgroups[index];
  uint32_t round = b->round;
  if (++b->arrived == WARPGROUP_THREADS) {
    together(index, value);
    b->arrived = 0, b->round++;
  }
  wait_for_token(name, is_other_meeting, index, round);
}

static void add_bulk(worker *w, bulk b) {
  mbarrier_at(w, b.barrier);
  if (w->bulk_count == w->bulk_room) {
    w->bulk_room = w->bulk_room ? 2 * w->bulk_room : 64;
    w->bulks = realloc(w->bulks, w->bulk_room * sizeof *w->bulks);
    if (!w->bulks) give_up("out of memory");
  }
  memset(b.to, POISON, b.bytes); /* until it arrives, nobody may look */
  w->bulks[w->bulk_count++] = b;
}

void start_bulk_copy(unsigned to, const void *from, unsigned bytes, unsigned barrier) {
  worker *w = self;
  settle();
  if (to + bytes > w->launch->shared_bytes) fault("cp.async.bulk writes outside of the %u bytes of shared memory", w->launch->shared_bytes);
  if (to % WIDEST_COPY || (uintptr_t)from % WIDEST_COPY || bytes % WIDEST_COPY)
    fault("cp.async.bulk of %u bytes; sizes and addresses are multiples of %d", bytes, WIDEST_COPY);
  add_bulk(w, (bulk){.to = w->shared + to, .from = from, .bytes = bytes, .barrier = barrier});
}

void start_remote_store(unsigned address, const void *words, unsigned bytes, unsigned barrier) {
  unsigned char *to = remote_memory(address, bytes);
  if (barrier >> RANK_SHIFT != address >> RANK_SHIFT) fault("st.async names memory of one block and an mbarrier of another");
  bulk b = {.to = to, .bytes = bytes, .barrier = place_of(barrier), .is_store = 1};
  memcpy(b.words, words, bytes);
  add_bulk(other_block(address >> RANK_SHIFT), b);
}

static tensor_copy tensor_copy_of(const void *map, unsigned axes, const int *at, const int *offsets, unsigned place,
                                  int im2col) {
  const tensor_map *m = checked_map(map, axes, im2col);
  uint32_t bytes = box_bytes(m), alignment = m->swizzle ? (uint32_t)TILE_ALIGNMENT << m->swizzle : TILE_ALIGNMENT;
  if (place % alignment) fault("cp.async.bulk.tensor: the tile is at byte %u, no multiple of %u", place, alignment);
  if (place + bytes > self->launch->shared_bytes)
    fault("cp.async.bulk.tensor: a tile outside of the %u bytes of shared memory", self->launch->shared_bytes);
  if (at[0] * (int64_t)m->strides[0] % WIDEST_COPY) /* an illegal instruction on the device */
    fault("cp.async.bulk.tensor: a box at element %d of a row, which is at no multiple of %d bytes", at[0], WIDEST_COPY);
  tensor_copy c = {.map = *m, .place = place};
  memcpy(c.at, at, axes * sizeof *at);
  if (im2col) memcpy(c.offsets, offsets, (axes - 2) * sizeof *offsets);
  return c;
}

/* blocks: a bit for each block of the cluster that gets the box; none where it is for this one alone. */
void start_tensor_copy(const void *map, unsigned axes, const int *at, const int *offsets, unsigned to, int im2col,
                       unsigned barrier, unsigned blocks) {
  unsigned size = cluster_blocks(self->launch->kernel);
  settle();
  tensor_copy c = tensor_copy_of(map, axes, at, offsets, to, im2col);
  if (blocks >> size) fault("cp.async.bulk.tensor: blocks %#x of a cluster of %u", blocks, size);
  for (uint32_t rank = 0; rank < size; rank++) {
    if (blocks ? !(blocks >> rank & 1) : self->others[rank] != self) continue;
    worker *w = other_block(rank);
    add_bulk(w, (bulk){.to = w->shared + to, .bytes = box_bytes(&c.map), .barrier = barrier, .tensor = c});
  }
}

/* It changes nothing: only what would be an illegal instruction is found. */
void prefetch_box(const void *map, unsigned axes, const int *at) { tensor_copy_of(map, axes, at, NULL, 0, 0); }

void start_tensor_store(const void *map, unsigned axes, const int *at, unsigned from) {
  thread *t = me();
  settle();
  if (t->store_count == t->store_room) {
    t->store_room = t->store_room ? 2 * t->store_room : 4;
    t->stores = realloc(t->stores, t->store_room * sizeof *t->stores);
    if (!t->stores) give_up("out of memory");
  }
  t->stores[t->store_count++] = (tile_store){tensor_copy_of(map, axes, at, NULL, from, 0), t->store_groups};
}

void commit_tensor_stores(void) { me()->store_groups++; }

/* A store is made when its thread waits for it: who writes to the tile before is found by what arrives. */
void wait_for_tensor_stores(unsigned outstanding) {
  thread *t = me();
  settle();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->store_count; i++)
    if (t->stores[i].group + outstanding >= t->store_groups) t->stores[kept++] = t->stores[i];
    else store_box(&t->stores[i].tensor, self->shared);
  t->store_count = kept;
}

int deliver_bulks(worker *w) {
  uint32_t count = w->bulk_count;
  w->bulk_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bulk *c = &w->bulks[i];
    if (c->is_store) memcpy(c->to, c->words, c->bytes);
    else if (c->from) memcpy(c->to, c->from, c->bytes);
    else load_box(&c->tensor, w->shared);
    mbarrier *b = mbarrier_at(w, c->barrier);
    b->bytes -= c->bytes;
    end_phase(b);
  }
  return count != 0;
}

int deliver_copies(worker *w) {
  uint32_t count = w->arrival_count;
  w->arrival_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const arrival *a = &w->arrivals[i];
    thread *t = &w->threads[a->thread];
    current_thread = &t->view;
    while (t->copy_first < t->copy_end && t->copies[t->copy_first].number < a->started)
      finish_copy(&t->copies[t->copy_first++]);
    arrive(w, a->barrier, 0);
  }
  return count != 0;
}

int release_tokens(worker *w) {
  int any = 0;
  for (uint32_t i = 0; i < w->threads_in_block; i++) {
    thread *t = &w->threads[i];
    current_thread = &t->view;
    if (!t->is_over || !t->is_over(t)) continue;
    t->is_over = NULL;
    w->warps[i / WARP_LANES].runnable |= 1u << i % WARP_LANES;
    any = 1;
  }
  return any;
}

/* Asynchronous copies. ------------------------------------------------------------------------------------ */

void start_copy(unsigned char *to, const void *from, unsigned bytes, unsigned filled) {
  thread *t = me();
  settle();
  if (to < self->shared || to + bytes > self->shared + self->launch->shared_bytes)
    fault("cp.async writes outside of the %u bytes of shared memory", self->launch->shared_bytes);
  if ((uintptr_t)to % bytes || (filled && (uintptr_t)from % bytes))
    fault("cp.async of %u bytes at an address that is no multiple of them", bytes);
  if (t->copy_first == t->copy_end) t->copy_first = t->copy_end = 0;
  if (t->copy_end == t->copy_room) {
    t->copy_room = t->copy_room ? 2 * t->copy_room : 64;
    t->copies = realloc(t->copies, t->copy_room * sizeof *t->copies);
    if (!t->copies) give_up("out of memory");
  }
  fill(to, POISON, bytes); /* until it arrives, nobody may look */
  t->copies[t->copy_end++] = (copy){to, from, bytes, filled, t->groups, t->started++};
}

void commit_copies(void) { me()->groups++; }

void wait_for_copies(unsigned outstanding) {
  thread *t = me();
  settle();
  for (; t->copy_first < t->copy_end; t->copy_first++) {
    const copy *c = &t->copies[t->copy_first];
    if (c->group + outstanding >= t->groups) return;
    finish_copy(c);
  }
}

void arrive_after_copies(unsigned barrier) {
  worker *w = self;
  settle();
  mbarrier_at(w, barrier);
  if (w->arrival_count == w->arrival_room) {
    w->arrival_room = w->arrival_room ? 2 * w->arrival_room : 1024;
    w->arrivals = realloc(w->arrivals, w->arrival_room * sizeof *w->arrivals);
    if (!w->arrivals) give_up("out of memory");
  }
  w->arrivals[w->arrival_count++] = (arrival){(uint32_t)(me() - w->threads), me()->started, barrier};
}
