/* CUDA C++ and PTX for the text of a kernel that is compiled by a host's C++ compiler, without a header.
 *
 * ptx_* are the instructions of PTX ISA, named as there; the inline assembly of the text becomes calls of them.
 * What needs all lanes of a warp is in instructions.c.
 */
typedef unsigned char byte;
struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));

enum element_type { F16, BF16, TF32, S8, U8 };
struct product_kind { int columns, bytes; element_type a, b; int integers, a_in_registers, transpose_a, transpose_b; };
struct dim3_index { unsigned x, y, z; };
struct instruction;
struct deferred { const instruction *what; void *operands[3]; };
struct thread_view { dim3_index thread, block; unsigned rank; byte *shared; deferred *queue; unsigned waiting; unsigned long sequence; };
struct kernel_parameter { unsigned long bytes; unsigned role, float_bytes, filled; unsigned long row_bytes, first, part_bytes; };
struct emulated_kernel {
  const char *name;
  void (*call)(void **);
  unsigned threads, parameter_count, map_count;
  const kernel_parameter *parameters;
  const unsigned *maps;
  unsigned cluster[3], cooperative;
};
struct emulated_image {
  const emulated_kernel *kernels;
  const byte *memory, *memory_end;
};

extern "C" {
extern __thread thread_view *current_thread;
void fault(const char *, ...);
void settle(void);
void block_barrier(void);
void start_copy(byte *, const void *, unsigned, unsigned);
void commit_copies(void);
void wait_for_copies(unsigned);
void arrive_after_copies(unsigned);
void mbarrier_init(unsigned, unsigned);
void mbarrier_arrive(unsigned, unsigned);
void mbarrier_arrive_remote(unsigned);
void mbarrier_wait(unsigned, unsigned);
void numbered_barrier(unsigned, unsigned, int);
void start_bulk_copy(unsigned, const void *, unsigned, unsigned);
void start_remote_store(unsigned, const void *, unsigned, unsigned);
void start_product(const product_kind *, void *, unsigned long, const void *, unsigned long);
void commit_products(void);
void meet_cluster(void);
unsigned look_at_published(const void *, unsigned);
int look_at_counter(const int *);
void wait_for_launches_before(void);
unsigned remote_address(unsigned, unsigned);
byte *remote_memory(unsigned, unsigned);
void wait_for_products(unsigned);
enum { OWN_BLOCK = 0 };
void start_tensor_copy(const void *, unsigned, const int *, const int *, unsigned, int, unsigned, unsigned);
void start_tensor_store(const void *, unsigned, const int *, unsigned);
void prefetch_box(const void *, unsigned, const int *);
void commit_tensor_stores(void);
void wait_for_tensor_stores(unsigned);
extern const instruction shuffle, warp_barrier;
extern const instruction stored_x1, stored_x2, stored_x4, stored_x1_trans, stored_x2_trans, stored_x4_trans;
extern const instruction matrices_x1, matrices_x2, matrices_x4, matrices_x1_trans, matrices_x2_trans, matrices_x4_trans;
}

/* Variables of the device stand together; the linker gives the names of the section's ends. */
extern "C" __attribute__((weak, visibility("hidden"))) byte __start_device_memory[], __stop_device_memory[];
#define DEVICE_MEMORY __attribute__((section("device_memory")))

#define __device__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define threadIdx (current_thread->thread)
#define blockIdx (current_thread->block)

/* What a warp does together. ------------------------------------------------------------------------------- */

enum { WARP_LANES = 32, MOST_DEFERRED = 64 };

/* Write down what this lane and the others have to do; the operands must stay until it is done. */
static inline void defer(const instruction &what, void *x = 0, void *y = 0, void *z = 0) {
  thread_view *me = current_thread;
  if (me->waiting == MOST_DEFERRED) settle();
  me->queue[me->waiting++ * WARP_LANES] = {&what, {x, y, z}};
  me->sequence = me->sequence * 31 + (unsigned long)&what;
}
static inline void settle_now() { if (__builtin_expect(current_thread->waiting, 0)) settle(); }

/* Registers that such an instruction may have yet to read or to write: what else uses them waits for it. */
template <class T, int count> struct registers {
  T unsettled[count];
  T &operator[](int i) { settle_now(); return unsettled[i]; }
  ~registers() { settle_now(); }
};

