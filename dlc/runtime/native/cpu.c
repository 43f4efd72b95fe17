/* A model of a CPU artifact. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu_program.h"
#include "threads.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct dlc_model {
  unsigned char *weights;
  unsigned char *workspace; /* made at the first run that brings none */
  int32_t threads;          /* of a run; 0: dlc_usual_threads */
  dlc_teams teams;
};

const uint32_t dlc_artifact_target = DLC_CPU;
const size_t dlc_model_bytes = sizeof(dlc_model);

/* Set in a process that was forked after this library was opened. The threads of teams are none of it, and another
 * thread may have held their lock. */
static int is_forked;

static void note_fork(void) { is_forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

/* Memory at a page, a large one where the bytes fill some: fewer misses of the address cache. */
static dlc_status take_memory(uint64_t bytes, const char *what, unsigned char **memory) {
  size_t alignment = bytes < HUGE_PAGE_BYTES ? 4096 : HUGE_PAGE_BYTES;
  size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
  *memory = aligned_alloc(alignment, whole);
  if (!*memory) return dlc_fail(DLC_OUT_OF_MEMORY, "cannot allocate %zu bytes for %s", whole, what);
  if (alignment == HUGE_PAGE_BYTES) madvise(*memory, whole, MADV_HUGEPAGE); /* a hint */
  return DLC_OK;
}

static dlc_status read_weights(dlc_model *model, const char *path, const char *weights_path) {
  dlc_payload payload;
  dlc_status status = dlc_payload_open(path, weights_path, &payload);
  if (status != DLC_OK) return status;
  const dlc_segment *weights = &payload.weights;
  if (weights->bytes) {
    status = take_memory(weights->bytes, "weights", &model->weights);
    if (status == DLC_OK) status = dlc_segment_read(weights, 0, weights->bytes, model->weights);
  }
  dlc_status unchanged = dlc_payload_close(&payload);
  return status == DLC_OK ? unchanged : status;
}

dlc_status dlc_model_open(dlc_model *model, const char *path, const char *weights_path, int32_t device) {
  (void)device;
  const char *missing = dlc_missing_feature();
  if (missing)
    return dlc_fail(DLC_UNSUPPORTED, "the model was compiled for processors with %s, this one has none; compile it again with --target cpu",
                    missing);
  pthread_mutex_init(&model->teams.lock, NULL);
  return read_weights(model, path, weights_path);
}

uint64_t dlc_model_workspace_bytes(const dlc_model *model) {
  (void)model;
  return dlc_program.workspace_bytes;
}

dlc_status dlc_model_set_threads(dlc_model *model, int32_t threads) {
  model->threads = threads;
  if (!is_forked) dlc_teams_end(&model->teams); /* those of before */
  return DLC_OK;
}

/* A team for a run, NULL for the calling thread alone. */
static dlc_team *take_team(dlc_model *model) {
  if (is_forked) return NULL;
  int32_t threads = model->threads ? model->threads : dlc_usual_threads();
  return threads == 1 ? NULL : dlc_teams_take(&model->teams, threads);
}

static void launch(const dlc_launch *what, const dlc_places *places) {
  void *operands[what->operand_count + 1]; /* C has no empty arrays */
  for (uint32_t i = 0; i < what->operand_count; i++)
    operands[i] = (void *)dlc_resolve(places, dlc_program.operands[what->first_operand + i]);
  dlc_kernels[what->kernel](operands);
}

static void make_copy(const dlc_copy *copy, const dlc_places *places) {
  memcpy((void *)dlc_resolve(places, copy->target), (void *)dlc_resolve(places, copy->source), copy->bytes);
}

static void do_step(uint32_t i, const dlc_places *places) {
  if (i < dlc_program.launch_count)
    launch(&dlc_program.launches[i], places);
  else
    make_copy(&dlc_program.copies[i - dlc_program.launch_count], places);
}

int32_t dlc_model_variant(const dlc_model *model) {
  (void)model;
  return 0;
}

uint32_t dlc_model_step_count(const dlc_model *model) {
  (void)model;
  return dlc_program.launch_count + dlc_program.copy_count;
}

dlc_status dlc_model_run_steps(dlc_model *model, uint32_t first, uint32_t end, void *stream, void *workspace,
                               const void *const *inputs, void *const *outputs) {
  (void)stream;
  if (!workspace && !model->workspace && dlc_program.workspace_bytes) {
    dlc_status status = take_memory(dlc_program.workspace_bytes, "intermediate values", &model->workspace);
    if (status != DLC_OK) return status;
  }
  if (!workspace) workspace = model->workspace;
  dlc_places places = {inputs, outputs, (uintptr_t)model->weights, (uintptr_t)workspace};
  dlc_team *team = take_team(model), *before = dlc_team_use(team);
  for (uint32_t i = first; i < end; i++) do_step(i, &places);
  dlc_team_use(before);
  dlc_teams_give(&model->teams, team);
  return DLC_OK;
}

dlc_status dlc_model_run(dlc_model *model, void *stream, void *workspace, const void *const *inputs,
                         void *const *outputs) {
  return dlc_model_run_steps(model, 0, dlc_model_step_count(model), stream, workspace, inputs, outputs);
}

dlc_status dlc_model_run_host(dlc_model *model, const void *const *inputs, void *const *outputs) {
  return dlc_model_run(model, NULL, NULL, inputs, outputs);
}

void dlc_model_close(dlc_model *model) {
  if (!is_forked) dlc_teams_end(&model->teams);
  free(model->weights);
  free(model->workspace);
}
