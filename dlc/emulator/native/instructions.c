/* What the lanes of a warp do together: PTX ISA, "Warp Level Matrix Instructions" and "shfl.sync". */
#include <string.h>

#include "emulator.h"

typedef struct matrix_product {
  float d[4];
  uint32_t a[6]; /* of A, then of B */
  float c[4];
} matrix_product;

typedef struct matrix_load {
  uint32_t d[4];
  uint32_t row; /* an address in shared memory */
} matrix_load;

typedef struct exchange {
  uint64_t value, result;
  uint32_t from;
} exchange;

/* Eight columns of a product, which the host computes at once. */
typedef float columns __attribute__((vector_size(32)));

enum { ROWS = 16, HALVES = 12, TF32S = 6 };

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

/* Multiply what is in the registers: group g of four lanes holds rows g and g + 8 of A and column g of B.
 *
 * a: the elements of A, then of B, of each lane, as floats: they hold products of 16-bit floats and tf32 exactly.
 * pack: the neighbouring elements along K that a lane has; the two halves of K follow each other, A's rows between.
 */
static inline __attribute__((always_inline)) void multiply(const float *a, int pack, void *const *lanes) {
  int count = 6 * pack;
  columns b[16], c[ROWS];
  for (int lane = 0; lane < WARP_LANES; lane++) {
    const matrix_product *p = lanes[lane];
    for (int i = 0; i < 2 * pack; i++) ((float *)&b[lane % 4 * 2 * pack + i])[lane / 4] = a[lane * count + 4 * pack + i];
    for (int i = 0; i < 4; i++) ((float *)&c[lane / 4 + i / 2 * 8])[lane % 4 * 2 + i % 2] = p->c[i];
  }
  for (int row = 0; row < ROWS; row++)
    for (int lane = 0; lane < 4; lane++) {
      const float *own = a + (row % 8 * 4 + lane) * count + row / 8 * pack;
      for (int i = 0; i < 2 * pack; i++) c[row] += own[i / pack * 2 * pack + i % pack] * b[lane * 2 * pack + i];
    }
  for (int lane = 0; lane < WARP_LANES; lane++)
    for (int i = 0; i < 4; i++)
      ((matrix_product *)lanes[lane])->d[i] = ((const float *)&c[lane / 4 + i / 2 * 8])[lane % 4 * 2 + i % 2];
}

static inline __attribute__((always_inline)) void multiply_16_bits(void *const *lanes, float (*value)(uint32_t)) {
  uint16_t bits[WARP_LANES * HALVES];
  float values[WARP_LANES * HALVES];
  for (int lane = 0; lane < WARP_LANES; lane++)
    memcpy(&bits[lane * HALVES], ((const matrix_product *)lanes[lane])->a, 2 * HALVES);
  for (int i = 0; i < WARP_LANES * HALVES; i++) values[i] = value(bits[i]);
  multiply(values, 2, lanes);
}

void mma_m16n8k16_f16(void *const *lanes, const unsigned char *shared, uint32_t bytes) {
  (void)shared, (void)bytes;
  multiply_16_bits(lanes, from_f16);
}

void mma_m16n8k16_bf16(void *const *lanes, const unsigned char *shared, uint32_t bytes) {
  (void)shared, (void)bytes;
  multiply_16_bits(lanes, from_bf16);
}

void mma_m16n8k8_tf32(void *const *lanes, const unsigned char *shared, uint32_t bytes) {
  (void)shared, (void)bytes;
  float values[WARP_LANES * TF32S];
  for (int lane = 0; lane < WARP_LANES; lane++)
    for (int i = 0; i < TF32S; i++) values[lane * TF32S + i] = from_tf32(((const matrix_product *)lanes[lane])->a[i]);
  multiply(values, 1, lanes);
}

/* Lane i names row i % 8 of matrix i / 8. */
static const unsigned char *matrix_row(void *const *lanes, int i, const unsigned char *shared, uint32_t bytes) {
  uint32_t row = ((const matrix_load *)lanes[i])->row;
  if (row % 16 || row + 16 > bytes) fault("ldmatrix: lane %d names a row at byte %u of %u of shared memory", i, row, bytes);
  return shared + row;
}

static inline void load_matrices(void *const *lanes, int count, int transpose, const unsigned char *shared,
                                 uint32_t bytes) {
  const unsigned char *rows[WARP_LANES];
  for (int i = 0; i < 8 * count; i++) rows[i] = matrix_row(lanes, i, shared, bytes);
  for (int lane = 0; lane < WARP_LANES; lane++)
    for (int matrix = 0; matrix < count; matrix++)
      for (int half = 0; half < 2; half++) {
        int major = lane / 4, minor = lane % 4 * 2 + half;
        int row = transpose ? minor : major, column = transpose ? major : minor;
        memcpy((unsigned char *)&((matrix_load *)lanes[lane])->d[matrix] + 2 * half,
               rows[8 * matrix + row] + 2 * column, 2);
      }
}

#define DEFINE_LDMATRIX(name, count, transpose)                                                              \
  void name(void *const *lanes, const unsigned char *shared, uint32_t bytes) {                               \
    load_matrices(lanes, count, transpose, shared, bytes);                                                   \
  }
DEFINE_LDMATRIX(ldmatrix_x1, 1, 0)
DEFINE_LDMATRIX(ldmatrix_x2, 2, 0)
DEFINE_LDMATRIX(ldmatrix_x4, 4, 0)
DEFINE_LDMATRIX(ldmatrix_x1_trans, 1, 1)
DEFINE_LDMATRIX(ldmatrix_x2_trans, 2, 1)
DEFINE_LDMATRIX(ldmatrix_x4_trans, 4, 1)

void shuffle(void *const *lanes, const unsigned char *shared, uint32_t bytes) {
  (void)shared, (void)bytes;
  for (int lane = 0; lane < WARP_LANES; lane++) {
    exchange *e = lanes[lane];
    e->result = ((const exchange *)lanes[e->from % WARP_LANES])->value;
  }
}

void warp_barrier(void *const *lanes, const unsigned char *shared, uint32_t bytes) {
  (void)lanes, (void)shared, (void)bytes;
}