/* A pointer into them or into shared memory. */
template <class T> struct pointer {
  T *unsettled;
  pointer(T *p) : unsettled(p) {}
  T &operator[](long i) const { settle_now(); return unsettled[i]; }
  T *operator+(long i) const { settle_now(); return unsettled + i; }
  template <class U> operator U *() const { settle_now(); return (U *)unsettled; }
};

/* The address of registers that stand side by side. */
template <class T> static inline void *row_of(T &x) { return (void *)&x; }
template <class T, class... U> static inline void *row_of(T &x, T &y, U &...more) {
  if (&y != &x + 1) fault("the registers of an operand must stand side by side");
  row_of(y, more...);
  return (void *)&x;
}

/* The kernels of a unit. ---------------------------------------------------------------------------------- */

template <unsigned... i> struct numbers {};
template <unsigned n, unsigned... i> struct count_to : count_to<n - 1, n - 1, i...> {};
template <unsigned... i> struct count_to<0, i...> { typedef numbers<i...> type; };

template <class... A, unsigned... i> static inline void call_with(void (*f)(A...), void **p, numbers<i...>) {
  f(*(A *)p[i]...);
}
template <class... A> static inline void call_kernel(void (*f)(A...), void **p) {
  call_with(f, p, typename count_to<sizeof...(A)>::type());
}
template <class... A> constexpr unsigned arity(void (*)(A...)) { return sizeof...(A); }

/* The C library. ------------------------------------------------------------------------------------------ */

#define DECLARE_1(name) double name(double); float name##f(float);
#define DECLARE_2(name) double name(double, double); float name##f(float, float);
extern "C" {
DECLARE_1(exp) DECLARE_1(exp2) DECLARE_1(expm1) DECLARE_1(log) DECLARE_1(log2) DECLARE_1(log10)
DECLARE_1(log1p) DECLARE_1(sqrt) DECLARE_1(cbrt) DECLARE_1(erf) DECLARE_1(ceil) DECLARE_1(floor)
DECLARE_1(trunc) DECLARE_1(round) DECLARE_1(rint) DECLARE_1(sin) DECLARE_1(cos) DECLARE_1(tan)
DECLARE_1(asin) DECLARE_1(acos) DECLARE_1(atan) DECLARE_1(sinh) DECLARE_1(cosh) DECLARE_1(tanh)
DECLARE_1(asinh) DECLARE_1(acosh) DECLARE_1(atanh) DECLARE_1(fabs)
DECLARE_2(fmax) DECLARE_2(fmin) DECLARE_2(copysign) DECLARE_2(pow) DECLARE_2(atan2)
double fma(double, double, double);
float fmaf(float, float, float);
}

static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }

/* CUDA C++. ----------------------------------------------------------------------------------------------- */

template <class To, class From> static inline To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
static inline float __int_as_float(int x) { return bits_of<float>(x); }
static inline float __uint_as_float(unsigned x) { return bits_of<float>(x); }
static inline double __longlong_as_double(long long x) { return bits_of<double>(x); }
/* An address in the shared memory of a cluster: the rank of the block, then the byte. */
enum { RANK_SHIFT = 24 };
static inline unsigned long __cvta_generic_to_shared(const void *p) {
  return (unsigned long)current_thread->rank << RANK_SHIFT | (unsigned long)((const byte *)p - current_thread->shared);
}
/* The byte of an address that has to be in the block's own memory. */
static inline unsigned own(unsigned address) {
  if (address >> RANK_SHIFT != current_thread->rank) fault("an address in block %u of the cluster is taken for an own one", address >> RANK_SHIFT);
  return address & ((1u << RANK_SHIFT) - 1);
}

