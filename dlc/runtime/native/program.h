/* Between the printed program of a model and the fixed files beside it; no part of the interface. */
#ifndef DLC_PROGRAM_H
#define DLC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "dlc.h"

/* Defined by the printed program. */
extern const int32_t dlc_input_count, dlc_output_count;
extern const dlc_tensor dlc_inputs[], dlc_outputs[];

/* Defined by payload.c: the data segments of the artifact, mapped read-only. */
typedef struct dlc_payload {
  const unsigned char *device_code, *weights;
  uint64_t weights_bytes;
  void *maps[2];
  size_t map_bytes[2];
} dlc_payload;

/* path, weights_path: as of create. */
dlc_status dlc_payload_open(const char *path, const char *weights_path, dlc_payload *payload);
void dlc_payload_close(dlc_payload *payload);

/* Defined by checks.c: keep a message for this thread and return the status. */
dlc_status dlc_fail(dlc_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *dlc_message(void);

/* Refuse tables of a run that are null or hold a null pointer. */
dlc_status dlc_check_tables(const void *const *inputs, void *const *outputs);

#endif
