/* Products of warpgroups: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
 *
 * They happen when the last thread of a warpgroup waits for them. The factors in shared memory must then be what
 * they were when the first thread started the product; the sums are poison until then.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum { THREADS = 4 * WARP_LANES, GROUPS = MAX_THREADS / THREADS, ROWS = 64, MOST_COLUMNS = 256, DEPTH_BYTES = 32, MOST_DEPTH = 32 };
enum { PATTERN_ROWS = 8, LINE_BYTES = 128, UNIT_BYTES = 16 };

/* The elements of a factor, each with the bits of a register behind it. */
typedef uint32_t tile[MOST_COLUMNS][MOST_DEPTH];

/* A product of a warpgroup that has not happened. group: the number of its group in each thread; started: by how many
 * threads. sums: where each thread has them; held: their values, where no earlier product has them. */
typedef struct product {
  struct product *next;
  product_kind kind;
  uint64_t a, b;
  uint32_t group, started;
  tile left, right;
  uint32_t *sums[THREADS];
  uint32_t held[THREADS][MOST_COLUMNS / 2];
} product;

/* What a warpgroup of the block has under way. begun, groups: the products and groups of each thread so far;
 * done: products that have happened. */
typedef struct warpgroup {
  product *first;
  uint32_t begun[THREADS], groups[THREADS], done;
} warpgroup;

/* Of the block that runs, and room to compute in. */
typedef struct room {
  warpgroup groups[GROUPS];
  tile left, right;
  float columns[MOST_DEPTH][MOST_COLUMNS];
} room;

static __thread room *mine;

void begin_products(void) {
  if (!mine) mine = host_memory(sizeof *mine);
  memset(mine->groups, 0, sizeof mine->groups);
}

void end_products(void) {
  for (int i = 0; i < GROUPS; i++)
    if (mine->groups[i].first) fault("the block ends before a warpgroup has waited for its products");
}

/* Tiles. -------------------------------------------------------------------------------------------------- */

static uint32_t field(uint64_t descriptor, int from) { return (uint32_t)(descriptor >> from & 0x3fff) * UNIT_BYTES; }

/* Read a tile of rows x depth as its descriptor says, rows of it along the bytes where it is transposed. */
static void read_tile(tile to, uint64_t descriptor, int rows, int depth, int bytes, int transposed) {
  static const uint32_t sizes[] = {0, 128, 64, 32};
  uint32_t row_bytes = sizes[descriptor >> 62], start = field(descriptor, 0), leading = field(descriptor, 16);
  uint32_t stride = field(descriptor, 32), shared_bytes;
  const unsigned char *shared = block_memory(&shared_bytes);
  if (!row_bytes) fault("wgmma.mma_async: a tile without a swizzle");
  if (start % (PATTERN_ROWS * row_bytes) >= row_bytes) fault("wgmma.mma_async: a tile from byte %u on, within a pattern of the swizzle", start);
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < depth; i++) {
      uint32_t line = (uint32_t)(transposed ? i : row), within = (uint32_t)((transposed ? row : i) * bytes);
      uint32_t at = start + line / PATTERN_ROWS * stride + line % PATTERN_ROWS * row_bytes + within / row_bytes * leading + within % row_bytes;
      at ^= at / LINE_BYTES % (row_bytes / UNIT_BYTES) * UNIT_BYTES;
      if (at + (uint32_t)bytes > shared_bytes) fault("wgmma.mma_async: a tile reads byte %u of %u of shared memory", at, shared_bytes);
      to[row][i] = 0;
      memcpy(&to[row][i], shared + at, (size_t)bytes);
    }
}

static int depth_of(product_kind kind) { return DEPTH_BYTES / kind.bytes; }

static void read_factors(const product *p, tile left, tile right) {
  int depth = depth_of(p->kind);
  if (!p->kind.a_in_registers) read_tile(left, p->a, ROWS, depth, p->kind.bytes, p->kind.transpose_a);
  read_tile(right, p->b, p->kind.columns, depth, p->kind.bytes, p->kind.transpose_b);
}

/* Note the part of A that a thread has: words of two rows below each other, then along the depth. */
static void note_registers(product *p, uint32_t thread, const uint32_t *words) {
  int pack = 4 / p->kind.bytes, along = depth_of(p->kind) / (4 * pack);
  uint32_t lane = thread % WARP_LANES, row = thread / WARP_LANES * 16 + lane / 4;
  for (int i = 0; i < 2 * along; i++)
    for (int part = 0; part < pack; part++)
      p->left[row + i % 2 * 8][lane % 4 * pack + i / 2 * 4 * pack + part] = words[i] >> 32 / pack * part;
}

/* Starting. ----------------------------------------------------------------------------------------------- */

static product *make(warpgroup *g, const product_kind *kind, uint64_t a, uint64_t b, uint32_t group) {
  product **last = &g->first, *p = calloc(1, sizeof *p);
  if (!p) give_up("out of memory");
  while (*last) last = &(*last)->next;
  *last = p;
  p->kind = *kind, p->a = a, p->b = b, p->group = group;
  read_factors(p, p->left, p->right);
  return p;
}

