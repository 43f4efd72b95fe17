/* The entry table of a CPU artifact. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "cpu_program.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct dlc_model {
  dlc_payload payload;
  unsigned char *workspace; /* made at the first run that brings none */
};

static dlc_status create(const char *path, const char *weights_path, int32_t device, dlc_model **model) {
  (void)device;
  if (!model) return dlc_fail(DLC_INVALID_ARGUMENT, "create: the model pointer is null");
  *model = NULL;
  const char *missing = dlc_missing_feature();
  if (missing)
    return dlc_fail(DLC_UNSUPPORTED, "the model was compiled for processors with %s, this one has none", missing);
  dlc_model *made = calloc(1, sizeof *made);
  if (!made) return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory");
  dlc_status status = dlc_payload_open(path, weights_path, &made->payload);
  if (status == DLC_OK)
    *model = made;
  else
    free(made);
  return status;
}

static uint64_t workspace_bytes(const dlc_model *model) {
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

static dlc_status run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                      void *const *outputs) {
  (void)stream;
  if (!model) return dlc_fail(DLC_INVALID_ARGUMENT, "run: the model is null");
  dlc_status status = dlc_check_tables(inputs, outputs);
  if (status == DLC_OK && !workspace && !model->workspace && dlc_workspace_bytes) status = make_workspace(model);
  if (status != DLC_OK) return status;
  dlc_program(inputs, outputs, model->payload.weights, workspace ? workspace : model->workspace);
  return DLC_OK;
}

static dlc_status run_host(dlc_model *model, const void *const *inputs, void *const *outputs) {
  return run(model, NULL, NULL, inputs, outputs);
}

static void destroy(dlc_model *model) {
  if (!model) return;
  dlc_payload_close(&model->payload);
  free(model->workspace);
  free(model);
}

__attribute__((visibility("default"))) const dlc_api *dlc_entry(void) {
  static dlc_api api = {
      .abi_version = DLC_ABI_VERSION,
      .target = DLC_CPU,
      .create = create,
      .workspace_bytes = workspace_bytes,
      .run = run,
      .run_host = run_host,
      .destroy = destroy,
      .message = dlc_message,
  };
  api.inputs = dlc_inputs;
  api.outputs = dlc_outputs;
  api.input_count = dlc_input_count;
  api.output_count = dlc_output_count;
  return &api;
}
