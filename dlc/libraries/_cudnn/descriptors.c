/* Descriptors of tensors, and what the descriptors of operations are made by. cudnn_kind says what an operation is. */
#include <stdlib.h>

enum {
  CUDNN_DESCRIPTOR_ENGINE = 2,
  CUDNN_DESCRIPTOR_ENGINECFG = 3,
  CUDNN_DESCRIPTOR_ENGINEHEUR = 4,
  CUDNN_DESCRIPTOR_EXECUTION_PLAN = 5,
  CUDNN_DESCRIPTOR_OPERATIONGRAPH = 15,
  CUDNN_DESCRIPTOR_VARIANT_PACK = 16,
  CUDNN_DESCRIPTOR_TENSOR = 17,
  CUDNN_TYPE_HANDLE = 0,
  CUDNN_TYPE_DATA_TYPE = 1,
  CUDNN_TYPE_BOOLEAN = 2,
  CUDNN_TYPE_INT64 = 3,
  CUDNN_TYPE_FLOAT = 4,
  CUDNN_TYPE_VOID_PTR = 6,
  CUDNN_TYPE_HEUR_MODE = 8,
  CUDNN_TYPE_NUMERICAL_NOTE = 11,
  CUDNN_TYPE_BACKEND_DESCRIPTOR = 15,
  CUDNN_ATTR_ENGINEHEUR_MODE = 200,
  CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
  CUDNN_ATTR_ENGINEHEUR_RESULTS = 202,
  CUDNN_ATTR_ENGINECFG_ENGINE = 300,
  CUDNN_ATTR_EXECUTION_PLAN_HANDLE = 400,
  CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
  CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
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
  CUDNN_NUMERICAL_NOTE_TENSOR_CORE = 0,
  CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS = 1,
  CUDNN_NUMERICAL_NOTE_FFT = 3,
  CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13 = 8,
  CUDNN_NUMERICAL_NOTES = 32,
  CUDNN_HEUR_MODE_FALLBACK = 2,
  CUDNN_HEUR_MODE_A = 3,
  CUDNN_DATA_FLOAT = 0,
  CUDNN_BUFFER_ALIGNMENT = 16,
  CUDNN_NUMBER_ALIGNMENT = 4,
  CUDNN_MOST_AXES = 5,
  CUDNN_MOST_INPUTS = 4,
  CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
  CUDNN_MOST_ANSWERS = 64
};

/* Where the elements of a tensor are. */
typedef enum cudnn_place { CUDNN_IN_BUFFER, CUDNN_BETWEEN, CUDNN_NUMBER } cudnn_place;

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
  void **room = realloc(s->made, (s->made_count + 1) * sizeof *room);
  if (!room) return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
  s->made = room;
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
