/* The device's memory: the host's, with pages around each allocation that nobody may touch. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"
#include "tensor_map.h"

enum { ALIGNMENT = 256, PAGE = 4096, GUARD_BYTES = 64 << 20, ZONE_BYTES = 1 << 16, BUFFER_ALIGNMENT = 16 };

typedef struct allocation {
  unsigned char *pages, *start, *end; /* readable from `pages` to `end` */
  int rights;
  struct allocation *next;
} allocation;

static allocation *allocations;

void fault(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int used = snprintf(text, sizeof text, "emulation: %s", where_now());
  vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
  va_end(arguments);
  strcat(text, "\n");
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(4);
  _exit(FAULT);
}

void give_up(const char *reason) {
  char text[256];
  int used = snprintf(text, sizeof text, "the machine cannot emulate it: %s\n", reason);
  if (write(STDERR_FILENO, text, (size_t)used) < 0) _exit(4);
  _exit(NOT_STARTED);
}

void *host_memory(size_t bytes) {
  void *memory = calloc(1, bytes + 1);
  if (!memory) give_up("out of memory");
  return memory;
}

void *device_allocate(size_t bytes) {
  size_t used = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, pages = (used + PAGE - 1) / PAGE * PAGE;
  allocation *a = host_memory(sizeof *a);
  unsigned char *all = mmap(NULL, pages + 2 * GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) give_up("out of memory");
  a->pages = all + GUARD_BYTES;
  a->end = a->pages + pages;
  a->start = a->end - used;
  if (mprotect(a->pages, pages, PROT_READ | PROT_WRITE) != 0) give_up("out of memory");
  a->rights = PROT_READ | PROT_WRITE;
  memset(a->pages, POISON, pages);
  a->next = allocations;
  allocations = a;
  return a->start;
}

static allocation *holder(const void *pointer, size_t bytes) {
  const unsigned char *p = pointer;
  for (allocation *a = allocations; a; a = a->next)
    if (p >= a->start && p <= a->end && bytes <= (size_t)(a->end - p)) return a;
  return NULL;
}

void check_range(const void *pointer, size_t bytes, const char *what) {
  if (!holder(pointer, bytes)) fault("%s: %zu bytes are not inside of one allocation", what, bytes);
}

void device_free(void *pointer) {
  for (allocation **a = &allocations; *a; a = &(*a)->next)
    if ((*a)->start == pointer) {
      allocation *gone = *a;
      *a = gone->next;
      munmap(gone->pages - GUARD_BYTES, (size_t)(gone->end - gone->pages) + 2 * GUARD_BYTES);
      free(gone);
      return;
    }
  fault("memory is freed that was not allocated");
}

static void set_rights(allocation *a, int rights) {
  if (a->rights == rights) return;
  if (mprotect(a->pages, (size_t)(a->end - a->pages), rights) != 0) give_up("pages cannot be protected");
  a->rights = rights;
}

void make_writable(const void *pointer) {
  allocation *a = holder(pointer, 0);
  if (a) set_rights(a, PROT_READ | PROT_WRITE);
}

void open_memory(void) {
  for (allocation *a = allocations; a; a = a->next) set_rights(a, PROT_READ | PROT_WRITE);
}

void hide(const void *pointer) {
  allocation *a = holder(pointer, 0);
  if (a) set_rights(a, PROT_NONE);
}

/* What a launch writes. ----------------------------------------------------------------------------------- */

/* A range that the launch writes; before, after: copies of the memory beside it; rest: of the range, where the launch
   writes only parts of its rows. */
typedef struct written {
  unsigned char *start, *end, *before, *after, *rest;
  size_t before_bytes, after_bytes;
  uint32_t parameter;
} written;

static struct {
  written ranges[MAX_PARAMETERS];
  int count;
} now;

static int by_start(const void *x, const void *y) {
  const written *a = x, *b = y;
  return a->start < b->start ? -1 : a->start > b->start;
}

static void check_arguments(const launch *l) {
  const emulated_kernel *k = l->kernel;
  for (uint32_t i = 0; i < k->parameter_count; i++) {
    unsigned char *p = *(unsigned char **)l->parameters[i];
    if ((uintptr_t)p % BUFFER_ALIGNMENT) fault("kernel %s, operand %u: its address is no multiple of 16", k->name, i);
    if (!holder(p, k->parameters[i].bytes))
      fault("kernel %s, operand %u: its %llu bytes are not inside of one allocation", k->name, i,
            (unsigned long long)k->parameters[i].bytes);
  }
}

static void check_maps(const launch *l) {
  const emulated_kernel *k = l->kernel;
  for (uint32_t i = 0; i < k->map_count; i++) {
    const tensor_map *m = l->parameters[k->parameter_count + i];
    uint32_t operand = k->maps[i];
    if (m->address != *(const uint64_t *)l->parameters[operand])
      fault("kernel %s: tensor map %u is not of operand %u", k->name, i, operand);
    if (tensor_reach(m) > k->parameters[operand].bytes)
      fault("kernel %s: tensor map %u reaches %llu bytes far, operand %u has %llu", k->name, i,
            (unsigned long long)tensor_reach(m), operand, (unsigned long long)k->parameters[operand].bytes);
  }
}