static inline void __syncthreads() { block_barrier(); }
static inline void __syncwarp() { defer(warp_barrier); settle(); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

struct exchange { unsigned long value, result; unsigned from; };

template <class T> static inline T exchange_with(T value, unsigned from) {
  exchange e = {0, 0, from};
  __builtin_memcpy(&e.value, &value, sizeof value);
  defer(shuffle, &e);
  settle();
  __builtin_memcpy(&value, &e.result, sizeof value);
  return value;
}
static inline unsigned lane() { return threadIdx.x % 32; }
template <class T> static inline T __shfl_sync(unsigned, T value, int from) { return exchange_with(value, (unsigned)from % 32); }
template <class T> static inline T __shfl_xor_sync(unsigned, T value, int mask) { return exchange_with(value, lane() ^ (unsigned)mask); }
template <class T> static inline T __shfl_up_sync(unsigned, T value, unsigned by) { return exchange_with(value, lane() < by ? lane() : lane() - by); }
template <class T> static inline T __shfl_down_sync(unsigned, T value, unsigned by) { return exchange_with(value, lane() + by > 31 ? lane() : lane() + by); }

template <class T> static inline T atomicAdd(T *place, T value) {
  T old = *place, sum;
  do sum = old + value;
  while (!__atomic_compare_exchange(place, &old, &sum, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return old;
}

/* PTX: conversions. --------------------------------------------------------------------------------------- */

static inline void ptx_cvt_f32_f16(float &y, unsigned short x) {
  unsigned bits = bits_of<unsigned>(bits_of<float>((x & 0x7fffu) << 13) * 0x1p112f);
  if ((x & 0x7c00) == 0x7c00) bits |= 0x7f800000;
  y = bits_of<float>(bits | (x & 0x8000u) << 16);
}

/* To nearest, ties to even; NaN is 0x7fff. */
static inline void ptx_cvt_rn_f16_f32(unsigned short &y, float x) {
  unsigned bits = bits_of<unsigned>(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) y = 0x7fff;
  else if (size >= 0x477ff000) y = sign | 0x7c00;          /* 65520 and above */
  else if (size < 0x38800000)                              /* below 2^-14: multiples of 2^-24, the unit of 0.5 */
    y = sign | (bits_of<unsigned>(bits_of<float>(size) + 0.5f) - 0x3f000000);
  else y = sign | (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
}

static inline void ptx_cvt_rn_bf16_f32(unsigned short &y, float x) {
  unsigned bits = bits_of<unsigned>(x);
  y = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* To nearest, ties away from zero. */
static inline void ptx_cvt_rna_tf32_f32(unsigned &y, float x) {
  unsigned bits = bits_of<unsigned>(x);
  y = (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000;
}

/* The hardware's is within a unit in the last place of it (PTX ISA, "rcp"). */
static inline void ptx_rcp_approx_f32(float &y, float x) { y = 1.0f / x; }

static inline void ptx_rcp_approx_ftz_f32(float &y, float x) {
  y = 1.0f / x;
  if (y < 0x1p-126f && y > -0x1p-126f) y = 0.0f;
}

/* The hardware's has a relative error of 2**-22; subnormal numbers are zero (PTX ISA, "ex2"). */
static inline void ptx_ex2_approx_ftz_f32(float &y, float x) {
  y = __builtin_exp2f(x);
  if (y < 0x1p-126f) y = 0.0f;
}

static inline void ptx_max_NaN_f32(float &z, float x, float y) { z = x != x || y != y ? __builtin_nanf("") : x > y || (x == y && !__builtin_signbit(x)) ? x : y; }
static inline void ptx_min_NaN_f32(float &z, float x, float y) { z = x != x || y != y ? __builtin_nanf("") : x < y || (x == y && __builtin_signbit(x)) ? x : y; }

/* PTX: asynchronous copies. ------------------------------------------------------------------------------- */

static inline void ptx_cp_async_cg_shared_global(unsigned to, const void *from, unsigned bytes, unsigned filled) {
  start_copy(current_thread->shared + own(to), from, bytes, filled);
}
static inline void ptx_cp_async_ca_shared_global(unsigned to, const void *from, unsigned bytes, unsigned filled) {
  start_copy(current_thread->shared + own(to), from, bytes, filled);
}
static inline void ptx_cp_async_commit_group() { commit_copies(); }
static inline void ptx_cp_async_wait_group(unsigned outstanding) { wait_for_copies(outstanding); }

static inline void ptx_cp_async_mbarrier_arrive_noinc_shared__cta_b64(unsigned place) { arrive_after_copies(own(place)); }

/* PTX: tokens; a wait comes back when it is over. ---------------------------------------------------------- */

static inline void ptx_mbarrier_init_shared__cta_b64(unsigned place, unsigned arrivals) { ::mbarrier_init(own(place), arrivals); }
static inline void ptx_fence_mbarrier_init_release_cluster() {}
static inline void ptx_mbarrier_arrive_shared__cta_b64(unsigned place) { ::mbarrier_arrive(own(place), 0); }
static inline void ptx_mbarrier_arrive_release_cluster_shared__cluster_b64(unsigned address) { mbarrier_arrive_remote(address); }
static inline void ptx_mbarrier_arrive_expect_tx_shared__cta_b64(unsigned place, unsigned bytes) { ::mbarrier_arrive(own(place), bytes); }
static inline void ptx_mbarrier_try_wait_parity_shared__cta_b64(int &done, unsigned place, unsigned parity) {
  ::mbarrier_wait(own(place), parity);
  done = 1;
}
static inline void ptx_mbarrier_try_wait_parity_acquire_cluster_shared__cta_b64(int &done, unsigned place, unsigned parity) {
  ptx_mbarrier_try_wait_parity_shared__cta_b64(done, place, parity);
}
static inline void ptx_bar_sync(unsigned number, unsigned threads) { numbered_barrier(number, threads, 1); }
static inline void ptx_bar_arrive(unsigned number, unsigned threads) { numbered_barrier(number, threads, 0); }
static inline void ptx_cp_async_bulk_shared__cluster_global_mbarrier__complete_tx__bytes(
    unsigned to, const void *from, unsigned bytes, unsigned barrier) {
  start_bulk_copy(own(to), from, bytes, own(barrier));
}

#define TENSOR_COPY(axes, coordinates, listed)                                                              \
  static inline void ptx_cp_async_bulk_tensor_##axes##d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_multicast__cluster( \
      unsigned to, const void *map, UNPACKED coordinates, unsigned barrier, unsigned blocks) {                \
    int at[] = {UNPACKED listed};                                                                            \
    start_tensor_copy(map, axes, at, 0, own(to), 0, own(barrier), blocks);                                             \
  }                                                                                                        \
  static inline void ptx_cp_async_bulk_tensor_##axes##d_shared__cluster_global_tile_mbarrier__complete_tx__bytes( \
      unsigned to, const void *map, UNPACKED coordinates, unsigned barrier) {                                \
    int at[] = {UNPACKED listed};                                                                            \
    start_tensor_copy(map, axes, at, 0, own(to), 0, own(barrier), OWN_BLOCK);                                          \
  }                                                                                                        \
  static inline void ptx_cp_async_bulk_prefetch_tensor_##axes##d_L2_global_tile(const void *map, UNPACKED coordinates) { \
    int at[] = {UNPACKED listed};                                                                            \
    prefetch_box(map, axes, at);                                                                             \
  }                                                                                                        \
  static inline void ptx_cp_async_bulk_tensor_##axes##d_global_shared__cta_tile_bulk_group(                  \
      const void *map, UNPACKED coordinates, unsigned from) {                                                \
    int at[] = {UNPACKED listed};                                                                            \
    start_tensor_store(map, axes, at, own(from));                                                                 \
  }
#define IM2COL_COPY(axes, coordinates, listed, offsets, listed_offsets)                                      \
  static inline void ptx_cp_async_bulk_tensor_##axes##d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_multicast__cluster( \
      unsigned to, const void *map, UNPACKED coordinates, unsigned barrier, UNPACKED offsets, unsigned blocks) { \
    int at[] = {UNPACKED listed}, from[] = {UNPACKED listed_offsets};                                        \
    start_tensor_copy(map, axes, at, from, own(to), 1, own(barrier), blocks);                                          \
  }                                                                                                        \
  static inline void ptx_cp_async_bulk_tensor_##axes##d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes( \
      unsigned to, const void *map, UNPACKED coordinates, unsigned barrier, UNPACKED offsets) {              \
    int at[] = {UNPACKED listed}, from[] = {UNPACKED listed_offsets};                                        \
    start_tensor_copy(map, axes, at, from, own(to), 1, own(barrier), OWN_BLOCK);                                       \
  }
