// AVX-512 (F, BW, VL, DQ): sixteen lanes.
struct Vec {
  static constexpr int lanes = 16;
  static constexpr int rows = 8;
  __m512 v;

  static __mmask16 below(int count) {
    return static_cast<__mmask16>(count <= 0 ? 0 : count >= lanes ? 0xffff : (1U << count) - 1U);
  }
  static Vec set1(float x) { return {_mm512_set1_ps(x)}; }
  static Vec zero() { return {_mm512_setzero_ps()}; }
  static Vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Vec load(const Bf16* p) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16))};
  }
  static Vec load_first(const float* p, int count) { return {_mm512_maskz_loadu_ps(below(count), p)}; }
  static Vec load_first(const Bf16* p, int count) {
    const __m256i half = _mm256_maskz_loadu_epi16(below(count), p);
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16))};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store(Bf16* p) const {
#ifdef KV_MULTIPLIES_BF16
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
#else
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i upper = _mm512_srli_epi32(bits, 16);
    const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd), 16);
    const __m512i quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
    const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    const __m512i picked = _mm512_mask_mov_epi32(rounded, nan, quiet);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(picked));
#endif
  }
  Vec first(int count, float other) const { return {_mm512_mask_mov_ps(_mm512_set1_ps(other), below(count), v)}; }
  float sum() const { return _mm512_reduce_add_ps(v); }
  float largest() const { return _mm512_reduce_max_ps(v); }
};

inline Vec operator+(const Vec& a, const Vec& b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Vec operator*(const Vec& a, const Vec& b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Vec operator/(const Vec& a, const Vec& b) { return {_mm512_div_ps(a.v, b.v)}; }
inline Vec max(const Vec& a, const Vec& b) { return {_mm512_max_ps(a.v, b.v)}; }
inline Vec min(const Vec& a, const Vec& b) { return {_mm512_min_ps(a.v, b.v)}; }
/// a * b + c
inline Vec fma(const Vec& a, const Vec& b, const Vec& c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline Vec round(const Vec& a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
/// Clamps exponents for scale_by_power; minus infinity maps to one that gives 0.
inline Vec bound_exponent(const Vec& x) { return max(x, Vec::set1(-1000.0F)); }
/// a * 2^n for integer n, 0.5 <= a < 2. Results below 2^-126 are made of their bits: Intel's processors take some 100
/// ns for an instruction with a denormal result, which many weights of a sharp attention are.
inline Vec scale_by_power(const Vec& a, const Vec& n) {
  if (_mm512_cmp_ps_mask(n.v, _mm512_set1_ps(-126.0F), _CMP_LE_OQ) == 0) return {_mm512_scalef_ps(a.v, n.v)};
  // Denormal numbers are multiples of 2^-149, and their bits say how many. 2^64 times as large they are as many times
  // 2^-85, which is what a sum with 2^-62 is rounded to and counts in its lowest bits.
  const __m512 smallest = _mm512_set1_ps(0x1p-62F);
  const __m512 power = _mm512_add_ps(_mm512_max_ps(n.v, _mm512_set1_ps(-151.0F)), _mm512_set1_ps(64.0F));
  const __m512 raised = _mm512_scalef_ps(a.v, power);
  const __mmask16 normal = _mm512_cmp_ps_mask(raised, smallest, _CMP_NLT_UQ);
  const __m512i bits =
      _mm512_sub_epi32(_mm512_castps_si512(_mm512_add_ps(raised, smallest)), _mm512_castps_si512(smallest));
  return {_mm512_mask_scalef_ps(_mm512_castsi512_ps(bits), normal, a.v, n.v)};
}
/// 2 * lanes elements: of bf16 those at even and at odd indices, of fp32 the first and the second half.
inline void load_split(const float* p, Vec& left, Vec& right) {
  left = Vec::load(p);
  right = Vec::load(p + Vec::lanes);
}
inline void load_split(const Bf16* p, Vec& left, Vec& right) {
  const __m512i pairs = _mm512_loadu_si512(p);
  left.v = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
  right.v = _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
}
inline Vec sqrt(const Vec& a) { return {_mm512_sqrt_ps(a.v)}; }
/// 128-bit parts: a0 + a1, a2 + a3, b0 + b1, b2 + b3.
inline Vec add_parts(const Vec& a, const Vec& b) {
  return {_mm512_add_ps(_mm512_shuffle_f32x4(a.v, b.v, _MM_SHUFFLE(2, 0, 2, 0)),
                        _mm512_shuffle_f32x4(a.v, b.v, _MM_SHUFFLE(3, 1, 3, 1)))};
}
/// Lane 4 p + i of the result is the sum over quarter p of v[i].
inline Vec sum_quarters(const Vec (&v)[4]) {
  const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(v[0].v, v[1].v), _mm512_unpackhi_ps(v[0].v, v[1].v));
  const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(v[2].v, v[3].v), _mm512_unpackhi_ps(v[2].v, v[3].v));
  return {_mm512_add_ps(_mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                        _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)))};
}
/// Lane i of the result is the sum over the lanes of v[i].
inline Vec sum_each(const Vec (&v)[Vec::lanes]) {
  Vec fours[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) fours[i] = sum_quarters({v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]});
  return add_parts(add_parts(fours[0], fours[1]), add_parts(fours[2], fours[3]));
}
/// 32 16-bit integers.
struct Words {
  __m512i v;
  static Words load(const short* p) { return {_mm512_loadu_si512(p)}; }
  static Words load(const signed char* p) {
    return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
};
/// Lane-wise sums of the 32 products, added exactly while those of each pair are below 2^31, then rounded to fp32.
inline Vec dot_in_lanes(const Words& a, const Words& b) { return {_mm512_cvtepi32_ps(_mm512_madd_epi16(a.v, b.v))}; }
