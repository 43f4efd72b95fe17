/* Graphs of operations by cuDNN, as a host program calls it (docs/libraries.md, "cuDNN").
 *
 * A call is described to the backend of cuDNN: tensors, then operations, then their graph. Its heuristics say which
 * configurations of its engines compute the graph; the first ones that keep our rules are the algorithms of the call.
 * Enumerations are numbers, types as wide as the library's, so that compiling needs no CUDA toolkit; names are those of
 * NVIDIA's "cuDNN backend API".
 */
#include <stdlib.h>

enum {
  CUDNN_DESCRIPTOR_POINTWISE = 0,
  CUDNN_DESCRIPTOR_CONVOLUTION = 1,
  CUDNN_DESCRIPTOR_ENGINE = 2,
  CUDNN_DESCRIPTOR_ENGINECFG = 3,
  CUDNN_DESCRIPTOR_ENGINEHEUR = 4,
  CUDNN_DESCRIPTOR_EXECUTION_PLAN = 5,
  CUDNN_DESCRIPTOR_OPERATION_CONVOLUTION_FORWARD = 10,
  CUDNN_DESCRIPTOR_OPERATION_POINTWISE = 13,
  CUDNN_DESCRIPTOR_OPERATIONGRAPH = 15,
  CUDNN_DESCRIPTOR_VARIANT_PACK = 16,
  CUDNN_DESCRIPTOR_TENSOR = 17,
  CUDNN_DESCRIPTOR_RESAMPLE = 24,
  CUDNN_DESCRIPTOR_OPERATION_RESAMPLE_FWD = 25,
  CUDNN_DESCRIPTOR_OPERATION_NORM_FORWARD = 29,
  CUDNN_DESCRIPTOR_OPERATION_SDPA_FWD = 41,
  CUDNN_TYPE_HANDLE = 0,
  CUDNN_TYPE_DATA_TYPE = 1,
  CUDNN_TYPE_BOOLEAN = 2,
  CUDNN_TYPE_INT64 = 3,
  CUDNN_TYPE_FLOAT = 4,
  CUDNN_TYPE_VOID_PTR = 6,
  CUDNN_TYPE_CONVOLUTION_MODE = 7,
  CUDNN_TYPE_HEUR_MODE = 8,
  CUDNN_TYPE_NAN_PROPOGATION = 10,
  CUDNN_TYPE_NUMERICAL_NOTE = 11,
  CUDNN_TYPE_POINTWISE_MODE = 14,
  CUDNN_TYPE_BACKEND_DESCRIPTOR = 15,
  CUDNN_TYPE_RESAMPLE_MODE = 21,
  CUDNN_TYPE_PADDING_MODE = 22,
  CUDNN_TYPE_NORM_MODE = 27,
  CUDNN_TYPE_NORM_FWD_PHASE = 28,
  CUDNN_ATTR_POINTWISE_MODE = 0,
  CUDNN_ATTR_POINTWISE_MATH_PREC = 1,
  CUDNN_ATTR_CONVOLUTION_COMP_TYPE = 100,
  CUDNN_ATTR_CONVOLUTION_CONV_MODE = 101,
  CUDNN_ATTR_CONVOLUTION_DILATIONS = 102,
  CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES = 103,
  CUDNN_ATTR_CONVOLUTION_POST_PADDINGS = 104,
  CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS = 105,
  CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS = 106,
  CUDNN_ATTR_ENGINEHEUR_MODE = 200,
  CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
  CUDNN_ATTR_ENGINEHEUR_RESULTS = 202,
  CUDNN_ATTR_ENGINECFG_ENGINE = 300,
  CUDNN_ATTR_EXECUTION_PLAN_HANDLE = 400,
  CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
  CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA = 700,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA = 701,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC = 702,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W = 703,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X = 704,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y = 705,
  CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR = 750,
  CUDNN_ATTR_OPERATION_POINTWISE_XDESC = 751,
  CUDNN_ATTR_OPERATION_POINTWISE_BDESC = 752,
  CUDNN_ATTR_OPERATION_POINTWISE_YDESC = 753,
  CUDNN_ATTR_OPERATIONGRAPH_HANDLE = 800,
  CUDNN_ATTR_OPERATIONGRAPH_OPS = 801,
  CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT = 900,
  CUDNN_ATTR_TENSOR_DATA_TYPE = 901,
  CUDNN_ATTR_TENSOR_DIMENSIONS = 902,
  CUDNN_ATTR_TENSOR_STRIDES = 903,
  CUDNN_ATTR_TENSOR_UNIQUE_ID = 906,
  CUDNN_ATTR_TENSOR_IS_VIRTUAL = 907,
  CUDNN_ATTR_TENSOR_IS_BY_VALUE = 908,
  CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS = 1000,
  CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS = 1001,
  CUDNN_ATTR_VARIANT_PACK_WORKSPACE = 1003,
  CUDNN_ATTR_ENGINE_NUMERICAL_NOTE = 1303,
  CUDNN_ATTR_RESAMPLE_MODE = 1700,
  CUDNN_ATTR_RESAMPLE_COMP_TYPE = 1701,
  CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS = 1702,
  CUDNN_ATTR_RESAMPLE_POST_PADDINGS = 1703,
  CUDNN_ATTR_RESAMPLE_PRE_PADDINGS = 1704,
  CUDNN_ATTR_RESAMPLE_STRIDES = 1705,
  CUDNN_ATTR_RESAMPLE_WINDOW_DIMS = 1706,
  CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION = 1707,
  CUDNN_ATTR_RESAMPLE_PADDING_MODE = 1708,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC = 1710,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC = 1711,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC = 1716,
  CUDNN_ATTR_OPERATION_NORM_FWD_MODE = 2000,
  CUDNN_ATTR_OPERATION_NORM_FWD_PHASE = 2001,
  CUDNN_ATTR_OPERATION_NORM_FWD_XDESC = 2002,
  CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC = 2005,
  CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC = 2006,
  CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC = 2007,
  CUDNN_ATTR_OPERATION_NORM_FWD_YDESC = 2013,
  CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC = 2800,
  CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC = 2801,
  CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC = 2802,
  CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC = 2803,
  CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC = 2805,
  CUDNN_NUMERICAL_NOTE_TENSOR_CORE = 0,
  CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS = 1,
  CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13 = 8,
  CUDNN_NUMERICAL_NOTES = 32,
  CUDNN_HEUR_MODE_FALLBACK = 2,
  CUDNN_HEUR_MODE_A = 3,
  CUDNN_DATA_FLOAT = 0,
  CUDNN_CROSS_CORRELATION = 1,
  CUDNN_PROPAGATE_NAN = 1,
  CUDNN_RESAMPLE_MAXPOOL = 3,
  CUDNN_ZERO_PAD = 0,
  CUDNN_NEG_INF_PAD = 1,
  CUDNN_NORM_FWD_INFERENCE = 0,
  CUDNN_BUFFER_ALIGNMENT = 16,
  CUDNN_NUMBER_ALIGNMENT = 4,
  CUDNN_MOST_AXES = 5,
  CUDNN_MOST_INPUTS = 4,
  CUDNN_MOST_ANSWERS = 64
};