/* Whether two buffers at an address are parts of the same rows that have no byte in common. What reads such rows does
   not say which parts: that is left to the check of the memory plan. */
static int are_parts(const kernel_parameter *x, const unsigned char *p, const kernel_parameter *y, const unsigned char *q) {
  if (p != q || x->bytes != y->bytes) return 0;
  if (x->role == READ || y->role == READ) return x->row_bytes || y->row_bytes;
  if (!x->row_bytes || x->row_bytes != y->row_bytes) return 0;
  return x->first + x->part_bytes <= y->first || y->first + y->part_bytes <= x->first;
}

static void check_overlap(const launch *l) {
  const emulated_kernel *k = l->kernel;
  for (uint32_t i = 0; i < k->parameter_count; i++)
    for (uint32_t j = 0; k->parameters[i].role != READ && j < k->parameter_count; j++) {
      const unsigned char *p = *(unsigned char **)l->parameters[i], *q = *(unsigned char **)l->parameters[j];
      if (i != j && !are_parts(&k->parameters[i], p, &k->parameters[j], q) && p < q + k->parameters[j].bytes && q < p + k->parameters[i].bytes)
        fault("kernel %s: operand %u, which it writes, overlaps operand %u", k->name, i, j);
    }
}

void check_apart(const launch *one, const launch *other) {
  const emulated_kernel *k = one->kernel, *o = other->kernel;
  for (uint32_t i = 0; i < k->parameter_count; i++)
    for (uint32_t j = 0; j < o->parameter_count; j++) {
      const unsigned char *p = *(unsigned char **)one->parameters[i], *q = *(unsigned char **)other->parameters[j];
      if (k->parameters[i].role == READ && o->parameters[j].role == READ) continue;
      if (are_parts(&k->parameters[i], p, &o->parameters[j], q)) continue;
      if (p < q + o->parameters[j].bytes && q < p + k->parameters[i].bytes)
        fault("kernels %s and %s may run at the same time; operand %u of the first overlaps operand %u of the second",
              k->name, o->name, i, j);
    }
}

void check_outside(const launch *l, const void *start, size_t bytes, int is_written) {
  const unsigned char *q = start;
  for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
    const unsigned char *p = *(unsigned char **)l->parameters[i];
    if (!is_written && l->kernel->parameters[i].role == READ) continue;
    if (p < q + bytes && q < p + l->kernel->parameters[i].bytes)
      fault("kernel %s, operand %u: its memory may be %s for another launch while this one runs", l->kernel->name, i,
            is_written ? "filled" : "read");
  }
}

static unsigned char *copy_of(const unsigned char *from, size_t bytes) {
  return memcpy(host_memory(bytes), from, bytes);
}

/* Keep copies of the memory beside each range, up to the next range or the end of the allocation. */
static void keep_zones(void) {
  qsort(now.ranges, (size_t)now.count, sizeof *now.ranges, by_start);
  for (int i = 0; i < now.count; i++) {
    written *r = &now.ranges[i];
    const allocation *a = holder(r->start, 0);
    const unsigned char *low = a->pages, *high = a->end;
    if (i && now.ranges[i - 1].end > low) low = now.ranges[i - 1].end;
    if (i + 1 < now.count && now.ranges[i + 1].start < high && now.ranges[i + 1].start >= r->end)
      high = now.ranges[i + 1].start;
    if (low > r->start) low = r->start;
    r->before_bytes = (size_t)(r->start - low) < ZONE_BYTES ? (size_t)(r->start - low) : ZONE_BYTES;
    r->after_bytes = (size_t)(high - r->end) < ZONE_BYTES ? (size_t)(high - r->end) : ZONE_BYTES;
    r->before = copy_of(r->start - r->before_bytes, r->before_bytes);
    r->after = copy_of(r->end, r->after_bytes);
  }
}

/* A range that was filled for the next launch that wants it so. */
typedef struct filled {
  unsigned char *start, *end;
  struct filled *next;
} filled;

static filled *fills;

void fill_memory(void *start, int value, size_t bytes) {
  make_writable(start); /* a launch before it may have protected it */
  memset(start, value, bytes);
  filled *f = host_memory(sizeof *f);
  *f = (filled){start, (unsigned char *)start + bytes, fills};
  fills = f;
}

static int take_fill(const written *r) {
  for (filled **f = &fills; *f; f = &(*f)->next)
    if ((*f)->start == r->start && (*f)->end == r->end) {
      filled *gone = *f;
      *f = gone->next;
      free(gone);
      return 1;
    }
  return 0;
}