#define UNPACKED(...) __VA_ARGS__
TENSOR_COPY(1, (int a), (a))
TENSOR_COPY(2, (int a, int b), (a, b))
TENSOR_COPY(3, (int a, int b, int c), (a, b, c))
TENSOR_COPY(4, (int a, int b, int c, int d), (a, b, c, d))
TENSOR_COPY(5, (int a, int b, int c, int d, int e), (a, b, c, d, e))
typedef unsigned short offset;
IM2COL_COPY(3, (int a, int b, int c), (a, b, c), (offset u), (u))
IM2COL_COPY(4, (int a, int b, int c, int d), (a, b, c, d), (offset u, offset v), (u, v))
IM2COL_COPY(5, (int a, int b, int c, int d, int e), (a, b, c, d, e), (offset u, offset v, offset w), (u, v, w))
static inline void ptx_prefetch_tensormap(const void *) {}
static inline void ptx_griddepcontrol_wait() { wait_for_launches_before(); }
static inline void ptx_griddepcontrol_launch_dependents() {}
static inline void ptx_cp_async_bulk_commit_group() { commit_tensor_stores(); }
static inline void ptx_cp_async_bulk_wait_group(unsigned outstanding) { wait_for_tensor_stores(outstanding); }
static inline void ptx_cp_async_bulk_wait_group_read(unsigned outstanding) { wait_for_tensor_stores(outstanding); }