/* Where the elements of a tensor are. */
typedef enum cudnn_place { CUDNN_IN_BUFFER, CUDNN_BETWEEN, CUDNN_NUMBER } cudnn_place;

/* What an operation is. */
typedef enum cudnn_kind {
  CUDNN_CONVOLUTION,
  CUDNN_POINTWISE,
  CUDNN_ATTENTION,
  CUDNN_NORMALIZATION,
  CUDNN_POOLING
} cudnn_kind;

/* sizes and strides: of its axes in the order of the library, in elements. buffer: the number of its buffer. number: the
 * only element of a tensor that has no place in memory. */
typedef struct cudnn_tensor {
  cudnn_place place;
  uint32_t buffer;
  int32_t type;
  float number;
  int64_t rank, sizes[CUDNN_MOST_AXES], strides[CUDNN_MOST_AXES];
} cudnn_tensor;

/* inputs, output: numbers of tensors. mode: of a pointwise operation, a normalisation or a pooling. strides and the rest:
 * of a convolution or a pooling, for each of its window's axes; taps: of a pooling, whose window is no tensor. */
typedef struct cudnn_operation {
  cudnn_kind kind;
  int32_t mode;
  uint32_t input_count, inputs[CUDNN_MOST_INPUTS], output;
  int64_t axes, strides[CUDNN_MOST_AXES], begins[CUDNN_MOST_AXES], ends[CUDNN_MOST_AXES], dilations[CUDNN_MOST_AXES];
  int64_t taps[CUDNN_MOST_AXES];
} cudnn_operation;

/* is_full: whether products are those of all bits of f32. workspace: the most bytes of scratch. */
typedef struct cudnn_call {
  int32_t is_full;
  uint64_t workspace;
  uint32_t tensor_count, operation_count;
  const cudnn_tensor *tensors;
  const cudnn_operation *operations;
} cudnn_call;

/* made: all descriptors, which are destroyed in the end. tensors, operations, configurations, plans: some of `made`.
 * asked: in how many modes the heuristics were asked. configurations: what they said last, of which `looked` became plans
 * or not. plans: of the algorithms so far; plan: that which runs. */
typedef struct cudnn_state {
  void *handle, *graph, *plan;
  void **made, **tensors, **operations;
  void *configurations[CUDNN_MOST_ANSWERS], *plans[2 * CUDNN_MOST_ANSWERS];
  uint32_t made_count;
  int64_t found, looked;
  int32_t asked, plan_count;
} cudnn_state;

static const char *cudnn_message(int status) { return status ? cudnnGetErrorString(status) : NULL; }

/* Describing. --------------------------------------------------------------------------------------------- */

