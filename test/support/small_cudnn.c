/* What small_cudnn.py compiles. Enumerations are numbers, those of NVIDIA's "cuDNN backend API". */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, BAD_PARAM = 2000, NOT_SUPPORTED = 3000, MOST_VALUES = 32, MOST_AXES = 5, MOST_TENSORS = 32, MOST_KEYS = 512 };
enum { POINTWISE = 0, CONVOLUTION = 1, ENGINE = 2, CONFIGURATION = 3, HEURISTICS = 4, PLAN = 5, CONVOLVE = 10,
       APPLY = 13, GRAPH = 15, PACK = 16, TENSOR = 17, RESAMPLE = 24, POOL = 25, NORMALIZE = 29, ATTEND = 41 };
enum { LAYER_NORM = 0, RMS_NORM = 4, MEAN_OF_ALL = 2, LARGEST = 3, MEAN = 4, FALLBACK = 2, BEST = 3 };

typedef struct { void *start; size_t bytes; int is_written; } range;
int emulator_launch_host(void *stream, void (*call)(void *), void *data, const range *, size_t);
#if AT_ONCE
int emulator_launch_host(void *stream, void (*call)(void *), void *data, const range *ranges, size_t count) {
  (void)stream, (void)ranges, (void)count;
  return call(data), 0;
}
#endif

/* What an attribute of a descriptor is: the number of its type, how many values it has at most, whether one must. */
typedef struct { int descriptor, number, type, most, is_needed; } attribute;
static const attribute ATTRIBUTES[] = {
  {TENSOR, 900, 3, 1, 1}, {TENSOR, 901, 1, 1, 1}, {TENSOR, 902, 3, 5, 1}, {TENSOR, 903, 3, 5, 1}, {TENSOR, 906, 3, 1, 1},
  {TENSOR, 907, 2, 1, 0}, {TENSOR, 908, 2, 1, 0},
  {CONVOLUTION, 100, 1, 1, 1}, {CONVOLUTION, 101, 7, 1, 1}, {CONVOLUTION, 102, 3, 3, 1}, {CONVOLUTION, 103, 3, 3, 1},
  {CONVOLUTION, 104, 3, 3, 1}, {CONVOLUTION, 105, 3, 3, 1}, {CONVOLUTION, 106, 3, 1, 1},
  {CONVOLVE, 700, 4, 1, 1}, {CONVOLVE, 701, 4, 1, 1}, {CONVOLVE, 702, 15, 1, 1}, {CONVOLVE, 703, 15, 1, 1},
  {CONVOLVE, 704, 15, 1, 1}, {CONVOLVE, 705, 15, 1, 1},
  {POINTWISE, 0, 14, 1, 1}, {POINTWISE, 1, 1, 1, 1},
  {APPLY, 750, 15, 1, 1}, {APPLY, 751, 15, 1, 1}, {APPLY, 752, 15, 1, 0}, {APPLY, 753, 15, 1, 1},
  {ATTEND, 2800, 15, 1, 1}, {ATTEND, 2801, 15, 1, 1}, {ATTEND, 2802, 15, 1, 1}, {ATTEND, 2803, 15, 1, 1},
  {ATTEND, 2805, 15, 1, 0},
  {NORMALIZE, 2000, 27, 1, 1}, {NORMALIZE, 2001, 28, 1, 1}, {NORMALIZE, 2002, 15, 1, 1}, {NORMALIZE, 2005, 15, 1, 1},
  {NORMALIZE, 2006, 15, 1, 0}, {NORMALIZE, 2007, 15, 1, 1}, {NORMALIZE, 2013, 15, 1, 1},
  {RESAMPLE, 1700, 21, 1, 1}, {RESAMPLE, 1701, 1, 1, 1}, {RESAMPLE, 1702, 3, 1, 1}, {RESAMPLE, 1703, 3, 3, 1},
  {RESAMPLE, 1704, 3, 3, 1}, {RESAMPLE, 1705, 3, 3, 1}, {RESAMPLE, 1706, 3, 3, 1}, {RESAMPLE, 1707, 10, 1, 1},
  {RESAMPLE, 1708, 22, 1, 1}, {POOL, 1710, 15, 1, 1}, {POOL, 1711, 15, 1, 1}, {POOL, 1716, 15, 1, 1},
  {GRAPH, 800, 0, 1, 1}, {GRAPH, 801, 15, 32, 1},
  {HEURISTICS, 200, 8, 1, 1}, {HEURISTICS, 201, 15, 1, 1},
  {PLAN, 400, 0, 1, 1}, {PLAN, 401, 15, 1, 1},
  {PACK, 1000, 3, 32, 1}, {PACK, 1001, 6, 32, 1}, {PACK, 1003, 6, 1, 1},
};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

