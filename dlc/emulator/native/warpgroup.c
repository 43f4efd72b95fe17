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

/* The bytes of a factor: row after row, or where it is transposed all rows of it at one depth after the other. */
typedef unsigned char tile[MOST_COLUMNS * DEPTH_BYTES];

/* Sums to which products add. places: where each thread has its part; products: those under way that add to them. */
typedef struct sums {
  struct sums *next;
  int columns, products;
  void *places[THREADS];
  uint32_t values[ROWS][MOST_COLUMNS];
} sums;

/* A product of a warpgroup that has not happened. group: the number of its group in each thread; started: by how many
 * threads. */
typedef struct product {
  struct product *next;
  product_kind kind;
  uint64_t a, b;
  uint32_t group, started;
  sums *sums;
  tile left, right;
} product;

/* What a warpgroup of the block has under way. begun, groups: the products and groups of each thread so far;
 * done: products that have happened. */
typedef struct warpgroup {
  product *first;
  sums *sums;
  uint32_t begun[THREADS], groups[THREADS], done;
} warpgroup;

/* Of the block that runs, and room to compute in. */
typedef struct room {
  warpgroup groups[GROUPS];
  tile left, right;
  float columns[MOST_DEPTH][MOST_COLUMNS];
} room;

#define mine ((room *)products_of_block(sizeof(room)))

void begin_products(void) { memset(mine->groups, 0, sizeof mine->groups); }

void end_products(void) {
  for (int i = 0; i < GROUPS; i++)
    if (mine->groups[i].first) fault("the block ends before a warpgroup has waited for its products");
}

static int depth_of(const product_kind *kind) { return DEPTH_BYTES / kind->bytes; }

/* Tiles. -------------------------------------------------------------------------------------------------- */

static uint32_t field(uint64_t descriptor, int from) { return (uint32_t)(descriptor >> from & 0x3fff) * UNIT_BYTES; }

/* Read `lines` rows of memory of so many bytes as a descriptor says. */
static void read_tile(unsigned char *to, uint64_t descriptor, uint32_t lines, uint32_t bytes) {
  static const uint32_t sizes[] = {0, 128, 64, 32};
  uint32_t row_bytes = sizes[descriptor >> 62], start = field(descriptor, 0), leading = field(descriptor, 16);
  uint32_t stride = field(descriptor, 32), shared_bytes;
  const unsigned char *shared = block_memory(&shared_bytes);
  if (!row_bytes) fault("wgmma.mma_async: a tile without a swizzle");
  if (start % (PATTERN_ROWS * row_bytes) >= row_bytes) fault("wgmma.mma_async: a tile from byte %u on, within a pattern of the swizzle", start);
  for (uint32_t line = 0; line < lines; line++)
    for (uint32_t within = 0; within < bytes; within += UNIT_BYTES, to += UNIT_BYTES) {
      uint32_t at = start + line / PATTERN_ROWS * stride + line % PATTERN_ROWS * row_bytes + within / row_bytes * leading + within % row_bytes;
      at ^= at / LINE_BYTES % (row_bytes / UNIT_BYTES) * UNIT_BYTES;
      if (at + UNIT_BYTES > shared_bytes) fault("wgmma.mma_async: a tile reads byte %u of %u of shared memory", at, shared_bytes);
      memcpy(to, shared + at, UNIT_BYTES);
    }
}

static void read_factor(tile to, uint64_t descriptor, uint32_t rows, const product_kind *kind, int transposed) {
  if (transposed) read_tile(to, descriptor, (uint32_t)depth_of(kind), rows * (uint32_t)kind->bytes);
  else read_tile(to, descriptor, rows, DEPTH_BYTES);
}

static void read_factors(const product *p, tile left, tile right) {
  const product_kind *kind = &p->kind;
  if (!kind->a_in_registers) read_factor(left, p->a, ROWS, kind, kind->transpose_a);
  read_factor(right, p->b, (uint32_t)kind->columns, kind, kind->transpose_b);
}

/* Note the part of A that a thread has: words of two rows below each other, then along the depth. */
static void note_registers(product *p, uint32_t thread, const uint32_t *words) {
  uint32_t lane = thread % WARP_LANES, row = thread / WARP_LANES * 16 + lane / 4;
  for (uint32_t i = 0; i < 4; i++) memcpy(p->left + (row + i % 2 * 8) * DEPTH_BYTES + (i / 2 * 4 + lane % 4) * 4, &words[i], 4);
}

/* Sums. --------------------------------------------------------------------------------------------------- */

/* Where a thread's sum `slot` is: each warp has 16 rows, each lane two rows of pairs of columns. */
static uint32_t *value_of(sums *s, uint32_t thread, int slot) {
  uint32_t lane = thread % WARP_LANES, row = thread / WARP_LANES * 16 + lane / 4 + (uint32_t)(slot % 4 / 2 * 8);
  return &s->values[row][(uint32_t)(slot / 4 * 8 + slot % 2) + lane % 4 * 2];
}

static sums *sums_at(warpgroup *g, uint32_t thread, const void *place, int columns) {
  for (sums *s = g->sums; s; s = s->next)
    if (s->places[thread] == place) return s;
  sums *s = calloc(1, sizeof *s);
  if (!s) give_up("out of memory");
  s->next = g->sums;
  s->columns = columns;
  return g->sums = s;
}

static void take(sums *s, uint32_t thread, void *place) {
  if (s->places[thread] && s->places[thread] != place) fault("wgmma.mma_async: the threads of a warpgroup name different sums");
  if (s->places[thread]) return;
  s->places[thread] = place;
  for (int i = 0; i < s->columns / 2; i++) memcpy(value_of(s, thread, i), (uint32_t *)place + i, 4);
  memset(place, POISON, (size_t)s->columns * 2); /* until the products have happened, nobody may look */
}

