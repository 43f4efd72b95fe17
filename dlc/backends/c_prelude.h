/* What generated C calls: stored 16-bit floats and float functions that a compiler can vectorise.
 *
 * The functions have no branches and no calls, so that a loop over them becomes SIMD code; their
 * errors, in units in the last place (ulp), are held by test/numerics/test_c_functions.py over all
 * exponents. Infinities, NaN, signed zeros and denormals are as in the C library. Polynomials are
 * least-maximum-error fits of the functions named beside them. */
#include <math.h>
#include <stdbool.h>

#define DLC_INLINE static inline __attribute__((always_inline, unused))

/* A zero that the compiler does not know to be one; exclusive or with it keeps an index from being
 * seen as a mask. GCC 12 takes b[x > 4 ? 1 : 0] in a SIMD loop for an access at the places that the
 * comparison gives, in which true is -1, and reads b[-1]. */
#define DLC_UNKNOWN_ZERO(name) \
  int name;                    \
  __asm__("" : "=r"(name) : "0"(0))

DLC_INLINE unsigned dlc_bits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}

DLC_INLINE float dlc_float(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

/* A value as it is rounded, where the compiler may not fuse what makes it with what takes it: with
 * a zero that it does not know. */
DLC_INLINE float dlc_roundedf(float x, int zero) { return dlc_float(dlc_bits(x) ^ (unsigned)zero); }

DLC_INLINE double dlc_rounded(double x, int zero) {
  long long bits;
  __builtin_memcpy(&bits, &x, 8);
  bits ^= zero;
  __builtin_memcpy(&x, &bits, 8);
  return x;
}

DLC_INLINE float dlc_load_bf16(unsigned short x) { return dlc_float((unsigned)x << 16); }

/* Rounds to the nearest, ties to even; a NaN stays one. */
DLC_INLINE unsigned short dlc_store_bf16(float x) {
  const unsigned bits = dlc_bits(x);
  const unsigned rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (unsigned short)(x != x ? (bits >> 16) | 0x40u : rounded);
}

/* The exponent and the mantissa are moved to their places in a float; denormals are normalised by a
 * subtraction. */
DLC_INLINE float dlc_load_f16(unsigned short x) {
  const unsigned magnitude = (x & 0x7fffu) << 13;
  const float normal = dlc_float(magnitude + (112u << 23));
  const float special = dlc_float(magnitude | (255u << 23));
  const float denormal = dlc_float(magnitude + (113u << 23)) - dlc_float(113u << 23);
  const float y = magnitude >= (31u << 23) ? special : magnitude < (1u << 23) ? denormal : normal;
  return dlc_float(dlc_bits(y) | (unsigned)(x & 0x8000u) << 16);
}

/* Rounds to the nearest, ties to even: a large addition does it for denormals, an integer one for
 * the others. */
DLC_INLINE unsigned short dlc_store_f16(float x) {
  const unsigned magnitude = dlc_bits(x) & 0x7fffffffu;
  const unsigned denormal = dlc_bits(dlc_float(magnitude) + 0.5f) - (126u << 23);
  const unsigned normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const unsigned special = magnitude > (255u << 23) ? 0x7e00u : 0x7c00u;
  const unsigned y =
      magnitude >= 0x477ff000u ? special : magnitude < (113u << 23) ? denormal : normal;
  return (unsigned short)(y | (dlc_bits(x) >> 16 & 0x8000u));
}

/* exp(r) - 1 for |r| <= log(2) / 2. */
DLC_INLINE float dlc_expm1_near(float r) {
  float p = 0x1.a032c8p-13f;
  p = p * r + 0x1.6d7296p-10f;
  p = p * r + 0x1.11118ap-7f;
  p = p * r + 0x1.5554b0p-5f;
  p = p * r + 0x1.555554p-3f;
  p = p * r + 0.5f;
  return p * r * r + r;
}

/* 2**n as two factors' product times x: neither factor overflows where the result does not. */
DLC_INLINE float dlc_scale(float x, int n) {
  const int half = n >> 1;
  return x * dlc_float((unsigned)(half + 127) << 23) * dlc_float((unsigned)(n - half + 127) << 23);
}

/* The multiple of log(2) nearest to x, as a count; for |x| < 2**21. */
DLC_INLINE float dlc_round(float x) { return (x + 0x1.8p23f) - 0x1.8p23f; }

DLC_INLINE float dlc_reduced(float x, float n) {
  return (x - n * 0x1.62e400p-1f) - n * 0x1.7f7d1cp-20f; /* log(2) in two parts */
}

/* At most 2 ulp. */
DLC_INLINE float dlc_expf(float x) {
  const float low = x < -104.0f ? -104.0f : x;
  const float y = low > 89.0f ? 89.0f : low;
  const float n = dlc_round(y * 0x1.715476p+0f);
  return dlc_scale(1.0f + dlc_expm1_near(dlc_reduced(y, n)), (int)n);
}

/* At most 4 ulp. */
DLC_INLINE float dlc_expm1f(float x) {
  const float near = copysignf(dlc_expm1_near(x), x); /* the sum loses the sign of a zero */
  return x > -0.34f && x < 0.34f ? near : dlc_expf(x) - 1.0f;
}

/* At most 2 ulp. log(m) = 2 s + s R(s * s) with s = (m - 1) / (m + 1), m in sqrt(1/2) .. sqrt(2). */
DLC_INLINE float dlc_logf(float x) {
  const bool tiny = x < 0x1p-126f;
  const unsigned bits = dlc_bits(tiny ? x * 0x1p23f : x);
  const unsigned shifted = bits - 0x3f3504f3u;
  const float e = (float)((int)shifted >> 23) - (tiny ? 23.0f : 0.0f);
  const float f = dlc_float((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float r = z * ((0x1.31e33cp-2f * z + 0x1.995eb8p-2f) * z + 0x1.55557ap-1f);
  const float square = 0.5f * f * f;
  const float y = f - (square - (s * (square + r) + e * 0x1.7f7d1cp-20f)) + e * 0x1.62e400p-1f;
  const float special = x == 0.0f ? -INFINITY : x > 0.0f ? x : NAN;
  return (x > 0.0f) & (x < INFINITY) ? y : special;
}

/* At most 4 ulp. The logarithm of the rounded u = 1 + x, times what x is of the u - 1 that it is of.
   No short circuits here: GCC 12 makes jumps of them that leave a loop scalar. */
DLC_INLINE float dlc_log1pf(float x) {
  const float u = 1.0f + x;
  const float near = u - 1.0f;
  const float y = dlc_logf(u) * (x / (near == 0.0f ? 1.0f : near));
  return (near == 0.0f) | (x == INFINITY) ? x : y;
}

/* At most 3 ulp. */
DLC_INLINE float dlc_tanhf(float x) {
  const float a = x < 0.0f ? -x : x;
  const float z = x * x;
  float p = 0x1.18e1dcp-9f;
  p = p * z - 0x1.0bf4fcp-7f;
  p = p * z + 0x1.638b58p-6f;
  p = p * z - 0x1.b9ee90p-5f;
  p = p * z + 0x1.111066p-3f;
  p = p * z - 0x1.555554p-2f;
  const float near = a + a * z * p;
  const float far = 1.0f - 2.0f / (dlc_expf(2.0f * a) + 1.0f);
  return copysignf(a < 0.625f ? near : far, x); /* of a zero too */
}

/* At most 3 ulp. erf(x) = x + x E(x * x) below 1, 1 - exp(-Q(x)) from there on; 1 from 3.92 on. */
DLC_INLINE float dlc_erff(float x) {
  const float a = x < 0.0f ? -x : x;
  const float z = x * x;
  float p = 0x1.496a30p-14f;
  p = p * z - 0x1.a3f700p-11f;
  p = p * z + 0x1.5405b2p-8f;
  p = p * z - 0x1.b7f90ep-6f;
  p = p * z + 0x1.ce2cf8p-4f;
  p = p * z - 0x1.81273ep-2f;
  p = p * z + 0x1.06eba8p-3f;
  const float near = x + x * p;
  const float b = a > 4.0f ? 4.0f : a;
  float q = -0x1.86dd9ap-13f;
  q = q * b + 0x1.825b06p-9f;
  q = q * b - 0x1.65cb7ep-6f;
  q = q * b + 0x1.a65346p-4f;
  q = q * b + 0x1.46baecp-1f;
  q = q * b + 0x1.2088eap+0f;
  q = q * b + 0x1.661cb2p-12f;
  const float far = 1.0f - dlc_expf(-q);
  return a < 1.0f ? near : x < 0.0f ? -far : x > 0.0f ? far : x;
}

DLC_INLINE double dlc_exp(double x) { return exp(x); }
DLC_INLINE double dlc_expm1(double x) { return expm1(x); }
DLC_INLINE double dlc_log(double x) { return log(x); }
DLC_INLINE double dlc_log1p(double x) { return log1p(x); }
DLC_INLINE double dlc_tanh(double x) { return tanh(x); }
DLC_INLINE double dlc_erf(double x) { return erf(x); }