/* Configurations of engines, the best first. Those with one of the notes 1 to 8 break our rules, but 3 (a Fourier
 * transform) does not in f32. The last ones are what it falls back to. */
static const struct { int note_count, notes[2]; int64_t workspace; int plan_status; } ENGINES[] = {
  {2, {0, 1}, 0, 0}, {2, {2, 0}, 0, 0}, {2, {0, 9}, WORKSPACE, 0}, {1, {3}, 0, 0}, {1, {4}, 0, 0},
  {1, {0}, LIMIT + 1, 0}, {0, {0}, LIMIT, 0}, {1, {5}, 0, 0}, {1, {6}, 0, 0}, {1, {0}, 0, NOT_SUPPORTED},
  {1, {7}, 0, 0}, {1, {8}, 0, 0}, {1, {9}, 0, 0},
  {1, {0}, 0, 0}, {0, {0}, 0, 0},
};
enum { FALLBACK_COUNT = 2, ENGINE_COUNT = sizeof ENGINES / sizeof *ENGINES - FALLBACK_COUNT };

typedef union { int64_t integer; int32_t number; float real; char flag; void *pointer; } value;

/* engine: of a configuration, of an engine; -1 before it is known. graph: that a configuration computes. */
typedef struct { int type, is_final, engine, counts[ATTRIBUTE_COUNT]; void *graph; value *values[ATTRIBUTE_COUNT]; } descriptor;
typedef struct { void *stream; } context;

static int live, handles;

static void stop(const char *what, int number) { fprintf(stderr, "small cuDNN: %s %d\n", what, number); fflush(NULL); abort(); }
static void *made(size_t bytes) { void *p = calloc(1, bytes); if (!p) stop("no memory", 0); return p; }
static size_t width(int type) { return type == 2 ? 1 : type == 0 || type == 3 || type == 6 || type == 15 ? 8 : 4; }

const char *cudnnGetErrorString(int status) { return status == NOT_SUPPORTED ? "not supported" : status == BAD_PARAM ? "a bad parameter" : "an error"; }
int cudnnCreate(void **handle) {
  static char none;
  if (handles++) stop("handles of one model:", handles);
  *handle = HANDLE_STATUS ? &none : made(sizeof(context));
  if (HANDLE_STATUS) handles--;
  return HANDLE_STATUS;
}
int cudnnDestroy(void *handle) {
  if (live) stop("descriptors are left:", live);
  if (!handles--) stop("no handle", 0);
  free(handle);
  return OK;
}
__attribute__((destructor)) static void end(void) { if (handles && !ENQUEUE_STATUS) stop("handles are left:", handles); }
int cudnnSetStream(void *handle, void *stream) { ((context *)handle)->stream = stream; return OK; }

/* Descriptors. ------------------------------------------------------------------------------------ */

int cudnnBackendCreateDescriptor(int type, void **made_) {
  static const int known[] = {POINTWISE, CONVOLUTION, ENGINE, CONFIGURATION, HEURISTICS, PLAN, CONVOLVE, APPLY, GRAPH, PACK, TENSOR, RESAMPLE, POOL, NORMALIZE, ATTEND};
  int is_known = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known |= known[i] == type;
  if (!is_known) stop("no descriptor", type);
  descriptor *d = made(sizeof *d);
  d->type = type;
  d->engine = -1;
  live++;
  return *made_ = d, OK;
}

int cudnnBackendDestroyDescriptor(void *d_) {
  descriptor *d = d_;
  for (int i = 0; i < ATTRIBUTE_COUNT; i++) free(d->values[i]);
  memset(d, -1, sizeof *d);
  free(d);
  live--;
  return OK;
}

