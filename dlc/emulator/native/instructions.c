/* What the lanes of a warp do together: PTX ISA, "Warp Level Matrix Instructions" and "shfl.sync". */
#include <string.h>

#include "emulator.h"

typedef struct exchange {
  uint64_t value, result;
  uint32_t from;
} exchange;

/* Eight columns of a product, which the host computes at once. */
typedef float columns __attribute__((vector_size(32)));

enum { GROUPS = 8, MOST_TALL = 2, MOST_ALONG = 2, MOST_PACK = 4 };

static float from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static float from_f16(uint32_t half) {
  float x = from_bits((half & 0x7fff) << 13) * 0x1p112f;
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0; /* infinity, NaN */
  return from_bits(bits | (half & 0x8000) << 16);
}

static float from_bf16(uint32_t bits) { return from_bits(bits << 16); }

static float from_tf32(uint32_t bits) { return from_bits(bits & 0xffffe000); }

static float from_s8(uint32_t bits) { return (int8_t)bits; }

static float from_u8(uint32_t bits) { return (uint8_t)bits; }

typedef float element(uint32_t bits);

static inline __attribute__((always_inline)) void to_floats(float *to, const uint32_t *words, int count, int shift, element *value) {
  for (int i = 0; i < count; i++) to[i] = value(words[i] >> shift);
}

/* Add the product of what is in the registers to D: group g of four lanes holds rows g and g + 8 of A and D and
 * column g of B.
 *
 * tall: words of A below each other, `along` words along K, the tall ones first; pack: the neighbouring elements along
 * K in a word. Products of 16-bit floats and of tf32 are exact in a float, and so is the sum of one instruction's
 * products of bytes.
 */
static inline __attribute__((always_inline)) void multiply(const deferred *lanes, int tall, int along, int pack,
                                                           element *left, element *right, int integers) {
  uint32_t a_words[WARP_LANES * MOST_TALL * MOST_ALONG], b_words[4 * MOST_ALONG][GROUPS];
  float a[MOST_PACK][WARP_LANES * MOST_TALL * MOST_ALONG];
  columns b[MOST_PACK][4 * MOST_ALONG], d[GROUPS * MOST_TALL] = {};
  int words = tall * along;
  for (int group = 0; group < GROUPS; group++)
    for (int lane = 0; lane < 4; lane++) {
      const deferred *own = &lanes[4 * group + lane];
      const uint32_t *own_b = own->operands[2];
      memcpy(&a_words[(4 * group + lane) * words], own->operands[1], 4 * words);
      for (int i = 0; i < along; i++) b_words[lane * along + i][group] = own_b[i];
      for (int half = 0; half < tall && !integers; half++)
        memcpy((float *)&d[group + half * GROUPS] + 2 * lane, (const float *)own->operands[0] + 2 * half, 8);
    }
  for (int part = 0; part < pack; part++) {
    to_floats(a[part], a_words, WARP_LANES * words, 32 / pack * part, left);
    to_floats((float *)b[part], (const uint32_t *)b_words, 4 * along * GROUPS, 32 / pack * part, right);
  }
  for (int lane = 0; lane < 4; lane++)
    for (int i = 0; i < along; i++)
      for (int part = 0; part < pack; part++)
#pragma GCC unroll 16
        for (int row = 0; row < GROUPS * tall; row++)
          d[row] += a[part][(row % GROUPS * 4 + lane) * words + tall * i + row / GROUPS] * b[part][lane * along + i];
  for (int group = 0; group < GROUPS; group++)
    for (int lane = 0; lane < 4; lane++)
      for (int half = 0; half < tall; half++) {
        float *sums = (float *)&d[group + half * GROUPS] + 2 * lane;
        uint32_t *own = (uint32_t *)lanes[4 * group + lane].operands[0] + 2 * half;
        for (int i = 0; i < 2 && integers; i++) own[i] += (uint32_t)(int32_t)sums[i];
        if (!integers) memcpy(own, sums, 8);
      }
}

