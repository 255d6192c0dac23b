// Inner product of bf16 pairs with fp32 sums (VDPBF16PS): twice the rate of fp32.
struct MultiplyBf16 {
  using Operand = std::uint32_t;  // two bf16, the even element in the lower half
  using Weight = Bf16;
  static constexpr int depth = 2;
  using Panel = __m512i;
  static Panel load(const Operand* p) { return _mm512_loadu_si512(p); }
  static void add(Vec& sum, Operand a, const Panel& b) {
    const __m512i pairs = _mm512_set1_epi32(static_cast<int>(a));
    sum.v = _mm512_dpbf16_ps(sum.v, reinterpret_cast<__m512bh>(pairs), reinterpret_cast<__m512bh>(b));
  }
  static Operand row_operand(const Bf16* row, int step) {
    Operand pair;
    __builtin_memcpy(&pair, row + 2 * step, sizeof(pair));
    return pair;
  }
  static void pack_values(const Bf16* even, const Bf16* odd, Operand* line, int count, int width) {
    for (int j = 0; j < count; ++j)
      line[j] = static_cast<Operand>(even[j].bits) | static_cast<Operand>(odd[j].bits) << 16;
    for (int j = count; j < width; ++j) line[j] = 0;
  }
};