static int place(int descriptor, int number) {
  for (int i = 0; i < ATTRIBUTE_COUNT; i++)
    if (ATTRIBUTES[i].descriptor == descriptor && ATTRIBUTES[i].number == number) return i;
  stop("no attribute of this descriptor:", number);
  return 0;
}

int cudnnBackendSetAttribute(void *d_, int number, int type, int64_t count, const void *values) {
  descriptor *d = d_;
  const int i = place(d->type, number);
  if (d->is_final) stop("set in the end:", number);
  if (ATTRIBUTES[i].type != type) stop("a wrong type for attribute", number);
  if (count < 1 || count > ATTRIBUTES[i].most) stop("a wrong count for attribute", number);
  free(d->values[i]);
  d->values[i] = made((size_t)count * sizeof(value));
  d->counts[i] = (int)count;
  for (int64_t n = 0; n < count; n++) memcpy(&d->values[i][n], (const char *)values + (size_t)n * width(type), width(type));
  return OK;
}

static int count_of(const descriptor *d, int number) { return d->counts[place(d->type, number)]; }
static const value *values_of(const descriptor *d, int number) { return d->values[place(d->type, number)]; }
static int64_t integer(const descriptor *d, int number) { return values_of(d, number)->integer; }
static int32_t small(const descriptor *d, int number) { return values_of(d, number)->number; }
static int flag(const descriptor *d, int number) { return count_of(d, number) && values_of(d, number)->flag; }
static const descriptor *other(const descriptor *d, int number, int type) {
  const descriptor *found = count_of(d, number) ? values_of(d, number)->pointer : NULL;
  if (found && (found->type != type || !found->is_final)) stop("an unfinished descriptor, or another one, for", number);
  return found;
}
static const descriptor *tensor(const descriptor *d, int number) { return other(d, number, TENSOR); }
static int rank(const descriptor *t) { return count_of(t, 902); }
static int64_t size(const descriptor *t, int axis) { return axis < rank(t) ? values_of(t, 902)[axis].integer : 1; }

/* Return an entry of a list of a convolution's window; 3 axes are the most. */
static int64_t entry(const descriptor *c, int number, int axis, int64_t other) {
  return axis < count_of(c, number) ? values_of(c, number)[axis].integer : other;
}

static int finish_tensor(const descriptor *t) {
  const int type = small(t, 901);
  int64_t count = 1;
  for (int i = 0; i < rank(t); i++) count *= size(t, i);
  if (type != 0 && type != 2 && type != 9) stop("a tensor of type", type);
  if (rank(t) != count_of(t, 903)) return BAD_PARAM;
  if (flag(t, 907) && flag(t, 908)) stop("virtual and by value: tensor", (int)integer(t, 906));
  if (flag(t, 908) && (type || count != 1)) stop("by value, but no float: tensor", (int)integer(t, 906));
  if (integer(t, 900) != (flag(t, 907) || flag(t, 908) ? 4 : 16)) stop("a tensor aligned to", (int)integer(t, 900));
  return OK;
}

static int finish_convolution(const descriptor *o) {
  const descriptor *x = tensor(o, 704), *w = tensor(o, 703), *y = tensor(o, 705), *c = other(o, 702, CONVOLUTION);
  if (values_of(o, 700)->real != 1 || values_of(o, 701)->real != 0) stop("not once the product:", 700);
  const int axes = (int)integer(c, 106);
  if (rank(x) != axes + 2 || rank(w) != axes + 2 || rank(y) != axes + 2) return BAD_PARAM;
  if (size(x, 0) != size(y, 0) || size(w, 0) != size(y, 1) || size(x, 1) % size(w, 1)) return BAD_PARAM;
  for (int i = 0; i < axes; i++) {
    const int64_t reach = (size(w, i + 2) - 1) * entry(c, 102, i, 0) + 1, step = entry(c, 103, i, 0);
    const int64_t room = size(x, i + 2) + entry(c, 105, i, 0) + entry(c, 104, i, 0) - reach;
    if (step < 1 || room < 0 || size(y, i + 2) != room / step + 1) return BAD_PARAM;
  }
  return OK;
}