/* PTX: registers, of which an emulated thread has as many as it wants. --------------------------------------- */

static inline void ptx_setmaxnreg_inc_sync_aligned_u32(unsigned) {}
static inline void ptx_setmaxnreg_dec_sync_aligned_u32(unsigned) {}

/* PTX: matrices. ------------------------------------------------------------------------------------------ */

#define PTX_LDMATRIX(name, declared, ...)                                                                  \
  static inline void ptx_ldmatrix_sync_aligned_m8n8_##name##_shared_b16(declared, unsigned row) {            \
    defer(matrices_##name, row_of(__VA_ARGS__), (void *)(unsigned long)own(row));                                 \
  }
#define PTX_LDMATRICES(suffix)                                                                             \
  PTX_LDMATRIX(x1##suffix, unsigned &d0, d0)                                                               \
  PTX_LDMATRIX(x2##suffix, TWO, d0, d1)                                                                    \
  PTX_LDMATRIX(x4##suffix, FOUR, d0, d1, d2, d3)
#define PTX_STMATRIX(name, declared, ...)                                                                  \
  static inline void ptx_stmatrix_sync_aligned_m8n8_##name##_shared_b16(unsigned row, declared) {            \
    defer(stored_##name, row_of(__VA_ARGS__), (void *)(unsigned long)own(row));                                   \
  }
#define PTX_STMATRICES(suffix)                                                                             \
  PTX_STMATRIX(x1##suffix, const unsigned &d0, d0)                                                         \
  PTX_STMATRIX(x2##suffix, FROM_TWO, d0, d1)                                                               \
  PTX_STMATRIX(x4##suffix, FROM_FOUR, d0, d1, d2, d3)
#define FROM_TWO const unsigned &d0, const unsigned &d1
#define FROM_FOUR FROM_TWO, const unsigned &d2, const unsigned &d3
#define TWO unsigned &d0, unsigned &d1
#define FOUR TWO, unsigned &d2, unsigned &d3
PTX_LDMATRICES()
PTX_LDMATRICES(_trans)
PTX_STMATRICES()
PTX_STMATRICES(_trans)

/* PTX: products of warpgroups; what a row of instructions is called comes after this file. What fences do nobody can
 * see here: a thread's registers and the block's memory are the same for all. -------------------------------- */

static inline void ptx_fence_proxy_async_shared__cta() {}
static inline void ptx_wgmma_fence_sync_aligned() {}
static inline void ptx_wgmma_commit_group_sync_aligned() { commit_products(); }
static inline void ptx_wgmma_wait_group_sync_aligned(unsigned outstanding) { wait_for_products(outstanding); }

/* PTX: clusters. ------------------------------------------------------------------------------------------ */

#define special_cluster_ctarank (current_thread->rank)
static inline void ptx_mov_u32(unsigned &to, unsigned from) { to = from; }
static inline void ptx_barrier_cluster_arrive_release_aligned() {}
static inline void ptx_barrier_cluster_arrive_relaxed_aligned() {}
static inline void ptx_barrier_cluster_wait_acquire_aligned() { ::meet_cluster(); }
static inline void ptx_mapa_shared__cluster_u32(unsigned &to, unsigned place, unsigned rank) { to = ::remote_address(own(place), rank); }

static inline void move_words(void *to, const void *from, unsigned count) { __builtin_memcpy(to, from, 4 * count); }
static inline void ptx_ld_shared__cluster_u32(unsigned &r, unsigned from) { move_words(&r, remote_memory(from, 4), 1); }
static inline void ptx_ld_shared__cluster_v2_u32(unsigned &r, unsigned &s, unsigned from) { move_words(row_of(r, s), remote_memory(from, 8), 2); }
static inline void ptx_ld_shared__cluster_v4_u32(unsigned &r, unsigned &s, unsigned &t, unsigned &u, unsigned from) {
  move_words(row_of(r, s, t, u), remote_memory(from, 16), 4);
}
static inline void ptx_st_shared__cluster_u32(unsigned to, const unsigned &r) { move_words(remote_memory(to, 4), &r, 1); }
static inline void ptx_st_shared__cluster_v2_u32(unsigned to, const unsigned &r, const unsigned &s) { move_words(remote_memory(to, 8), row_of(r, s), 2); }
static inline void ptx_st_shared__cluster_v4_u32(unsigned to, const unsigned &r, const unsigned &s, const unsigned &t, const unsigned &u) {
  move_words(remote_memory(to, 16), row_of(r, s, t, u), 4);
}

/* PTX: blocks that wait for each other; who looks again at a counter comes back when it has changed. ------------------- */

static inline void ptx_fence_acq_rel_gpu() { __threadfence(); }
static inline void ptx_red_relaxed_gpu_global_add_s32(int *counter, int value) { settle(), atomicAdd(counter, value); }
static inline void ptx_ld_acquire_gpu_global_s32(int &r, const int *from) { r = look_at_counter(from); }

/* PTX: published values; who looks again at a mark comes back when it is gone. -------------------------------------------- */

static inline unsigned word_that_came(unsigned came, unsigned number, const void *from) {
  return came >> number & 1 ? ((const unsigned *)from)[number] : ~0u;
}
static inline void ptx_ld_relaxed_gpu_global_u32(unsigned &r, const void *from) { r = word_that_came(look_at_published(from, 1), 0, from); }
static inline void ptx_ld_relaxed_gpu_global_v2_u32(unsigned &r, unsigned &s, const void *from) {
  unsigned came = look_at_published(from, 2);
  r = word_that_came(came, 0, from), s = word_that_came(came, 1, from);
}
static inline void ptx_ld_relaxed_gpu_global_v4_u32(unsigned &r, unsigned &s, unsigned &t, unsigned &u, const void *from) {
  unsigned came = look_at_published(from, 4);
  r = word_that_came(came, 0, from), s = word_that_came(came, 1, from);
  t = word_that_came(came, 2, from), u = word_that_came(came, 3, from);
}
static inline void ptx_st_relaxed_gpu_global_u32(void *to, unsigned r) { move_words(to, &r, 1); }
static inline void ptx_st_relaxed_gpu_global_v2_u32(void *to, unsigned r, unsigned s) {
  unsigned words[] = {r, s};
  move_words(to, words, 2);
}
static inline void ptx_st_relaxed_gpu_global_v4_u32(void *to, unsigned r, unsigned s, unsigned t, unsigned u) {
  unsigned words[] = {r, s, t, u};
  move_words(to, words, 4);
}

static inline void ptx_st_async_shared__cluster_mbarrier__complete_tx__bytes_u32(unsigned to, const unsigned &r, unsigned barrier) {
  start_remote_store(to, &r, 4, barrier);
}
static inline void ptx_st_async_shared__cluster_mbarrier__complete_tx__bytes_v2_u32(
    unsigned to, const unsigned &r, const unsigned &s, unsigned barrier) {
  start_remote_store(to, row_of(r, s), 8, barrier);
}
static inline void ptx_st_async_shared__cluster_mbarrier__complete_tx__bytes_v4_u32(
    unsigned to, const unsigned &r, const unsigned &s, const unsigned &t, const unsigned &u, unsigned barrier) {
  start_remote_store(to, row_of(r, s, t, u), 16, barrier);
}