static product *number(warpgroup *g, uint32_t which) {
  product *p = g->first;
  for (uint32_t i = g->done; p && i < which; i++) p = p->next;
  return p;
}

void start_product(const product_kind *kind, void *sums, uint64_t a, const void *words, uint64_t b) {
  settle();
  uint32_t index = thread_number(), thread = index % THREADS;
  warpgroup *g = &mine->groups[index / THREADS];
  product *p = number(g, g->begun[thread]++);
  if (!p) p = make(g, kind, a, b, g->groups[thread]);
  if (memcmp(&p->kind, kind, sizeof *kind) || p->a != a || p->b != b || p->group != g->groups[thread])
    fault("wgmma.mma_async: the threads of a warpgroup name different products or tiles");
  if (words) note_registers(p, thread, words);
  p->sums[thread] = sums;
  p->started++;
  for (product *other = g->first; other != p; other = other->next)
    if (other->sums[thread] == sums) return; /* which has them */
  size_t bytes = (size_t)kind->columns / 2 * 4;
  memcpy(p->held[thread], sums, bytes);
  memset(sums, POISON, bytes); /* until it has happened, nobody may look */
}

void commit_products(void) {
  settle();
  uint32_t index = thread_number();
  mine->groups[index / THREADS].groups[index % THREADS]++;
}

/* Multiplying. -------------------------------------------------------------------------------------------- */

static float value_of(uint32_t bits, element_type type) {
  float x;
  switch (type) {
    case F16:
      bits &= 0xffff;
      uint32_t size = (bits & 0x7fff) << 13;
      memcpy(&x, &size, 4);
      x *= 0x1p112f;
      memcpy(&size, &x, 4);
      size |= ((bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0) | (bits & 0x8000) << 16;
      memcpy(&x, &size, 4);
      return x;
    case BF16: bits <<= 16; break;
    case TF32: bits &= 0xffffe000; break;
    case S8: return (int8_t)bits;
    case U8: return (uint8_t)bits;
  }
  memcpy(&x, &bits, 4);
  return x;
}

/* Where an element of the sums is: each warp has 16 rows, each lane two rows of pairs of columns. */
static uint32_t *held_of(product *p, int row, int column) {
  int thread = row / 16 * WARP_LANES + row % 8 * 4 + column % 8 / 2;
  return &p->held[thread][column / 8 * 4 + row % 16 / 8 * 2 + column % 2];
}

/* Add the product to the sums. Products of 16-bit floats and of tf32 are exact in a float, and so is the sum of one
 * instruction's products of bytes. */
static void multiply(product *p) {
  float(*right)[MOST_COLUMNS] = mine->columns;
  int depth = depth_of(p->kind), columns = p->kind.columns, integers = p->kind.integers;
  for (int i = 0; i < depth; i++)
    for (int column = 0; column < columns; column++) right[i][column] = value_of(p->right[column][i], p->kind.b);
  for (int row = 0; row < ROWS; row++) {
    float sums[MOST_COLUMNS] = {0};
    for (int column = 0; !integers && column < columns; column++) memcpy(&sums[column], held_of(p, row, column), 4);
    for (int i = 0; i < depth; i++) {
      float left = value_of(p->left[row][i], p->kind.a);
      for (int column = 0; column < columns; column++) sums[column] += left * right[i][column];
    }
    for (int column = 0; column < columns; column++) {
      uint32_t *held = held_of(p, row, column);
      if (integers) *held += (uint32_t)(int32_t)sums[column];
      else memcpy(held, &sums[column], 4);
    }
  }
}

/* Give the sums to the next product that adds to them, or back to the threads. */
static void hand_on(product *p) {
  size_t bytes = (size_t)p->kind.columns / 2 * 4;
  for (int thread = 0; thread < THREADS; thread++) {
    product *heir = p->next;
    while (heir && heir->sums[thread] != p->sums[thread]) heir = heir->next;
    for (size_t i = 0; i < bytes; i++)
      if (((const unsigned char *)p->sums[thread])[i] != POISON) fault("wgmma.mma_async: sums are written while a product adds to them");
    memcpy(heir ? heir->held[thread] : p->sums[thread], p->held[thread], bytes);
  }
}

static void finish(product *p) {
  memcpy(mine->left, p->left, sizeof p->left);
  memset(mine->right, 0, sizeof mine->right);
  read_factors(p, mine->left, mine->right);
  if (p->started != THREADS) fault("wgmma.mma_async by %u of the %d threads of a warpgroup", p->started, THREADS);
  if (memcmp(mine->left, p->left, sizeof p->left) || memcmp(mine->right, p->right, sizeof p->right))
    fault("wgmma.mma_async: a tile is written while a product reads it");
  multiply(p);
  hand_on(p);
}

static void finish_groups(uint32_t index, uint32_t outstanding) {
  warpgroup *g = &mine->groups[index];
  while (g->first && g->first->group + outstanding < g->groups[thread_number() % THREADS]) {
    product *p = g->first;
    finish(p);
    g->first = p->next;
    g->done++;
    free(p);
  }
}

void wait_for_products(unsigned outstanding) { meet_warpgroup("wgmma.wait_group", finish_groups, outstanding); }