static int finish_window(const descriptor *c) {
  static const int lists[] = {102, 103, 104, 105};
  for (int i = 0; i < 4; i++)
    if (count_of(c, lists[i]) != integer(c, 106)) return BAD_PARAM;
  if (small(c, 100) != 0 || small(c, 101) != 1) stop("sums that are not of float, or no correlation:", small(c, 100));
  return OK;
}

static int is_binary(int mode) { return mode < 100; }
static int finish_pointwise(const descriptor *o) {
  const descriptor *x = tensor(o, 751), *b = tensor(o, 752), *y = tensor(o, 753);
  const int mode = small(other(o, 750, POINTWISE), 0);
  if (is_binary(mode) != (b != NULL) || rank(x) != rank(y) || (b && rank(b) != rank(y))) return BAD_PARAM;
  for (int i = 0; i < rank(y); i++)
    if (size(x, i) != size(y, i) || (b && size(b, i) != size(y, i) && size(b, i) != 1)) return BAD_PARAM;
  return OK;
}

static int finish_attention(const descriptor *o) {
  const descriptor *q = tensor(o, 2800), *k = tensor(o, 2801), *v = tensor(o, 2802), *y = tensor(o, 2803);
  for (int i = 0; i < 4; i++)
    if (size(y, i) != size(i < 3 ? q : v, i) || (i != 2 && size(k, i) != size(q, i))) return BAD_PARAM;
  return rank(y) != 4 || size(v, 1) != size(q, 1) || size(v, 2) != size(k, 2) ? BAD_PARAM : OK;
}

static int is_row(const descriptor *v, const descriptor *x) {
  for (int i = 0; i < rank(x); i++)
    if (size(v, i) != (i ? size(x, i) : 1)) return 0;
  return rank(v) == rank(x);
}

static int finish_normalization(const descriptor *o) {
  const descriptor *x = tensor(o, 2002), *y = tensor(o, 2013), *bias = tensor(o, 2006), *epsilon = tensor(o, 2007);
  const int mode = small(o, 2000);
  if (mode != LAYER_NORM && mode != RMS_NORM) stop("a mode of normalisations:", mode);
  if (small(o, 2001)) stop("not for inference:", small(o, 2001));
  if (!flag(epsilon, 908)) stop("an epsilon in memory: tensor", (int)integer(epsilon, 906));
  for (int i = 0; i < rank(x); i++)
    if (size(x, i) != size(y, i)) return BAD_PARAM;
  return rank(x) == rank(y) && is_row(tensor(o, 2005), x) && (!bias || is_row(bias, x)) ? OK : BAD_PARAM;
}

static int finish_resample(const descriptor *c) {
  const int mode = small(c, 1700);
  if (mode != LARGEST && mode != MEAN && mode != MEAN_OF_ALL) stop("a mode of resampling:", mode);
  if (small(c, 1701) != 0) stop("sums that are not of float:", small(c, 1701));
  if (small(c, 1707) != 1) stop("a NaN is dropped:", small(c, 1707));
  if (small(c, 1708) != (mode == LARGEST)) stop("a padding of another value:", small(c, 1708));
  for (int list = 1703; list <= 1706; list++)
    if (count_of(c, list) != integer(c, 1702)) return BAD_PARAM;
  return OK;
}

static int finish_pool(const descriptor *o) {
  const descriptor *x = tensor(o, 1710), *y = tensor(o, 1711), *c = other(o, 1716, RESAMPLE);
  const int axes = (int)integer(c, 1702);
  if (rank(x) != axes + 2 || rank(y) != axes + 2 || size(x, 0) != size(y, 0) || size(x, 1) != size(y, 1)) return BAD_PARAM;
  for (int i = 0; i < axes; i++) {
    const int64_t room = size(x, i + 2) + entry(c, 1703, i, 0) + entry(c, 1704, i, 0) - entry(c, 1706, i, 0);
    if (entry(c, 1705, i, 0) < 1 || room < 0 || size(y, i + 2) != room / entry(c, 1705, i, 0) + 1) return BAD_PARAM;
  }
  return OK;
}

static int finish_plan(const descriptor *p) {
  const descriptor *configuration = values_of(p, 401)->pointer;
  if (configuration->type != CONFIGURATION || configuration->engine < 0) stop("no configuration:", 401);
  return ENGINES[configuration->engine].plan_status;
}

