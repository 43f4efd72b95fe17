/* A model of a CPU artifact. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "cpu_program.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct dlc_model {
  dlc_payload payload;
  unsigned char *workspace; /* made at the first run that brings none */
};

const uint32_t dlc_artifact_target = DLC_CPU;
const size_t dlc_model_bytes = sizeof(dlc_model);

dlc_status dlc_model_open(dlc_model *model, const char *path, const char *weights_path, int32_t device) {
  (void)device;
  const char *missing = dlc_missing_feature();
  if (missing)
    return dlc_fail(DLC_UNSUPPORTED, "the model was compiled for processors with %s, this one has none", missing);
  return dlc_payload_open(path, weights_path, &model->payload);
}

uint64_t dlc_model_workspace_bytes(const dlc_model *model) {
  (void)model;
  return dlc_workspace_bytes;
}

static dlc_status make_workspace(dlc_model *model) {
  size_t bytes = (dlc_workspace_bytes + HUGE_PAGE_BYTES - 1) & ~(size_t)(HUGE_PAGE_BYTES - 1);
  size_t alignment = dlc_workspace_bytes < HUGE_PAGE_BYTES ? 4096 : HUGE_PAGE_BYTES;
  model->workspace = aligned_alloc(alignment, bytes);
  if (!model->workspace)
    return dlc_fail(DLC_OUT_OF_MEMORY, "cannot allocate %zu bytes for intermediate values", bytes);
  madvise(model->workspace, bytes, MADV_HUGEPAGE); /* a hint; fewer misses of the address cache */
  return DLC_OK;
}

dlc_status dlc_model_run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                         void *const *outputs) {
  (void)stream;
  if (!workspace && !model->workspace && dlc_workspace_bytes) {
    dlc_status status = make_workspace(model);
    if (status != DLC_OK) return status;
  }
  dlc_program(inputs, outputs, model->payload.weights, workspace ? workspace : model->workspace);
  return DLC_OK;
}

dlc_status dlc_model_run_host(dlc_model *model, const void *const *inputs, void *const *outputs) {
  return dlc_model_run(model, NULL, NULL, inputs, outputs);
}

void dlc_model_close(dlc_model *model) {
  dlc_payload_close(&model->payload);
  free(model->workspace);
}
