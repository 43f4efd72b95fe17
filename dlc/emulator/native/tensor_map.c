/* The part of the driver that encodes tensor maps, and the engine that obeys them (PTX ISA, "Tensors"; CUDA Driver
 * API, "Tensor Map Object Management"). */
#include "tensor_map.h"

#include <string.h>

#include "cuda_driver.h"
#include "emulator.h"

enum { CHUNK = 16, LINE = 128, MOST_BOX = 256, MOST_PIXELS = 1024, MOST_STEP = 8, INVALID = 1, TFLOAT32 = 11 };
static const uint32_t EXPONENT = 0x7f800000, IGNORED = 13, HALF = 0x1000, KEPT = 0xffffe000; /* of the bits of a float for tf32 */
static const uint64_t MARK = 0x70616d20726f736e;

_Static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap), "a map has 128 bytes");

/* Encoding. ----------------------------------------------------------------------------------------------- */

static const uint8_t ELEMENT_BYTES[TFLOAT32 + 1] = {1, 2, 4, 4, 8, [TFLOAT32] = 4}; /* of the types that occur */

static int between(int64_t low, int64_t value, int64_t high) { return low <= value && value <= high; }

/* Fill in what both modes have; return whether the driver would take it. */
static int encode_tensor(tensor_map *m, unsigned type, uint32_t rank, const void *address, const uint64_t *sizes,
                         const uint64_t *strides, const uint32_t *steps, unsigned swizzle, unsigned promotion) {
  if (type > TFLOAT32 || !ELEMENT_BYTES[type] || !between(1, rank, MOST_AXES) || swizzle > 3 || promotion > 3) return 0;
  if ((uintptr_t)address % CHUNK) return 0;
  *m = (tensor_map){.mark = MARK, .address = (uintptr_t)address, .rank = (uint8_t)rank, .swizzle = (uint8_t)swizzle};
  m->rounds = type == TFLOAT32;
  m->strides[0] = ELEMENT_BYTES[type];
  for (uint32_t i = 0; i < rank; i++) {
    if (!between(1, (int64_t)sizes[i], 1ll << 32) || !between(1, steps[i], MOST_STEP)) return 0;
    if (i && (strides[i - 1] % CHUNK || strides[i - 1] >= 1ull << 40)) return 0;
    if (i) m->strides[i] = strides[i - 1];
    m->last[i] = (uint32_t)(sizes[i] - 1);
    m->steps[i] = (uint8_t)(i ? steps[i] : 1);
  }
  return 1;
}

static int row_fits(const tensor_map *m) {
  uint64_t bytes = m->box[0] * m->strides[0];
  return bytes % CHUNK == 0 && (!m->swizzle || bytes <= (uint64_t)CHUNK << m->swizzle);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, unsigned type, uint32_t rank, void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
  tensor_map m;
  if (interleave || fill || (uintptr_t)map % _Alignof(CUtensorMap)) return INVALID;
  if (!encode_tensor(&m, type, rank, address, sizes, strides, steps, swizzle, promotion)) return INVALID;
  for (uint32_t i = 0; i < rank; i++) {
    if (!between(1, box[i], MOST_BOX)) return INVALID;
    m.box[i] = (uint16_t)((box[i] + m.steps[i] - 1) / m.steps[i]);
  }
  if (!row_fits(&m)) return INVALID;
  memset(map, 0, sizeof *map);
  memcpy(map, &m, sizeof m);
  return 0;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, unsigned type, uint32_t rank, void *address, const uint64_t *sizes,
                                 const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                 uint32_t pixels, const uint32_t *steps, unsigned interleave, unsigned swizzle,
                                 unsigned promotion, unsigned fill) {
  tensor_map m;
  if (interleave || fill || (uintptr_t)map % _Alignof(CUtensorMap) || rank < 3) return INVALID;
  if (!encode_tensor(&m, type, rank, address, sizes, strides, steps, swizzle, promotion)) return INVALID;
  if (!between(1, channels, MOST_BOX) || !between(1, pixels, MOST_PIXELS)) return INVALID;
  m.spatial = (uint8_t)(rank - 2);
  m.box[0] = (uint16_t)channels;
  m.box[1] = (uint16_t)pixels;
  int limit = m.spatial == 1 ? 1 << 15 : m.spatial == 2 ? 128 : 16;
  for (int i = 0; i < m.spatial; i++) {
    if (!between(-limit, lower[i], limit - 1) || !between(-limit, upper[i], limit - 1)) return INVALID;
    m.lower[i] = (int16_t)lower[i];
    m.upper[i] = (int16_t)upper[i];
  }
  if (!row_fits(&m)) return INVALID;
  memset(map, 0, sizeof *map);
  memcpy(map, &m, sizeof m);
  return 0;
}

const tensor_map *checked_map(const void *argument, unsigned axes, int im2col) {
  const tensor_map *m = argument;
  if (m->mark != MARK) fault("a tensor map that was not encoded");
  if (m->rank != axes || !m->spatial != !im2col)
    fault("a copy of %u axes%s by a tensor map of %u axes%s", axes, im2col ? " of pixels" : "", m->rank,
          m->spatial ? " of pixels" : "");
  return m;
}