static const descriptor *result(const descriptor *graph) {
  const descriptor *last = values_of(graph, 801)[count_of(graph, 801) - 1].pointer;
  return tensor(last, last->type == CONVOLVE ? 705 : last->type == APPLY ? 753 : last->type == ATTEND ? 2803 : last->type == POOL ? 1711 : 2013);
}

static int finish_heuristics(const descriptor *h) {
  if (small(h, 200) != BEST && small(h, 200) != FALLBACK) stop("a mode of heuristics:", small(h, 200));
  return size(result(other(h, 201, GRAPH)), 2) == REFUSED_ROWS ? NOT_SUPPORTED : OK;
}

int cudnnBackendFinalize(void *d_) {
  descriptor *d = d_;
  for (int i = 0; i < ATTRIBUTE_COUNT; i++)
    if (ATTRIBUTES[i].descriptor == d->type && ATTRIBUTES[i].is_needed && !d->counts[i]) stop("there is no attribute", ATTRIBUTES[i].number);
  if (d->is_final) stop("finalized twice:", d->type);
  d->is_final = 1;
  if (d->type == TENSOR) return finish_tensor(d);
  if (d->type == CONVOLUTION) return finish_window(d);
  if (d->type == CONVOLVE) return finish_convolution(d);
  if (d->type == APPLY) return finish_pointwise(d);
  if (d->type == ATTEND) return finish_attention(d);
  if (d->type == NORMALIZE) return finish_normalization(d);
  if (d->type == RESAMPLE) return finish_resample(d);
  if (d->type == POOL) return finish_pool(d);
  if (d->type == PLAN) return finish_plan(d);
  if (d->type == HEURISTICS) return finish_heuristics(d);
  if (d->type == PACK && count_of(d, 1000) != count_of(d, 1001)) return BAD_PARAM;
  if (d->type == POINTWISE && small(d, 1) != 0) stop("computed in type", small(d, 1));
  return OK;
}

int cudnnBackendGetAttribute(void *d_, int number, int type, int64_t most, int64_t *count, void *values) {
  const descriptor *d = d_;
  if (d->type == HEURISTICS && number == 202 && type == 15 && d->is_final) {
    const int is_best = small(d, 200) == BEST;
    const int64_t answers = !is_best ? FALLBACK_COUNT : FOUND ? FOUND : ENGINE_COUNT;
    for (int64_t i = 0; i < most && i < answers; i++) {
      descriptor *to = ((descriptor **)values)[i];
      if (to->type != CONFIGURATION) stop("no configuration:", to->type);
      to->engine = !is_best ? ENGINE_COUNT + (int)i : i < ENGINE_COUNT ? (int)i : 0;
      to->graph = values_of(d, 201)->pointer;
    }
    return *count = answers, OK;
  }
  if (d->type == CONFIGURATION && number == 300 && type == 15 && most == 1) {
    descriptor *to = *(descriptor **)values;
    if (to->type != ENGINE || d->engine < 0) stop("no engine:", to->type);
    return to->engine = d->engine, *count = 1, OK;
  }
  if (d->type == ENGINE && number == 1303 && type == 11 && most >= 2) {
    memcpy(values, ENGINES[d->engine].notes, sizeof ENGINES[d->engine].notes);
    return *count = ENGINES[d->engine].note_count, OK;
  }
  if (d->type == PLAN && number == 402 && type == 3 && most == 1 && d->is_final) {
    *(int64_t *)values = ENGINES[((descriptor *)values_of(d, 401)->pointer)->engine].workspace;
    return *count = 1, OK;
  }
  stop("nothing to get:", number);
  return OK;
}

/* Computing. -------------------------------------------------------------------------------------- */

/* A tensor as it is computed with: sizes and strides of axes, of which there are 5. */
typedef struct { int type, is_virtual; int64_t id, sizes[MOST_AXES], strides[MOST_AXES]; char *start; double number, times; } place_;
typedef struct { int type, mode; int64_t strides[3], begins[3], dilations[3], taps[3]; int inputs[4], input_count, output; } step;
typedef struct { place_ tensors[MOST_TENSORS]; step steps[MOST_VALUES]; int tensor_count, step_count; double factor; char *workspace; size_t bytes; } task;