static void give_back(warpgroup *g, sums *s) {
  for (uint32_t thread = 0; thread < THREADS; thread++)
    for (int i = 0; i < s->columns / 2; i++) {
      static const uint32_t poison = ~0u;
      uint32_t *place = (uint32_t *)s->places[thread] + i;
      if (memcmp(place, &poison, 4)) fault("wgmma.mma_async: sums are written while a product adds to them");
      memcpy(place, value_of(s, thread, i), 4);
    }
  sums **link = &g->sums;
  while (*link != s) link = &(*link)->next;
  *link = s->next;
  free(s);
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

void start_product(const product_kind *kind, void *place, uint64_t a, const void *words, uint64_t b) {
  settle();
  uint32_t index = thread_number(), thread = index % THREADS;
  warpgroup *g = &mine->groups[index / THREADS];
  product *p = number(g, g->begun[thread]++);
  if (!p) p = make(g, kind, a, b, g->groups[thread]);
  if (memcmp(&p->kind, kind, sizeof *kind) || p->a != a || p->b != b || p->group != g->groups[thread])
    fault("wgmma.mma_async: the threads of a warpgroup name different products or tiles");
  if (!p->sums) {
    p->sums = sums_at(g, thread, place, kind->columns);
    p->sums->products++;
  }
  take(p->sums, thread, place);
  if (words) note_registers(p, thread, words);
  p->started++;
}

void commit_products(void) {
  settle();
  uint32_t index = thread_number();
  mine->groups[index / THREADS].groups[index % THREADS]++;
}

/* Multiplying. -------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) float decoded(const unsigned char *from, element_type type) {
  uint32_t bits = 0;
  float x;
  switch (type) {
    case S8: return (int8_t)*from;
    case U8: return *from;
    case TF32:
      memcpy(&bits, from, 4);
      bits &= 0xffffe000;
      break;
    case BF16: memcpy((char *)&bits + 2, from, 2); break;
    case F16: {
      uint16_t half;
      memcpy(&half, from, 2);
      bits = (half & 0x7fffu) << 13;
      memcpy(&x, &bits, 4);
      x *= 0x1p112f;
      memcpy(&bits, &x, 4);
      bits |= ((half & 0x7c00) == 0x7c00 ? 0x7f800000u : 0) | (half & 0x8000u) << 16;
    }
  }
  memcpy(&x, &bits, 4);
  return x;
}

/* Return the element of a factor at a row and a depth. */
static inline __attribute__((always_inline)) float element(const unsigned char *from, int rows, int transposed, int row, int i,
                                                           element_type type, int bytes) {
  return decoded(from + (transposed ? i * rows + row : row * (DEPTH_BYTES / bytes) + i) * bytes, type);
}

/* Add the product to the sums. Products of 16-bit floats and of tf32 are exact in a float, and so is the sum of one
 * instruction's products of bytes. */
static inline __attribute__((always_inline)) void multiply(product *p, element_type left, element_type right, int bytes, int integers) {
  float(*b)[MOST_COLUMNS] = mine->columns;
  const product_kind *kind = &p->kind;
  int depth = DEPTH_BYTES / bytes, columns = kind->columns;
  for (int i = 0; i < depth; i++)
    for (int column = 0; column < columns; column++)
      b[i][column] = element(p->right, columns, kind->transpose_b, column, i, right, bytes);
  for (int row = 0; row < ROWS; row++) {
    float own[MOST_COLUMNS];
    for (int column = 0; column < columns; column++) own[column] = 0;
    if (!integers) memcpy(own, p->sums->values[row], sizeof own);
    for (int i = 0; i < depth; i++) {
      float a = element(p->left, ROWS, kind->transpose_a, row, i, left, bytes);
      for (int column = 0; column < columns; column++) own[column] += a * b[i][column];
    }
    for (int column = 0; integers && column < columns; column++) p->sums->values[row][column] += (uint32_t)(int32_t)own[column];
    if (!integers) memcpy(p->sums->values[row], own, sizeof own);
  }
}

static void finish(warpgroup *g, product *p) {
  memcpy(mine->left, p->left, sizeof p->left);
  memcpy(mine->right, p->right, sizeof p->right);
  read_factors(p, mine->left, mine->right);
  if (p->started != THREADS) fault("wgmma.mma_async by %u of the %d threads of a warpgroup", p->started, THREADS);
  if (memcmp(mine->left, p->left, sizeof p->left) || memcmp(mine->right, p->right, sizeof p->right))
    fault("wgmma.mma_async: a tile is written while a product reads it");
  switch (p->kind.a) {
    case F16: multiply(p, F16, F16, 2, 0); break;
    case BF16: multiply(p, BF16, BF16, 2, 0); break;
    case TF32: multiply(p, TF32, TF32, 4, 0); break;
    default: multiply(p, p->kind.a, p->kind.b, 1, 1);
  }
  if (--p->sums->products == 0) give_back(g, p->sums);
}

static void finish_groups(uint32_t index, uint32_t outstanding) {
  warpgroup *g = &mine->groups[index];
  while (g->first && g->first->group + outstanding < g->groups[thread_number() % THREADS]) {
    product *p = g->first;
    finish(g, p);
    g->first = p->next;
    g->done++;
    free(p);
  }
}

void wait_for_products(unsigned outstanding) { meet_warpgroup("wgmma.wait_group", finish_groups, outstanding); }
