/* What small_cublaslt.py compiles. Enumerations are numbers, as in dlc/libraries/cublaslt.c. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int32_t type, products; uint64_t rows, columns; int64_t pitch, step; } layout;
typedef struct { int compute, scale; int32_t turned[2], epilogue; const void *bias; } operation;
typedef struct { uint64_t workspace; uint32_t alignment[4]; } preference;
typedef struct { uint64_t number, data[7]; } algorithm;
typedef struct { algorithm algo; size_t workspace; int state; float waves; int reserved[4]; } answer;
typedef struct { void *start; size_t bytes; int is_written; } range;
typedef struct { layout a, b, d; operation o; const char *pa, *pb; char *pd, *workspace; } product;

int emulator_launch_host(void *stream, void (*call)(void *), void *data, const range *, size_t);
#if AT_ONCE
int emulator_launch_host(void *stream, void (*call)(void *), void *data, const range *ranges, size_t count) {
  (void)stream, (void)ranges, (void)count;
  return call(data), 0;
}
#endif

enum { OK = 0, NOT_SUPPORTED = 15, WORKSPACE = 1000 };

static void *made(size_t bytes) { void *p = calloc(1, bytes); if (!p) abort(); return p; }

int cublasLtCreate(void **handle) { return HANDLE_STATUS ? HANDLE_STATUS : (*handle = made(1), OK); }
int cublasLtDestroy(void *handle) { free(handle); return OK; }
const char *cublasLtGetStatusString(int status) { return status == 15 ? "not supported" : "an error"; }

int cublasLtMatmulDescCreate(void **made_, int compute, int scale) {
  operation *o = made(sizeof *o);
  *o = (operation){.compute = compute, .scale = scale, .epilogue = 1};
  return *made_ = o, OK;
}
int cublasLtMatmulDescDestroy(void *o) { free(o); return OK; }
int cublasLtMatmulDescSetAttribute(void *o_, int attribute, const void *value, size_t bytes) {
  operation *o = o_;
  if (bytes != (attribute == 8 ? 8 : 4)) abort();
  if (attribute == 3 || attribute == 4) memcpy(&o->turned[attribute - 3], value, 4);
  else if (attribute == 7) memcpy(&o->epilogue, value, 4);
  else if (attribute == 8) memcpy(&o->bias, value, 8);
  else abort();
  return OK;
}

int cublasLtMatrixLayoutCreate(void **made_, int type, uint64_t rows, uint64_t columns, int64_t pitch) {
  layout *l = made(sizeof *l);
  if ((uint64_t)pitch < rows) abort();
  *l = (layout){.type = type, .products = 1, .rows = rows, .columns = columns, .pitch = pitch};
  return *made_ = l, OK;
}
int cublasLtMatrixLayoutDestroy(void *l) { free(l); return OK; }
int cublasLtMatrixLayoutSetAttribute(void *l_, int attribute, const void *value, size_t bytes) {
  layout *l = l_;
  if (attribute == 5 && bytes == 4) memcpy(&l->products, value, 4);
  else if (attribute == 6 && bytes == 8) memcpy(&l->step, value, 8);
  else abort();
  return OK;
}

int cublasLtMatmulPreferenceCreate(void **p) { return *p = made(sizeof(preference)), OK; }
int cublasLtMatmulPreferenceDestroy(void *p) { free(p); return OK; }
int cublasLtMatmulPreferenceSetAttribute(void *p_, int attribute, const void *value, size_t bytes) {
  preference *p = p_;
  if (attribute == 1 && bytes == 8) memcpy(&p->workspace, value, 8);
  else if (attribute >= 5 && attribute <= 8 && bytes == 4) memcpy(&p->alignment[attribute - 5], value, 4);
  else abort();
  return OK;
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *o, void *a, void *b, void *c, void *d_, void *p_,
                                   int most, answer *answers, int *found) {
  const layout *d = d_;
  const preference *p = p_;
  for (int i = 0; i < 4; i++)
    if (!p->alignment[i] || p->alignment[i] > 16) abort();
  if (!handle || !o || !a || !b || c != d_ || p->workspace < WORKSPACE) abort();
  if (d->rows == REFUSED_ROWS) return NOT_SUPPORTED;
  for (*found = 0; *found < most && *found < ALGORITHMS; ++*found)
    answers[*found] = (answer){.algo = {.number = 70 + (uint64_t)*found}, .workspace = WORKSPACE};
  return OK;
}

static double number(const char *at, int type) {
  if (type == 2) { _Float16 x; memcpy(&x, at, 2); return x; }
  if (type == 14) { uint32_t bits = 0; memcpy((char *)&bits + 2, at, 2); float x; memcpy(&x, &bits, 4); return x; }
  if (type == 0) { float x; memcpy(&x, at, 4); return x; }
  if (type == 1) { double x; memcpy(&x, at, 8); return x; }
  if (type == 3) return *(const signed char *)at;
  abort();
}
static int width(int type) { return type == 3 ? 1 : type == 2 || type == 14 ? 2 : type == 1 ? 8 : 4; }
static void put(char *to, int type, double value) {
  if (type == 2) { _Float16 x = (_Float16)value; memcpy(to, &x, 2); }
  else if (type == 14) { float x = (float)value; uint32_t bits; memcpy(&bits, &x, 4); bits += 0x7fff + (bits >> 16 & 1); memcpy(to, (char *)&bits + 2, 2); }
  else if (type == 0) { float x = (float)value; memcpy(to, &x, 4); }
  else if (type == 1) memcpy(to, &value, 8);
  else if (type == 10) { int32_t x = (int32_t)value; memcpy(to, &x, 4); }
  else abort();
}

static double at(const char *start, const layout *l, int turned, int p, uint64_t row, uint64_t column) {
  uint64_t r = turned ? column : row, c = turned ? row : column;
  if (r >= l->rows || c >= l->columns) abort();
  return number(start + (p * l->step + (int64_t)c * l->pitch + (int64_t)r) * width(l->type), l->type);
}

static void multiply(void *data) {
  product *x = data;
  int ta = x->o.turned[0], tb = x->o.turned[1];
  uint64_t inner = ta ? x->a.rows : x->a.columns;
  if (inner != (tb ? x->b.columns : x->b.rows)) abort();
  memset(x->workspace, 1, WORKSPACE);
  for (int p = 0; p < x->d.products; p++)
    for (uint64_t j = 0; j < x->d.columns; j++)
      for (uint64_t i = 0; i < x->d.rows; i++) {
        double sum = 0;
        for (uint64_t l = 0; l < inner; l++)
          sum += at(x->pa, &x->a, ta, p, i, l) * at(x->pb, &x->b, tb, p, l, j);
        sum *= 2;
        if (x->o.epilogue & 4) sum += number((const char *)x->o.bias + i * width(x->d.type), x->d.type);
        if (x->o.epilogue & 2 && sum < 0) sum = 0;
        put(x->pd + (p * x->d.step + (int64_t)j * x->d.pitch + (int64_t)i) * width(x->d.type), x->d.type, sum);
      }
}

static void nothing(void *data) { (void)data; }

static size_t reach(const layout *l) {
  return ((l->products - 1) * l->step + (l->columns - 1) * l->pitch + l->rows) * width(l->type);
}

static int is_one(const void *value, int scale) {
  if (scale == 1) return *(const double *)value == 1;
  return scale == 10 ? *(const int32_t *)value == 1 : *(const float *)value == 1;
}

int cublasLtMatmul(void *handle, void *o_, const void *alpha, const void *a, void *la, const void *b, void *lb,
                   const void *beta, const void *c, void *lc, void *d, void *ld, const algorithm *algo,
                   void *workspace, size_t bytes, void *stream) {
  const operation *o = o_;
  if (!handle || !is_one(alpha, o->scale) || *(const int32_t *)beta || c != d || lc != ld) abort();
  if (algo->number < 70 || algo->number >= 70 + ALGORITHMS || bytes != WORKSPACE || !workspace) abort();
  if (ENQUEUE_STATUS) return ENQUEUE_STATUS;
  product *x = made(sizeof *x);
  *x = (product){*(layout *)la, *(layout *)lb, *(layout *)ld, *o, a, b, d, workspace};
  range ranges[] = {{(void *)a, reach(&x->a), 0}, {(void *)b, reach(&x->b), 0}, {d, reach(&x->d), 1},
                    {workspace, WORKSPACE, 1}, {(void *)o->bias, x->d.rows * width(x->d.type), 0}};
  static int calls;
  if (RESTLESS && calls++ % 2) emulator_launch_host(stream, nothing, NULL, NULL, 0);
  return emulator_launch_host(stream, multiply, x, ranges, o->epilogue & 4 ? 5 : 4);
}