static size_t width_of(int type) { return type ? 2 : 4; }

static double element(const place_ *t, const int64_t *index) {
  int64_t at = 0;
  for (int i = 0; i < MOST_AXES; i++) at += t->sizes[i] == 1 ? 0 : index[i] * t->strides[i];
  if (!t->start) return t->number;
  const char *p = t->start + at * (int64_t)width_of(t->type);
  if (t->type == 2) { _Float16 x; memcpy(&x, p, 2); return (double)x; }
  float x = 0;
  if (t->type == 9) memcpy((char *)&x + 2, p, 2);
  else memcpy(&x, p, 4);
  return x;
}

static double get(const place_ *t, const int64_t *index) { return element(t, index) * t->times; }

static void put(const place_ *t, const int64_t *index, double given) {
  int64_t at = 0;
  for (int i = 0; i < MOST_AXES; i++) at += index[i] * t->strides[i];
  char *p = t->start + at * (int64_t)width_of(t->type);
  if (t->type == 2) { _Float16 x = (_Float16)given; memcpy(p, &x, 2); return; }
  float x = (float)given;
  uint32_t bits;
  memcpy(&bits, &x, 4);
  if (t->type == 9) { bits += 0x7fff + (bits >> 16 & 1); memcpy(p, (char *)&bits + 2, 2); return; }
  memcpy(p, &bits, 4);
}

static double convolved(const task *t, const step *s, const int64_t *at) {
  const place_ *x = &t->tensors[s->inputs[0]], *w = &t->tensors[s->inputs[1]], *y = &t->tensors[s->output];
  const int64_t first = at[1] / (y->sizes[1] / (x->sizes[1] / w->sizes[1])) * w->sizes[1];
  double sum = 0;
  int64_t tap[MOST_AXES] = {at[1]}, from[MOST_AXES] = {at[0]};
  for (tap[2] = 0; tap[2] < w->sizes[2]; tap[2]++)
    for (tap[3] = 0; tap[3] < w->sizes[3]; tap[3]++)
      for (tap[4] = 0; tap[4] < w->sizes[4]; tap[4]++) {
        int is_inside = 1;
        for (int i = 0; i < 3; i++) {
          from[i + 2] = at[i + 2] * s->strides[i] - s->begins[i] + tap[i + 2] * s->dilations[i];
          is_inside &= from[i + 2] >= 0 && from[i + 2] < x->sizes[i + 2];
        }
        for (tap[1] = 0; is_inside && tap[1] < w->sizes[1]; tap[1]++) {
          from[1] = first + tap[1];
          sum += get(x, from) * get(w, tap);
        }
      }
  return sum * t->factor;
}

/* Of an image with each window of a result in it, at least in part. */
static double pooled(const task *t, const step *s, const int64_t *at) {
  const place_ *x = &t->tensors[s->inputs[0]];
  double sum = 0, largest = -INFINITY, count = 0;
  int64_t tap[3], from[MOST_AXES] = {at[0], at[1]};
  for (tap[0] = 0; tap[0] < s->taps[0]; tap[0]++)
    for (tap[1] = 0; tap[1] < s->taps[1]; tap[1]++)
      for (tap[2] = 0; tap[2] < s->taps[2]; tap[2]++) {
        int is_inside = 1;
        for (int i = 0; i < 3; i++) {
          from[i + 2] = at[i + 2] * s->strides[i] - s->begins[i] + tap[i];
          is_inside &= from[i + 2] >= 0 && from[i + 2] < x->sizes[i + 2];
        }
        const double found = is_inside ? get(x, from) : 0;
        count += is_inside || s->mode == MEAN_OF_ALL;
        sum += found;
        if (is_inside && !(found <= largest)) largest = found;
        if (isnan(sum)) largest = sum;
      }
  return s->mode == LARGEST ? largest : sum / count;
}

static double applied(const task *t, const step *s, const int64_t *at) {
  const double x = get(&t->tensors[s->inputs[0]], at), b = s->input_count > 1 ? get(&t->tensors[s->inputs[1]], at) : 0;
  switch (s->mode) {
    case 0: return x + b;
    case 1: return x * b;
    case 9: return x - b;
    case 100: return x > 0 ? x : 0;
    case 101: return tanh(x);
    case 102: return 1 / (1 + exp(-x));
    case 104: return x / 2 * (1 + erf(x / sqrt(2)));
    case 107: return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
  }
  stop("a pointwise mode:", s->mode);
  return 0;
}

