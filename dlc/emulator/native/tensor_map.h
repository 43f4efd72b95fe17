/* Tensor maps of the emulated driver, and the copies that obey them. */
#ifndef DLC_EMULATOR_TENSOR_MAP_H
#define DLC_EMULATOR_TENSOR_MAP_H

#include <stdint.h>

enum { MOST_AXES = 5 };

/* What stands in the 128 bytes that a kernel gets. The innermost axis is the first. spatial: the axes of a column of
 * pixels, whose box is channels and pixels. rounds: to tf32, what is loaded. */
typedef struct tensor_map {
  uint64_t mark, address, strides[MOST_AXES];
  uint32_t last[MOST_AXES]; /* of the indices along each axis */
  uint16_t box[MOST_AXES];
  int16_t lower[3], upper[3];
  uint8_t steps[MOST_AXES], rank, spatial, swizzle, rounds;
} tensor_map;

/* A copy of a box. at: its coordinates; offsets: from its pixels; place: of the tile in shared memory. */
typedef struct tensor_copy {
  tensor_map map;
  int32_t at[MOST_AXES], offsets[3];
  uint32_t place;
} tensor_copy;

/* Return the bytes that one copy moves. */
uint32_t box_bytes(const tensor_map *map);

/* Return the bytes from the first element of the tensor to the end of the last. */
uint64_t tensor_reach(const tensor_map *map);

/* Return the map in an argument of a kernel; one that was not encoded, or for other axes, is a fault. */
const tensor_map *checked_map(const void *argument, unsigned axes, int im2col);

/* Move the elements that are inside of the tensor; a load fills the others of the tile with zeros. */
void load_box(const tensor_copy *copy, unsigned char *shared);
void store_box(const tensor_copy *copy, const unsigned char *shared);

#endif