static void check_filled(const launch *l, const written *r) {
  if (!take_fill(r)) fault("kernel %s, operand %u: nothing has filled it for this launch", l->kernel->name, r->parameter);
  for (const unsigned char *p = r->start; p < r->end; p++)
    if (*p != POISON)
      fault("kernel %s, operand %u: byte %llu is not 0xff when it begins",
            l->kernel->name, r->parameter, (unsigned long long)(p - r->start));
}

/* The bytes of each row of a range that the launch writes, one row after the other. */
static void each_row(const written *r, const kernel_parameter *p, void (*visit)(unsigned char *, size_t, const written *)) {
  if (!p->row_bytes) {
    visit(r->start, (size_t)(r->end - r->start), r);
    return;
  }
  for (unsigned char *row = r->start; row < r->end; row += p->row_bytes) visit(row + p->first, p->part_bytes, r);
}

static void poison_row(unsigned char *start, size_t bytes, const written *r) {
  (void)r;
  memset(start, POISON, bytes);
}

/* Let a copy of the range have what the launch wrote: what else differs it had no right to write. */
static void take_row(unsigned char *start, size_t bytes, const written *r) {
  memcpy(r->rest + (start - r->start), start, bytes);
}

/* Check the arguments; poison what is to be written, and protect what is not. */
void before_launch(const launch *l) {
  const emulated_kernel *k = l->kernel;
  check_arguments(l);
  check_maps(l);
  check_overlap(l);
  now.count = 0;
  for (uint32_t i = 0; i < k->parameter_count; i++)
    if (k->parameters[i].role != READ && k->parameters[i].bytes) {
      unsigned char *p = *(unsigned char **)l->parameters[i];
      now.ranges[now.count++] = (written){.start = p, .end = p + k->parameters[i].bytes, .parameter = i};
    }
  for (allocation *a = allocations; a; a = a->next) {
    int writable = 0;
    for (int i = 0; i < now.count; i++) writable |= now.ranges[i].start >= a->start && now.ranges[i].start < a->end;
    set_rights(a, writable ? PROT_READ | PROT_WRITE : PROT_READ);
  }
  for (int i = 0; i < now.count; i++) {
    written *r = &now.ranges[i];
    if (l->kernel->parameters[r->parameter].filled) check_filled(l, r);
    else each_row(r, &l->kernel->parameters[r->parameter], poison_row);
    r->rest = l->kernel->parameters[r->parameter].row_bytes ? copy_of(r->start, (size_t)(r->end - r->start)) : NULL;
  }
  keep_zones();
}

static int is_part(const kernel_parameter *p, uint64_t place) {
  if (!p->row_bytes) return 1;
  uint64_t in_row = place % p->row_bytes;
  return in_row >= p->first && in_row < p->first + p->part_bytes;
}

/* A launch may write several parts of the same rows, as a parameter each. */
static void check_rest(const launch *l, const written *r) {
  if (!r->rest) return;
  for (int i = 0; i < now.count; i++)
    if (now.ranges[i].start == r->start) each_row(r, &l->kernel->parameters[now.ranges[i].parameter], take_row);
  if (memcmp(r->rest, r->start, (size_t)(r->end - r->start)) != 0)
    fault("kernel %s writes beside its part of operand %u", l->kernel->name, r->parameter);
  free(r->rest);
}

/* All bits of a float are one only where nothing was stored: no instruction gives that NaN. */
static void check_stored(const launch *l, const written *r) {
  const kernel_parameter *p = &l->kernel->parameters[r->parameter];
  if (p->role != WRITTEN || !p->float_bytes) return;
  uint64_t count = p->bytes / p->float_bytes, missing = 0, first = 0;
  static const unsigned char never[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  for (uint64_t i = count; i-- > 0;)
    if (is_part(p, i * p->float_bytes) && memcmp(r->start + i * p->float_bytes, never, p->float_bytes) == 0) missing++, first = i;
  if (missing)
    fault("kernel %s does not write %llu of the %llu elements of operand %u, the first of them %llu", l->kernel->name,
          (unsigned long long)missing, (unsigned long long)count, r->parameter, (unsigned long long)first);
}

static void check_counters(const launch *l) {
  for (const unsigned char *p = l->image->memory; p < l->image->memory_end; p++)
    if (*p) fault("kernel %s does not leave its counters at zero", l->kernel->name);
}

void after_launch(const launch *l) {
  check_counters(l);
  for (int i = 0; i < now.count; i++) {
    written *r = &now.ranges[i];
    if (memcmp(r->start - r->before_bytes, r->before, r->before_bytes) != 0 ||
        memcmp(r->end, r->after, r->after_bytes) != 0)
      fault("kernel %s writes beside operand %u", l->kernel->name, r->parameter);
    free(r->before);
    free(r->after);
    check_rest(l, r);
    check_stored(l, r);
  }
}