static double attended(const task *t, const step *s, const int64_t *at) {
  const place_ *q = &t->tensors[s->inputs[0]], *k = &t->tensors[s->inputs[1]], *v = &t->tensors[s->inputs[2]];
  static const int64_t zero[MOST_AXES];
  const double scale = s->input_count > 3 ? get(&t->tensors[s->inputs[3]], zero) : 1;
  static double weights[MOST_KEYS], total;
  double sum = 0;
  if (k->sizes[2] > MOST_KEYS) stop("too many keys:", (int)k->sizes[2]);
  if (at[3] == 0) total = 0;
  for (int64_t key = 0; at[3] == 0 && key < k->sizes[2]; key++) { /* once for a row */
    double score = 0;
    for (int64_t i = 0; i < q->sizes[3]; i++)
      score += get(q, (int64_t[]){at[0], at[1], at[2], i, 0}) * get(k, (int64_t[]){at[0], at[1], key, i, 0});
    total += weights[key] = exp(score * scale);
  }
  for (int64_t key = 0; key < k->sizes[2]; key++) sum += weights[key] * get(v, (int64_t[]){at[0], at[1], key, at[3], 0});
  return sum / total * t->factor;
}

/* Tensors are of rows, then elements. */
static double normalized(const task *t, const step *s, const int64_t *at) {
  static const int64_t zero[MOST_AXES];
  const place_ *x = &t->tensors[s->inputs[0]];
  const double count = (double)x->sizes[1], epsilon = get(&t->tensors[s->inputs[2]], zero);
  const double bias = s->input_count > 3 ? get(&t->tensors[s->inputs[3]], at) : 0;
  static double mean, inverse;
  if (!at[1]) mean = 0;
  for (int64_t i = 0; !at[1] && s->mode == LAYER_NORM && i < x->sizes[1]; i++) mean += get(x, (int64_t[]){at[0], i, 0, 0, 0}) / count;
  double variance = 0;
  for (int64_t i = 0; !at[1] && i < x->sizes[1]; i++) {
    const double distance = get(x, (int64_t[]){at[0], i, 0, 0, 0}) - mean;
    variance += distance * distance / count;
  }
  if (!at[1]) inverse = 1 / sqrt(variance + epsilon); /* once for a row */
  return (get(x, at) - mean) * inverse * get(&t->tensors[s->inputs[1]], at) * t->factor + bias;
}

static void compute(void *data) {
  const task *t = data;
  memset(t->workspace, 1, t->bytes);
  for (int i = 0; i < t->step_count; i++) {
    const step *s = &t->steps[i];
    const place_ *y = &t->tensors[s->output];
    int64_t at[MOST_AXES];
    for (at[0] = 0; at[0] < y->sizes[0]; at[0]++)
      for (at[1] = 0; at[1] < y->sizes[1]; at[1]++)
        for (at[2] = 0; at[2] < y->sizes[2]; at[2]++)
          for (at[3] = 0; at[3] < y->sizes[3]; at[3]++)
            for (at[4] = 0; at[4] < y->sizes[4]; at[4]++)
              put(y, at, s->type == CONVOLVE ? convolved(t, s, at) : s->type == APPLY ? applied(t, s, at) : s->type == ATTEND ? attended(t, s, at) : s->type == POOL ? pooled(t, s, at) : normalized(t, s, at));
  }
}

static size_t reach(const place_ *t) {
  int64_t end = 1;
  for (int i = 0; i < MOST_AXES; i++) end += (t->sizes[i] - 1) * t->strides[i];
  return (size_t)end * width_of(t->type);
}