#define DEFINE_PRODUCT(name, tall, along, pack, left, right, integers)                                       \
  static void run_##name(const deferred *lanes, unsigned char *shared, uint32_t bytes) {                     \
    (void)shared, (void)bytes;                                                                               \
    multiply(lanes, tall, along, pack, left, right, integers);                                               \
  }                                                                                                        \
  const instruction name = {"mma", run_##name};
#include "products.h"

/* Lane i names row i % 8 of matrix i / 8. */
static unsigned char *matrix_row(const deferred *lanes, int i, unsigned char *shared, uint32_t bytes) {
  uint32_t row = (uint32_t)(uintptr_t)lanes[i].operands[1];
  if (row % 16 || row + 16 > bytes) fault("%s: lane %d names a row at byte %u of %u of shared memory", lanes[i].what->name, i, row, bytes);
  return shared + row;
}

static inline __attribute__((always_inline)) void load_matrices(const deferred *lanes, int count, int transpose,
                                                                unsigned char *shared, uint32_t bytes) {
  const unsigned char *rows[WARP_LANES];
  for (int i = 0; i < 8 * count; i++) rows[i] = matrix_row(lanes, i, shared, bytes);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    uint16_t *to = lanes[lane].operands[0];
    int major = lane / 4, minor = lane % 4 * 2;
    for (int matrix = 0; matrix < count; matrix++) {
      const unsigned char *const *row = &rows[8 * matrix];
      if (!transpose) memcpy(to + 2 * matrix, row[major] + 2 * minor, 4);
      for (int half = 0; transpose && half < 2; half++) memcpy(to + 2 * matrix + half, row[minor + half] + 2 * major, 2);
    }
  }
}

static inline __attribute__((always_inline)) void store_matrices(const deferred *lanes, int count, int transpose,
                                                                 unsigned char *shared, uint32_t bytes) {
  unsigned char *rows[WARP_LANES];
  for (int i = 0; i < 8 * count; i++) rows[i] = matrix_row(lanes, i, shared, bytes);
  for (int lane = 0; lane < WARP_LANES; lane++) {
    const uint16_t *from = lanes[lane].operands[0];
    int major = lane / 4, minor = lane % 4 * 2;
    for (int matrix = 0; matrix < count; matrix++) {
      unsigned char *const *row = &rows[8 * matrix];
      if (!transpose) memcpy(row[major] + 2 * minor, from + 2 * matrix, 4);
      for (int half = 0; transpose && half < 2; half++) memcpy(row[minor + half] + 2 * major, from + 2 * matrix + half, 2);
    }
  }
}

#define DEFINE_MATRICES(name, mnemonic, move, count, transpose)                                              \
  static void run_##name(const deferred *lanes, unsigned char *shared, uint32_t bytes) {                     \
    move(lanes, count, transpose, shared, bytes);                                                            \
  }                                                                                                          \
  const instruction name = {mnemonic, run_##name};
#define DEFINE_MATRIX_MOVES(name, mnemonic, move)               \
  DEFINE_MATRICES(name##_x1, mnemonic, move, 1, 0)              \
  DEFINE_MATRICES(name##_x2, mnemonic, move, 2, 0)              \
  DEFINE_MATRICES(name##_x4, mnemonic, move, 4, 0)              \
  DEFINE_MATRICES(name##_x1_trans, mnemonic, move, 1, 1)        \
  DEFINE_MATRICES(name##_x2_trans, mnemonic, move, 2, 1)        \
  DEFINE_MATRICES(name##_x4_trans, mnemonic, move, 4, 1)
DEFINE_MATRIX_MOVES(matrices, "ldmatrix", load_matrices)
DEFINE_MATRIX_MOVES(stored, "stmatrix", store_matrices)

static void exchange_values(const deferred *lanes, unsigned char *shared, uint32_t bytes) {
  (void)shared, (void)bytes;
  for (int lane = 0; lane < WARP_LANES; lane++) {
    exchange *e = lanes[lane].operands[0];
    e->result = ((const exchange *)lanes[e->from % WARP_LANES].operands[0])->value;
  }
}

const instruction shuffle = {"__shfl_sync", exchange_values}, warp_barrier = {"__syncwarp", NULL};
