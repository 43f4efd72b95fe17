/* Products of matrices by cuBLASLt, as a host program calls it (docs/libraries.md, "cuBLASLt").
 *
 * Matrices are column-major, as the library has them. Enumerations are numbers, types as wide as the library's, so
 * that compiling needs no CUDA toolkit; names are those of NVIDIA's "cuBLAS" manual.
 */
#include <stdlib.h>

enum {
  CUBLASLT_MOST_ALGORITHMS = 8,
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUDA_R_64F = 1,
  CUDA_R_32I = 10
};

/* cublasLtMatmulAlgo_t, cublasLtMatmulHeuristicResult_t. */
typedef struct cublaslt_algorithm {
  uint64_t data[8];
} cublaslt_algorithm;

typedef struct cublaslt_answer {
  cublaslt_algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} cublaslt_answer;

/* start: of the first product in its buffer, in bytes. step: from a product to the next, in elements. alignment: of all
 * starts, in bytes. */
typedef struct cublaslt_matrix {
  uint32_t buffer, alignment;
  int32_t type, turned;
  uint64_t rows, columns, start;
  int64_t pitch, step;
} cublaslt_matrix;

/* d = a * b, then the epilogue. scale: the type of the factor of the product, which is 1. bias: the number of its buffer. */
typedef struct cublaslt_call {
  int32_t compute, scale, epilogue, products;
  uint32_t bias;
  uint64_t workspace;
  cublaslt_matrix a, b, d;
} cublaslt_call;

typedef struct cublaslt_state {
  void *handle, *operation, *a, *b, *d;
  cublaslt_answer answer;
} cublaslt_state;

static const char *cublaslt_message(int status) { return status ? cublasLtGetStatusString(status) : NULL; }

static int cublaslt_layout(void **layout, const cublaslt_matrix *m, int32_t products) {
  int status = cublasLtMatrixLayoutCreate(layout, m->type, m->rows, m->columns, m->pitch);
  if (!status)
    status = cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &products, sizeof products);
  if (!status)
    status = cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->step,
                                              sizeof m->step);
  return status;
}

static int cublaslt_describe(const cublaslt_call *c, cublaslt_state *s) {
  int status = cublasLtMatmulDescCreate(&s->operation, c->compute, c->scale);
  if (!status)
    status = cublasLtMatmulDescSetAttribute(s->operation, CUBLASLT_MATMUL_DESC_TRANSA, &c->a.turned, sizeof(int32_t));
  if (!status)
    status = cublasLtMatmulDescSetAttribute(s->operation, CUBLASLT_MATMUL_DESC_TRANSB, &c->b.turned, sizeof(int32_t));
  if (!status)
    status = cublasLtMatmulDescSetAttribute(s->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &c->epilogue, sizeof(int32_t));
  if (!status) status = cublaslt_layout(&s->a, &c->a, c->products);
  if (!status) status = cublaslt_layout(&s->b, &c->b, c->products);
  if (!status) status = cublaslt_layout(&s->d, &c->d, c->products);
  return status;
}

static int cublaslt_prefer(const cublaslt_call *c, void *preference) {
  const struct {
    int attribute;
    uint32_t bytes;
  } alignments[] = {{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, c->a.alignment},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, c->b.alignment},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c->d.alignment},
                    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, c->d.alignment}};
  int status = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &c->workspace, sizeof c->workspace);
  for (int i = 0; !status && i < 4; i++)
    status = cublasLtMatmulPreferenceSetAttribute(preference, alignments[i].attribute, &alignments[i].bytes,
                                                  sizeof(uint32_t));
  return status;
}

/* Ask the library for algorithms, and take one of them. */
static const char *cublaslt_choose(const cublaslt_call *c, int32_t algorithm, cublaslt_state *s) {
  cublaslt_answer answers[CUBLASLT_MOST_ALGORITHMS];
  void *preference = NULL;
  int found = 0, status = cublasLtMatmulPreferenceCreate(&preference);
  if (!status) status = cublaslt_prefer(c, preference);
  if (!status)
    status = cublasLtMatmulAlgoGetHeuristic(s->handle, s->operation, s->a, s->b, s->d, s->d, preference,
                                            algorithm + 1, answers, &found);
  if (preference) cublasLtMatmulPreferenceDestroy(preference);
  if (status && status != CUBLAS_STATUS_NOT_SUPPORTED) return cublaslt_message(status);
  if (status || found <= algorithm || answers[algorithm].state) return "it has no algorithm";
  s->answer = answers[algorithm];
  return NULL;
}

static void cublaslt_release(void *state) {
  cublaslt_state *s = state;
  void *layouts[] = {s->a, s->b, s->d};
  for (int i = 0; i < 3; i++)
    if (layouts[i]) cublasLtMatrixLayoutDestroy(layouts[i]);
  if (s->operation) cublasLtMatmulDescDestroy(s->operation);
  free(s);
}

static const char *cublaslt_prepare(const void *given, int32_t algorithm, void **shared, void **state) {
  const cublaslt_call *c = given;
  if (*state) return cublaslt_choose(c, algorithm, *state);
  if (!*shared && cublasLtCreate(shared)) return *shared = NULL, "it gives no handle for this GPU";
  cublaslt_state *s = calloc(1, sizeof *s);
  if (!s) return "out of memory";
  s->handle = *shared;
  const char *message = cublaslt_message(cublaslt_describe(c, s));
  if (!message) message = cublaslt_choose(c, algorithm, s);
  if (message) cublaslt_release(s);
  else *state = s;
  return message;
}

static const char *cublaslt_enqueue(const void *given, void *state, void *stream, void *const *buffers,
                                    void *workspace) {
  static const float one = 1;
  static const int32_t one_integer = 1;
  static const double one_double = 1, zero = 0; /* whose bytes are a zero of every type */
  const cublaslt_call *c = given;
  const cublaslt_state *s = state;
  const void *alpha = c->scale == CUDA_R_64F ? (const void *)&one_double
                      : c->scale == CUDA_R_32I ? (const void *)&one_integer
                                               : (const void *)&one;
  if (c->epilogue & CUBLASLT_EPILOGUE_BIAS) {
    int status = cublasLtMatmulDescSetAttribute(s->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &buffers[c->bias],
                                                sizeof(void *));
    if (status) return cublaslt_message(status);
  }
  char *d = (char *)buffers[c->d.buffer] + c->d.start;
  return cublaslt_message(cublasLtMatmul(s->handle, s->operation, alpha, (char *)buffers[c->a.buffer] + c->a.start, s->a,
                                         (char *)buffers[c->b.buffer] + c->b.start, s->b, &zero, d, s->d, d, s->d,
                                         &s->answer.algorithm, workspace, s->answer.workspace, stream));
}

static void cublaslt_close(void *shared) { cublasLtDestroy(shared); }