uint64_t tensor_reach(const tensor_map *m) {
  uint64_t bytes = m->strides[0];
  for (int i = 0; i < m->rank; i++) bytes += m->last[i] * m->strides[i];
  return bytes;
}

/* Copying. ------------------------------------------------------------------------------------------------ */

static uint32_t rows_of(const tensor_map *m) {
  uint32_t rows = 1;
  for (int i = 1; i < (m->spatial ? 2 : m->rank); i++) rows *= m->box[i];
  return rows;
}

uint32_t box_bytes(const tensor_map *m) { return rows_of(m) * m->box[0] * (uint32_t)m->strides[0]; }

/* Find the indices of a row of the box, but for that of the innermost axis. */
static void find_row(const tensor_copy *c, uint32_t row, int64_t *index) {
  for (int i = 1; i < c->map.rank; i++) {
    index[i] = (int64_t)c->at[i] + (int64_t)(row % c->map.box[i]) * c->map.steps[i];
    row /= c->map.box[i];
  }
}

/* The same of a pixel: so many after the first, in windows of the image that follow each other. */
static void find_pixel(const tensor_copy *c, uint32_t pixel, int64_t *index) {
  const tensor_map *m = &c->map;
  int64_t carry = pixel;
  for (int i = 1; i <= m->spatial; i++) {
    int64_t low = m->lower[i - 1], end = (int64_t)m->last[i] + 1 + m->upper[i - 1], step = m->steps[i];
    int64_t window = (end - low + step - 1) / step, number = (c->at[i] - low) / step + carry;
    if (window <= 0) fault("a tensor map whose windows have no pixels");
    carry = number / window;
    index[i] = low + number % window * step + c->offsets[i - 1];
  }
  index[m->rank - 1] = c->at[m->rank - 1] + carry;
}

static int is_inside(const tensor_map *m, int axis, int64_t index) { return index >= 0 && index <= m->last[axis]; }

/* Return where a row of the box begins in the tensor; NULL where none of it is inside. */
static unsigned char *row_start(const tensor_copy *c, uint32_t row) {
  const tensor_map *m = &c->map;
  int64_t index[MOST_AXES];
  uint64_t offset = 0;
  (m->spatial ? find_pixel : find_row)(c, row, index);
  for (int i = 1; i < m->rank; i++) {
    if (!is_inside(m, i, index[i])) return NULL;
    offset += (uint64_t)index[i] * m->strides[i];
  }
  return (unsigned char *)(uintptr_t)m->address + offset;
}

/* Return where the byte of the tile is that stands at `offset` of shared memory without a swizzle. */
static uint32_t swizzled(const tensor_map *m, uint32_t offset) {
  return m->swizzle ? offset ^ (offset / LINE % (1u << m->swizzle)) * CHUNK : offset;
}

/* Call `move` for each element: its place in the tile, and in the tensor or NULL. */
static inline __attribute__((always_inline)) void each_element(const tensor_copy *c,
                                                               void (*move)(void *context, uint32_t tile,
                                                                            unsigned char *element, uint32_t bytes),
                                                               void *context) {
  const tensor_map *m = &c->map;
  uint32_t width = (uint32_t)m->strides[0], together = CHUNK / width, place = c->place;
  for (uint32_t row = 0, rows = rows_of(m); row < rows; row++) {
    unsigned char *start = row_start(c, row);
    for (uint32_t i = 0; i < m->box[0]; i += together, place += CHUNK) {
      int64_t first = (int64_t)c->at[0] + i;
      uint32_t tile = swizzled(m, place);
      if (start && is_inside(m, 0, first) && is_inside(m, 0, first + together - 1))
        move(context, tile, start + first * width, CHUNK);
      else
        for (uint32_t n = 0; n < together; n++)
          move(context, tile + n * width, start && is_inside(m, 0, first + n) ? start + (first + n) * width : NULL, width);
    }
  }
}

static void load(void *shared, uint32_t tile, unsigned char *element, uint32_t bytes) {
  if (element) memcpy((unsigned char *)shared + tile, element, bytes);
  else memset((unsigned char *)shared + tile, 0, bytes);
}

/* The same of floats, rounded to nearest, ties to even (measured on an H200); NaN and infinities stay. */
static void load_rounded(void *shared, uint32_t tile, unsigned char *element, uint32_t bytes) {
  load(shared, tile, element, bytes);
  for (uint32_t n = 0; n < bytes; n += sizeof(uint32_t)) {
    unsigned char *place = (unsigned char *)shared + tile + n;
    uint32_t held;
    memcpy(&held, place, sizeof held);
    if ((held & EXPONENT) != EXPONENT) held = (held + HALF - 1 + (held >> IGNORED & 1)) & KEPT;
    memcpy(place, &held, sizeof held);
  }
}

static void store(void *shared, uint32_t tile, unsigned char *element, uint32_t bytes) {
  if (element) memcpy(element, (const unsigned char *)shared + tile, bytes);
}

void load_box(const tensor_copy *copy, unsigned char *shared) {
  if (copy->map.rounds) each_element(copy, load_rounded, shared);
  else each_element(copy, load, shared);
}
void store_box(const tensor_copy *copy, const unsigned char *shared) { each_element(copy, store, (void *)shared); }
