/* Graphs of operations by cuDNN, as a host program calls it (docs/libraries.md, "cuDNN").
 *
 * A call is described to the backend of cuDNN: tensors, then operations, then their graph. Its heuristics say which
 * configurations of its engines compute the graph; the first ones that keep our rules are the algorithms of the call.
 * Enumerations are numbers, types as wide as the library's, so that compiling needs no CUDA toolkit; names are those of
 * NVIDIA's "cuDNN backend API".
 */

/* cudnn_describe_kind: by what an operation is, the function that describes it. */
static int cudnn_describe_operation(cudnn_state *s, const cudnn_operation *o, void **made) {
  int status = cudnn_describe_kind[o->kind](s, o, made);
  cudnn_finalize(&status, *made);
  return status;
}

/* Describe the graph of a call. */
static int cudnn_describe(const cudnn_call *c, cudnn_state *s) {
  int status = 0;
  for (uint32_t i = 0; !status && i < c->tensor_count; i++) status = cudnn_describe_tensor(s, &c->tensors[i], i);
  for (uint32_t i = 0; !status && i < c->operation_count; i++)
    status = cudnn_describe_operation(s, &c->operations[i], &s->operations[i]);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATIONGRAPH, &s->graph);
  cudnn_set(&status, s->graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, c->operation_count,
            s->operations);
  cudnn_set(&status, s->graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->handle);
  cudnn_finalize(&status, s->graph);
  return status;
}

/* Choosing. ----------------------------------------------------------------------------------------------- */

/* Whether a note says that an engine does not compute as our kernels do: in the given precision, the same bits each time,
 * by the sum itself. Tensor cores round f32 to tf32. A Fourier transform in f32 is no less exact than the sum. */
static int cudnn_breaks_rules(const cudnn_call *c, int32_t note) {
  if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE) return c->is_full;
  if (note == CUDNN_NUMERICAL_NOTE_FFT) return !c->is_full;
  return note >= CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS && note <= CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13;
}

static int cudnn_keeps_rules(const cudnn_call *c, cudnn_state *s, void *configuration) {
  int32_t notes[CUDNN_NUMERICAL_NOTES];
  int64_t count = 0;
  void *engine = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_ENGINE, &engine);
  if (!status)
    status = cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                      &count, &engine);
  if (!status)
    status = cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                      CUDNN_NUMERICAL_NOTES, &count, notes);
  for (int64_t i = 0; !status && i < count && i < CUDNN_NUMERICAL_NOTES; i++)
    if (cudnn_breaks_rules(c, notes[i])) return 0;
  return !status;
}

/* Return whether a configuration becomes a plan that has scratch enough. */
static int cudnn_plan(const cudnn_call *c, cudnn_state *s, void *configuration, void **plan) {
  int64_t bytes = 0, count = 0;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_EXECUTION_PLAN, plan);
  cudnn_set(&status, *plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->handle);
  cudnn_set_descriptor(&status, *plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  cudnn_finalize(&status, *plan);
  if (!status)
    status = cudnnBackendGetAttribute(*plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                                      &bytes);
  return !status && (uint64_t)bytes <= c->workspace;
}

/* Ask the heuristics for configurations in another mode, the best first. */
static int cudnn_ask(cudnn_state *s, int32_t mode) {
  void *heuristics = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_ENGINEHEUR, &heuristics);
  cudnn_set_descriptor(&status, heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, s->graph);
  cudnn_set(&status, heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  cudnn_finalize(&status, heuristics);
  for (int i = 0; !status && i < CUDNN_MOST_ANSWERS; i++)
    status = cudnn_create(s, CUDNN_DESCRIPTOR_ENGINECFG, &s->configurations[i]);
  s->asked++;
  s->looked = s->found = 0;
  if (!status)
    status = cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                      CUDNN_MOST_ANSWERS, &s->found, s->configurations);
  if (s->found > CUDNN_MOST_ANSWERS) s->found = CUDNN_MOST_ANSWERS;
  return status;
}

