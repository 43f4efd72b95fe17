/* What the lanes of a warp do together: PTX ISA, "Warp Level Matrix Instructions" and "shfl.sync". */
#include <string.h>

#include "emulator.h"

typedef struct matrix_product {
  float d[4];
  uint32_t a[4], b[2];
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

enum { M = 16, N = 8, MAX_K = 16 };

/* Matrices of a product, in fp32, which holds every product of two 16-bit floats or tf32 exactly. */
typedef struct matrices {
  float a[M][MAX_K], b[MAX_K][N], c[M][N];
} matrices;

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

/* Multiply matrices that `gather` takes out of the registers; k: the depth. */
static inline void multiply(matrices *m, int k, void *const *lanes) {
  for (int lane = 0; lane < WARP_LANES; lane++)
    for (int i = 0; i < 4; i++)
      m->c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = ((const matrix_product *)lanes[lane])->c[i];
  for (int row = 0; row < M; row++)
    for (int depth = 0; depth < k; depth++)
      for (int column = 0; column < N; column++) m->c[row][column] += m->a[row][depth] * m->b[depth][column];
  for (int lane = 0; lane < WARP_LANES; lane++)
    for (int i = 0; i < 4; i++)
      ((matrix_product *)lanes[lane])->d[i] = m->c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

/* 16-bit elements: two of a row of A, or of a column of B, in one register. */
static inline __attribute__((always_inline)) void multiply_16_bits(void *const *lanes, float (*value)(uint32_t)) {
  matrices m;
  for (int lane = 0; lane < WARP_LANES; lane++) {
    const matrix_product *p = lanes[lane];
    int group = lane / 4, first = lane % 4 * 2;
    for (int half = 0; half < 2; half++) {
      for (int i = 0; i < 4; i++)
        m.a[group + i % 2 * 8][first + i / 2 * 8 + half] = value(p->a[i] >> 16 * half & 0xffff);
      for (int i = 0; i < 2; i++) m.b[first + i * 8 + half][group] = value(p->b[i] >> 16 * half & 0xffff);
    }
  }
  multiply(&m, 16, lanes);
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
  matrices m;
  for (int lane = 0; lane < WARP_LANES; lane++) {
    const matrix_product *p = lanes[lane];
    int group = lane / 4, first = lane % 4;
    for (int i = 0; i < 4; i++) m.a[group + i % 2 * 8][first + i / 2 * 4] = from_tf32(p->a[i]);
    for (int i = 0; i < 2; i++) m.b[first + i * 4][group] = from_tf32(p->b[i]);
  }
  multiply(&m, 8, lanes);
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
