/* Between the printed program of a model and the fixed files beside it; no part of the interface. */
#ifndef DLC_PROGRAM_H
#define DLC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "dlc.h"

/* Defined by the printed program. */
extern const int32_t dlc_input_count, dlc_output_count;
extern const dlc_tensor dlc_inputs[], dlc_outputs[];

/* Defined beside the printed program: what the offsets in it were made for (docs/artifact.md). */
extern const unsigned char dlc_identity[32];

enum { DLC_PATH_BYTES = 4096 + 16 };

/* Part of an open file. */
typedef struct dlc_segment {
  int file;
  struct timespec written; /* when it was written to last, as it was opened */
  uint64_t offset, bytes;
  char path[DLC_PATH_BYTES];
} dlc_segment;

/* Defined by payload.c: what is appended to the artifact. It is read, never mapped: who writes to the file later
 * must not change a model that is in use. */
typedef struct dlc_payload {
  dlc_segment device_code, weights;
} dlc_payload;

/* path, weights_path: as of create. */
dlc_status dlc_payload_open(const char *path, const char *weights_path, dlc_payload *payload);
dlc_status dlc_segment_read(const dlc_segment *segment, uint64_t offset, uint64_t bytes, void *to);
/* Say, too, whether a file was written to while it was open. */
dlc_status dlc_payload_close(dlc_payload *payload);

/* Defined by cpu.c or cuda.c: what the functions of the entry table do once their arguments are checked. */
extern const uint32_t dlc_artifact_target; /* a dlc_target */
extern const size_t dlc_model_bytes;
dlc_status dlc_model_open(dlc_model *model, const char *path, const char *weights_path, int32_t device);
uint64_t dlc_model_workspace_bytes(const dlc_model *model);
dlc_status dlc_model_run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                         void *const *outputs);
int32_t dlc_model_variant(const dlc_model *model);
uint32_t dlc_model_step_count(const dlc_model *model);
dlc_status dlc_model_run_steps(dlc_model *model, uint32_t first, uint32_t end, void *stream, void *workspace,
                               const void *const *inputs, void *const *outputs);
dlc_status dlc_model_run_host(dlc_model *model, const void *const *inputs, void *const *outputs);
dlc_status dlc_model_set_threads(dlc_model *model, int32_t threads);
void dlc_model_close(dlc_model *model); /* of one that was opened, or zero and opened in part */

/* Defined by entry.c: keep a message for this thread and return the status. */
dlc_status dlc_fail(dlc_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