/* Go on by one configuration: one that keeps our rules becomes a plan. Of f32 the best ones may all be for tensor cores;
 * others are what it falls back to. */
static int cudnn_look(const cudnn_call *c, cudnn_state *s, int *is_more) {
  static const int32_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK};
  void *plan = NULL;
  if (s->looked == s->found) {
    *is_more = s->asked < (c->is_full ? 2 : 1);
    return *is_more ? cudnn_ask(s, modes[s->asked]) : 0;
  }
  void *configuration = s->configurations[s->looked++];
  if (cudnn_keeps_rules(c, s, configuration) && cudnn_plan(c, s, configuration, &plan)) s->plans[s->plan_count++] = plan;
  return 0;
}

/* Take the plan of an algorithm. */
static const char *cudnn_choose(const cudnn_call *c, int32_t algorithm, cudnn_state *s) {
  int status = 0, is_more = 1;
  while (!status && is_more && s->plan_count <= algorithm) status = cudnn_look(c, s, &is_more);
  if (status) return cudnn_message(status);
  if (s->plan_count <= algorithm) return "it has no algorithm";
  s->plan = s->plans[algorithm];
  return NULL;
}

/* What the host program calls. ---------------------------------------------------------------------------- */

static void cudnn_release(void *state) {
  cudnn_state *s = state;
  while (s->made_count) cudnnBackendDestroyDescriptor(s->made[--s->made_count]);
  free(s->made);
  free(s->tensors);
  free(s->operations);
  free(s);
}

/* Return a state with room for the tensors and operations of a call. */
static cudnn_state *cudnn_new(const cudnn_call *c, void *handle) {
  cudnn_state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->handle = handle;
  s->tensors = calloc(c->tensor_count, sizeof *s->tensors);
  s->operations = calloc(c->operation_count, sizeof *s->operations);
  if (s->tensors && s->operations) return s;
  cudnn_release(s);
  return NULL;
}

static const char *cudnn_prepare(const void *given, int32_t algorithm, void **shared, void **state) {
  const cudnn_call *c = given;
  if (*state) return cudnn_choose(c, algorithm, *state);
  if (!*shared && cudnnCreate(shared)) return *shared = NULL, "it gives no handle for this GPU";
  cudnn_state *s = cudnn_new(c, *shared);
  if (!s) return "out of memory";
  const char *message = cudnn_message(cudnn_describe(c, s));
  if (!message) message = cudnn_choose(c, algorithm, s);
  if (message) cudnn_release(s);
  else *state = s;
  return message;
}

/* Say where the tensors of a call are. */
static int cudnn_pack(const cudnn_call *c, void *const *buffers, void *workspace, void *pack) {
  int64_t numbers[c->tensor_count], count = 0;
  const void *addresses[c->tensor_count];
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const cudnn_tensor *t = &c->tensors[i];
    if (t->place == CUDNN_BETWEEN) continue;
    addresses[count] = t->place == CUDNN_NUMBER ? (const void *)&t->number : buffers[t->buffer];
    numbers[count++] = i;
  }
  int status = 0;
  cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, numbers);
  cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, addresses);
  cudnn_set(&status, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  cudnn_finalize(&status, pack);
  return status;
}

static const char *cudnn_enqueue(const void *given, void *state, void *stream, void *const *buffers, void *workspace) {
  const cudnn_state *s = state;
  void *pack = NULL;
  int status = cudnnBackendCreateDescriptor(CUDNN_DESCRIPTOR_VARIANT_PACK, &pack);
  if (status) return cudnn_message(status);
  status = cudnn_pack(given, buffers, workspace, pack);
  if (!status) status = cudnnSetStream(s->handle, stream);
  if (!status) status = cudnnBackendExecute(s->handle, s->plan, pack);
  cudnnBackendDestroyDescriptor(pack);
  return cudnn_message(status);
}

static void cudnn_close(void *shared) { cudnnDestroy(shared); }