static int cudnn_create(cudnn_state *s, int type, void **made) {
  int status = cudnnBackendCreateDescriptor(type, made);
  if (!status) s->made[s->made_count++] = *made;
  return status;
}

/* Set an attribute unless something has failed before. */
static void cudnn_set(int *status, void *descriptor, int attribute, int type, int64_t count, const void *values) {
  if (!*status) *status = cudnnBackendSetAttribute(descriptor, attribute, type, count, values);
}

static void cudnn_finalize(int *status, void *descriptor) {
  if (!*status) *status = cudnnBackendFinalize(descriptor);
}

static int cudnn_describe_tensor(cudnn_state *s, const cudnn_tensor *t, int64_t number) {
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_TENSOR, &s->tensors[number]);
  void *made = s->tensors[number];
  const int64_t alignment = t->place == CUDNN_IN_BUFFER ? CUDNN_BUFFER_ALIGNMENT : CUDNN_NUMBER_ALIGNMENT;
  const char is_between = t->place == CUDNN_BETWEEN, is_number = t->place == CUDNN_NUMBER;
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &t->type);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, t->rank, t->sizes);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, t->rank, t->strides);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_between);
  cudnn_set(&status, made, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &is_number);
  cudnn_finalize(&status, made);
  return status;
}

static void cudnn_set_descriptor(int *status, void *descriptor, int attribute, void *value) {
  cudnn_set(status, descriptor, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static int cudnn_describe_convolution(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT, mode = CUDNN_CROSS_CORRELATION;
  static const float one = 1, zero = 0;
  void *window = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_CONVOLUTION, &window);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &o->axes);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, o->axes, o->strides);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->begins);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->ends);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, o->axes, o->dilations);
  cudnn_finalize(&status, window);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_CONVOLUTION_FORWARD, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, window);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, s->tensors[o->inputs[0]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, s->tensors[o->inputs[1]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, s->tensors[o->output]);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &one);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &zero);
  return status;
}

static int cudnn_describe_pointwise(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT;
  void *function = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_POINTWISE, &function);
  cudnn_set(&status, function, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &o->mode);
  cudnn_set(&status, function, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_finalize(&status, function);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_POINTWISE, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, function);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, s->tensors[o->inputs[0]]);
  if (o->input_count > 1)
    cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, s->tensors[o->inputs[1]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, s->tensors[o->output]);
  return status;
}

static int cudnn_describe_attention(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int attributes[] = {CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
                                   CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC};
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_SDPA_FWD, made);
  for (uint32_t i = 0; i < o->input_count; i++)
    cudnn_set_descriptor(&status, *made, attributes[i], s->tensors[o->inputs[i]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, s->tensors[o->output]);
  return status;
}

static int cudnn_describe_normalization(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t phase = CUDNN_NORM_FWD_INFERENCE;
  static const int attributes[] = {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
                                   CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC};
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_NORM_FORWARD, made);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, 1, &o->mode);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, 1, &phase);
  for (uint32_t i = 0; i < o->input_count; i++)
    cudnn_set_descriptor(&status, *made, attributes[i], s->tensors[o->inputs[i]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, s->tensors[o->output]);
  return status;
}

static int cudnn_describe_pooling(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT, nan = CUDNN_PROPAGATE_NAN;
  const int32_t padding = o->mode == CUDNN_RESAMPLE_MAXPOOL ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD;
  void *window = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_RESAMPLE, &window);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, 1, &o->mode);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1, &nan);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, 1, &padding);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &o->axes);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_INT64, o->axes, o->taps);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_INT64, o->axes, o->strides);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->begins);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->ends);
  cudnn_finalize(&status, window);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_RESAMPLE_FWD, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, window);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, s->tensors[o->inputs[0]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, s->tensors[o->output]);
  return status;
}

static int cudnn_describe_operation(cudnn_state *s, const cudnn_operation *o, void **made) {
  int (*const describe[])(cudnn_state *, const cudnn_operation *, void **) = {
      cudnn_describe_convolution, cudnn_describe_pointwise, cudnn_describe_attention, cudnn_describe_normalization,
      cudnn_describe_pooling};
  int status = describe[o->kind](s, o, made);
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

/* Whether a note says that an engine does not compute as our kernels do: in the given precision, by the sum itself, the
 * same bits each time. Tensor cores round f32 to tf32. */
static int cudnn_breaks_rules(const cudnn_call *c, int32_t note) {
  if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE) return c->is_full;
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

/* Return a state with room for all that a call makes. */
static cudnn_state *cudnn_new(const cudnn_call *c, void *handle) {
  cudnn_state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->handle = handle;
  s->made = calloc(c->tensor_count + 2 * c->operation_count + 1 + 2 * (3 * CUDNN_MOST_ANSWERS + 1), sizeof *s->made);
  s->tensors = calloc(c->tensor_count, sizeof *s->tensors);
  s->operations = calloc(c->operation_count, sizeof *s->operations);
  if (s->made && s->tensors && s->operations) return s;
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