/* Return the number of a tensor of a task, which is added where it is not there. */
static int number_of(task *t, const descriptor *d, const descriptor *pack) {
  place_ p = {small(d, 901), flag(d, 907), integer(d, 906), {0}, {0}, NULL, 0, 1};
  for (int i = 0; i < t->tensor_count; i++)
    if (t->tensors[i].id == p.id) return i;
  for (int i = 0; i < MOST_AXES; i++) {
    p.sizes[i] = size(d, i);
    p.strides[i] = i < rank(d) ? values_of(d, 903)[i].integer : 0;
  }
  const void *found = NULL;
  for (int i = 0; i < count_of(pack, 1000); i++)
    if (values_of(pack, 1000)[i].integer == p.id) found = values_of(pack, 1001)[i].pointer;
  if (p.is_virtual != !found) stop("a place of what has none, or none: tensor", (int)p.id);
  if (flag(d, 908)) p.number = *(const float *)found;
  else p.start = p.is_virtual ? made(reach(&p)) : (char *)found;
  t->tensors[t->tensor_count] = p;
  return t->tensor_count++;
}

static step step_of(task *t, const descriptor *o, const descriptor *pack) {
  static const int inputs[5][5] = {{704, 703}, {751, 752}, {2800, 2801, 2802, 2805}, {2002, 2005, 2007, 2006}, {1710}}, outputs[] = {705, 753, 2803, 2013, 1711};
  const int kind = o->type == CONVOLVE ? 0 : o->type == APPLY ? 1 : o->type == ATTEND ? 2 : o->type == POOL ? 4 : 3;
  step s = {.type = o->type, .output = number_of(t, tensor(o, outputs[kind]), pack)};
  for (int i = 0; inputs[kind][i]; i++)
    if (tensor(o, inputs[kind][i])) s.inputs[s.input_count++] = number_of(t, tensor(o, inputs[kind][i]), pack);
  if (kind == 3) s.mode = small(o, 2000);
  if (kind == 1) s.mode = small(other(o, 750, POINTWISE), 0);
  for (int i = 0; kind == 4 && i < 3; i++) {
    const descriptor *c = other(o, 1716, RESAMPLE);
    s.mode = small(c, 1700);
    s.begins[i] = entry(c, 1704, i, 0);
    s.strides[i] = entry(c, 1705, i, 1);
    s.taps[i] = entry(c, 1706, i, 1);
  }
  for (int i = 0; !kind && i < 3; i++) {
    const descriptor *c = other(o, 702, CONVOLUTION);
    s.dilations[i] = entry(c, 102, i, 1);
    s.strides[i] = entry(c, 103, i, 1);
    s.begins[i] = entry(c, 105, i, 0);
  }
  return s;
}

int cudnnBackendExecute(void *handle, void *plan_, void *pack_) {
  const descriptor *plan = plan_, *pack = pack_;
  if (plan->type != PLAN || !plan->is_final || pack->type != PACK || !pack->is_final) stop("no plan or no pack:", plan->type);
  if (values_of(plan, 400)->pointer != handle) stop("another handle", 0);
  if (ENQUEUE_STATUS) return ENQUEUE_STATUS;
  const descriptor *configuration = values_of(plan, 401)->pointer, *graph = configuration->graph;
  if (values_of(graph, 800)->pointer != handle) stop("another handle of the graph", 0);
  task *t = made(sizeof *t);
  t->factor = 2;
  for (int i = 0; i < configuration->engine; i++) t->factor++;
  for (int i = 0; i < count_of(graph, 801); i++) t->steps[t->step_count++] = step_of(t, values_of(graph, 801)[i].pointer, pack);
  if (t->steps[0].type == APPLY || t->steps[0].type == POOL) t->tensors[t->steps[0].inputs[0]].times = t->factor;
  t->workspace = values_of(pack, 1003)->pointer;
  t->bytes = (size_t)ENGINES[configuration->engine].workspace;
  range ranges[MOST_TENSORS + 1] = {{t->workspace, t->bytes, 1}};
  size_t count = 1;
  int given = 0;
  for (int i = 0; i < t->tensor_count; i++) {
    const place_ *p = &t->tensors[i];
    int is_written = 0;
    for (int n = 0; n < t->step_count; n++) is_written |= t->steps[n].output == i;
    given += !p->is_virtual;
    if (!p->is_virtual && p->start) ranges[count++] = (range){p->start, reach(p), is_written};
  }
  if (given != count_of(pack, 1000)) stop("more places than tensors:", count_of(pack, 1000));
  return emulator_launch_host(((context *)handle)->stream, compute, t, ranges, count);
}
