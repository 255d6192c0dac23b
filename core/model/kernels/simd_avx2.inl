// AVX2 and FMA: eight lanes.
struct Vec {
  static constexpr int lanes = 8;
  static constexpr int rows = 6;  // 6 x 2 sums, 2 operands and 1 broadcast fill the 16 registers
  __m256 v;

  static Vec set1(float x) { return {_mm256_set1_ps(x)}; }
  static Vec zero() { return {_mm256_setzero_ps()}; }
  static Vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Vec load(const Bf16* p) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16))};
  }
  template <class T>
  static Vec load_first(const T* p, int count) {
    alignas(32) float padded[lanes] = {};
    for (int i = 0; i < count; ++i) padded[i] = to_float(p[i]);
    return {_mm256_load_ps(padded)};
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  void store(Bf16* p) const {
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    rounded = _mm256_srli_epi32(rounded, 16);
    const __m256i quiet = _mm256_or_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(0x40));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i picked = _mm256_blendv_epi8(rounded, quiet, nan);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(picked, picked), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  Vec first(int count, float other) const {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), index);
    return {_mm256_blendv_ps(_mm256_set1_ps(other), v, _mm256_castsi256_ps(inside))};
  }
  float sum() const {
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  float largest() const {
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
  }
};

inline Vec operator+(const Vec& a, const Vec& b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Vec operator*(const Vec& a, const Vec& b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Vec operator/(const Vec& a, const Vec& b) { return {_mm256_div_ps(a.v, b.v)}; }
inline Vec max(const Vec& a, const Vec& b) { return {_mm256_max_ps(a.v, b.v)}; }
inline Vec min(const Vec& a, const Vec& b) { return {_mm256_min_ps(a.v, b.v)}; }
/// a * b + c
inline Vec fma(const Vec& a, const Vec& b, const Vec& c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline Vec round(const Vec& a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
/// Clamps exponents for scale_by_power; minus infinity maps to one that gives 0.
inline Vec bound_exponent(const Vec& x) { return min(max(x, Vec::set1(-127.0F)), Vec::set1(127.0F)); }
/// a * 2^n for integer n in [-127, 127]; exactly 0 for n = -127.
inline Vec scale_by_power(const Vec& a, const Vec& n) {
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
  return {_mm256_mul_ps(a.v, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)))};
}
/// 2 * lanes elements: of bf16 those at even and at odd indices, of fp32 the first and the second half.
inline void load_split(const float* p, Vec& left, Vec& right) {
  left = Vec::load(p);
  right = Vec::load(p + Vec::lanes);
}
inline void load_split(const Bf16* p, Vec& left, Vec& right) {
  const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  left.v = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
  right.v = _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
}
inline Vec sqrt(const Vec& a) { return {_mm256_sqrt_ps(a.v)}; }
/// Lane i of the result is the sum over the lanes of v[i].
inline Vec sum_each(const Vec (&v)[Vec::lanes]) {
  __m256 fours[2];
  for (int i = 0; i < 2; ++i)
    fours[i] =
        _mm256_hadd_ps(_mm256_hadd_ps(v[4 * i].v, v[4 * i + 1].v), _mm256_hadd_ps(v[4 * i + 2].v, v[4 * i + 3].v));
  return {_mm256_add_ps(_mm256_permute2f128_ps(fours[0], fours[1], 0x20),
                        _mm256_permute2f128_ps(fours[0], fours[1], 0x31))};
}
/// 32 16-bit integers.
struct Words {
  __m256i lower, upper;
  static Words load(const short* p) {
    const __m256i* both = reinterpret_cast<const __m256i*>(p);
    return {_mm256_loadu_si256(both), _mm256_loadu_si256(both + 1)};
  }
  static Words load(const signed char* p) {
    const __m128i* both = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtepi8_epi16(_mm_loadu_si128(both)), _mm256_cvtepi8_epi16(_mm_loadu_si128(both + 1))};
  }
};
/// Lane-wise sums of the 32 products, added exactly while those of four are below 2^31, then rounded to fp32.
inline Vec dot_in_lanes(const Words& a, const Words& b) {
  return {
      _mm256_cvtepi32_ps(_mm256_add_epi32(_mm256_madd_epi16(a.lower, b.lower), _mm256_madd_epi16(a.upper, b.upper)))};
}
