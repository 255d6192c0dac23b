// Beside simd_avx512.inl, for packed weights: quantized numbers of sixteen rows, and integers in the lanes of Vec.
/// Four columns of each row, a byte each.
struct Codes {
  __m512i v;
  static Codes load(const std::byte* p) { return {_mm512_loadu_si512(p)}; }
};
inline Codes operator|(const Codes& a, const Codes& b) { return {_mm512_or_si512(a.v, b.v)}; }
/// Each byte's bits moved up by Up, or down where it is negative, as far as they are in Mask, which must not let in
/// those of the byte beside.
template <int Up, int Mask>
inline Codes moved(const Codes& c) {
  __m512i bits = c.v;
  if constexpr (Up > 0) bits = _mm512_slli_epi16(bits, Up);
  if constexpr (Up < 0) bits = _mm512_srli_epi16(bits, -Up);
  return {_mm512_and_si512(bits, _mm512_set1_epi8(Mask))};
}

struct Ints {
  __m512i v;
  static Ints zero() { return {_mm512_setzero_si512()}; }
  static Ints broadcast(const std::byte* p) {
    int number;
    __builtin_memcpy(&number, p, sizeof(number));
    return {_mm512_set1_epi32(number)};
  }
  static Ints from_unsigned(const std::byte* p) {
    return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  static Ints from_signed(const std::byte* p) {
    return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  Vec to_vec() const { return {_mm512_cvtepi32_ps(v)}; }
};
inline Ints operator|(const Ints& a, const Ints& b) { return {_mm512_or_si512(a.v, b.v)}; }
template <int Shift>
inline Ints shifted_up(const Ints& a) {
  return {_mm512_slli_epi32(a.v, Shift)};
}
template <int Shift, int Mask>
inline Ints shifted_down(const Ints& a) {
  return {_mm512_and_si512(_mm512_srli_epi32(a.v, Shift), _mm512_set1_epi32(Mask))};
}
/// sum + the products of both 16-bit halves of each lane.
inline Ints add_products(const Ints& sum, const Ints& a, const Ints& b) {
#ifdef KV_MULTIPLIES_BYTES
  return {_mm512_dpwssd_epi32(sum.v, a.v, b.v)};
#else
  return {_mm512_add_epi32(sum.v, _mm512_madd_epi16(a.v, b.v))};
#endif
}

/// Sum of the products of codes (0 to 63) with four inputs (-127 to 127) for all rows. fold() is due before products of
/// two bytes, added up, exceed 16 bits.
#ifdef KV_MULTIPLIES_BYTES
struct CodeSum {
  __m512i v;
  static CodeSum start(const Ints& from) { return {from.v}; }
  void add(const Codes& codes, const std::byte* inputs) {
    v = _mm512_dpbusd_epi32(v, codes.v, Ints::broadcast(inputs).v);
  }
  void fold() {}
  Vec to_vec() const { return {_mm512_cvtepi32_ps(v)}; }
};
#else
struct CodeSum {
  __m512i v, words;
  static CodeSum start(const Ints& from) { return {from.v, _mm512_setzero_si512()}; }
  void add(const Codes& codes, const std::byte* inputs) {
    words = _mm512_add_epi16(words, _mm512_maddubs_epi16(codes.v, Ints::broadcast(inputs).v));
  }
  void fold() {
    v = _mm512_add_epi32(v, _mm512_madd_epi16(words, _mm512_set1_epi16(1)));
    words = _mm512_setzero_si512();
  }
  Vec to_vec() const { return {_mm512_cvtepi32_ps(v)}; }
};
#endif

inline Vec load_halves(const std::byte* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
/// Whole numbers from -128 to 127 as bytes.
inline void store_bytes(const Vec& whole, std::byte* p) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(whole.v)));
}
