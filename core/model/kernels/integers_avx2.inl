// Beside simd_avx2.inl, for packed weights: quantized numbers of eight rows, and integers in the lanes of Vec.
/// Four columns of each row, a byte each.
struct Codes {
  __m256i v;
  static Codes load(const std::byte* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
};
inline Codes operator|(const Codes& a, const Codes& b) { return {_mm256_or_si256(a.v, b.v)}; }
/// Each byte's bits moved up by Up, or down where it is negative, as far as they are in Mask, which must not let in
/// those of the byte beside.
template <int Up, int Mask>
inline Codes moved(const Codes& c) {
  __m256i bits = c.v;
  if constexpr (Up > 0) bits = _mm256_slli_epi16(bits, Up);
  if constexpr (Up < 0) bits = _mm256_srli_epi16(bits, -Up);
  return {_mm256_and_si256(bits, _mm256_set1_epi8(Mask))};
}

struct Ints {
  __m256i v;
  static Ints zero() { return {_mm256_setzero_si256()}; }
  static Ints broadcast(const std::byte* p) {
    int number;
    __builtin_memcpy(&number, p, sizeof(number));
    return {_mm256_set1_epi32(number)};
  }
  static Ints from_unsigned(const std::byte* p) {
    return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  static Ints from_signed(const std::byte* p) {
    return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  Vec to_vec() const { return {_mm256_cvtepi32_ps(v)}; }
};
inline Ints operator|(const Ints& a, const Ints& b) { return {_mm256_or_si256(a.v, b.v)}; }
template <int Shift>
inline Ints shifted_up(const Ints& a) {
  return {_mm256_slli_epi32(a.v, Shift)};
}
template <int Shift, int Mask>
inline Ints shifted_down(const Ints& a) {
  return {_mm256_and_si256(_mm256_srli_epi32(a.v, Shift), _mm256_set1_epi32(Mask))};
}
/// sum + the products of both 16-bit halves of each lane.
inline Ints add_products(const Ints& sum, const Ints& a, const Ints& b) {
  return {_mm256_add_epi32(sum.v, _mm256_madd_epi16(a.v, b.v))};
}

/// Sum of the products of codes (0 to 63) with four inputs (-127 to 127) for all rows. fold() is due before products of
/// two bytes, added up, exceed 16 bits.
struct CodeSum {
  __m256i v, words;
  static CodeSum start(const Ints& from) { return {from.v, _mm256_setzero_si256()}; }
  void add(const Codes& codes, const std::byte* inputs) {
    words = _mm256_add_epi16(words, _mm256_maddubs_epi16(codes.v, Ints::broadcast(inputs).v));
  }
  void fold() {
    v = _mm256_add_epi32(v, _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
    words = _mm256_setzero_si256();
  }
  Vec to_vec() const { return {_mm256_cvtepi32_ps(v)}; }
};

/// Without F16C, which is an instruction set of its own: the exponent's bias is a factor, also of subnormal numbers.
inline Vec load_halves(const std::byte* p) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  const __m256i size = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff));
  const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x8000)), 16);
  const __m256 number = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(size, 13)), _mm256_set1_ps(0x1p112F));
  const __m256i infinite = _mm256_and_si256(_mm256_cmpgt_epi32(size, _mm256_set1_epi32(0x7bff)),  // or NaN
                                            _mm256_set1_epi32(0x7f800000));
  return {_mm256_or_ps(number, _mm256_castsi256_ps(_mm256_or_si256(sign, infinite)))};
}
/// Whole numbers from -128 to 127 as bytes.
inline void store_bytes(const Vec& whole, std::byte* p) {
  const __m256i numbers = _mm256_cvtps_epi32(whole.v);
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}
