/* The entry table of every artifact: what each call checks before the target does it, and the message of the last
 * failure. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "libraries.h"
#include "program.h"

static __thread char message[512];

dlc_status dlc_fail(dlc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

static const char *last_message(void) { return message; }

static void destroy(dlc_model *model) {
  if (!model) return;
  dlc_model_close(model);
  dlc_libraries_give();
  free(model);
}

static dlc_status create(const char *path, const char *weights_path, int32_t device, dlc_model **model) {
  if (!model) return dlc_fail(DLC_INVALID_ARGUMENT, "create: the model pointer is null");
  *model = NULL;
  dlc_model *made = calloc(1, dlc_model_bytes);
  if (!made) return dlc_fail(DLC_OUT_OF_MEMORY, "out of memory");
  dlc_libraries_take();
  dlc_status status = dlc_model_open(made, path, weights_path, device);
  if (status == DLC_OK)
    *model = made;
  else
    destroy(made);
  return status;
}

static dlc_status check_pointers(const char *what, int32_t count, const void *const *pointers) {
  if (count && !pointers) return dlc_fail(DLC_INVALID_ARGUMENT, "run: the table of %ss is null", what);
  for (int32_t i = 0; i < count; i++)
    if (!pointers[i]) return dlc_fail(DLC_INVALID_ARGUMENT, "run: %s %d is null", what, (int)i);
  return DLC_OK;
}

static dlc_status check_run(const dlc_model *model, const void *const *inputs, void *const *outputs) {
  if (!model) return dlc_fail(DLC_INVALID_ARGUMENT, "run: the model is null");
  dlc_status status = check_pointers("input", dlc_input_count, inputs);
  return status != DLC_OK ? status : check_pointers("output", dlc_output_count, (const void *const *)outputs);
}

static dlc_status run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                      void *const *outputs) {
  dlc_status status = check_run(model, inputs, outputs);
  return status != DLC_OK ? status : dlc_model_run(model, stream, workspace, inputs, outputs);
}

static int32_t variant(const dlc_model *model) { return model ? dlc_model_variant(model) : 0; }
static uint32_t step_count(const dlc_model *model) { return model ? dlc_model_step_count(model) : 0; }

static dlc_status run_steps(dlc_model *model, uint32_t first, uint32_t end, void *stream, void *workspace,
                            const void *const *inputs, void *const *outputs) {
  dlc_status status = check_run(model, inputs, outputs);
  if (status != DLC_OK) return status;
  uint32_t count = dlc_model_step_count(model);
  if (first > end || end > count)
    return dlc_fail(DLC_INVALID_ARGUMENT, "run_steps: there are no steps %u to %u; a run has %u", (unsigned)first,
                    (unsigned)end, (unsigned)count);
  return dlc_model_run_steps(model, first, end, stream, workspace, inputs, outputs);
}

static dlc_status run_host(dlc_model *model, const void *const *inputs, void *const *outputs) {
  dlc_status status = check_run(model, inputs, outputs);
  return status != DLC_OK ? status : dlc_model_run_host(model, inputs, outputs);
}

static dlc_status set_threads(dlc_model *model, int32_t threads) {
  if (!model) return dlc_fail(DLC_INVALID_ARGUMENT, "set_threads: the model is null");
  if (threads < 0) return dlc_fail(DLC_INVALID_ARGUMENT, "set_threads: %d is no number of threads", (int)threads);
  return dlc_model_set_threads(model, threads);
}

__attribute__((visibility("default"))) const dlc_api *dlc_entry(void) {
  static dlc_api api = {
      .abi_version = DLC_ABI_VERSION,
      .inputs = dlc_inputs,
      .outputs = dlc_outputs,
      .create = create,
      .workspace_bytes = dlc_model_workspace_bytes,
      .run = run,
      .run_host = run_host,
      .destroy = destroy,
      .message = last_message,
      .set_threads = set_threads,
      .variant = variant,
      .step_count = step_count,
      .run_steps = run_steps,
      .libraries = dlc_libraries,
      .set_library = dlc_libraries_set,
  };
  api.target = dlc_artifact_target; /* no constant expressions in C99 */
  api.input_count = dlc_input_count;
  api.output_count = dlc_output_count;
  api.library_count = dlc_library_count;
  return &api;
}
