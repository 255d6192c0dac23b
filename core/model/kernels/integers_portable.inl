// Beside simd_portable.inl, for packed weights: quantized numbers of four rows, and integers in the lanes of Vec.
/// Four columns of each row, a byte each.
struct Codes {
  unsigned char byte[16];
  static Codes load(const std::byte* p) {
    Codes c;
    __builtin_memcpy(c.byte, p, sizeof(c.byte));
    return c;
  }
};
inline Codes operator|(const Codes& a, const Codes& b) {
  Codes c;
  for (int i = 0; i < 16; ++i) c.byte[i] = static_cast<unsigned char>(a.byte[i] | b.byte[i]);
  return c;
}
/// Each byte's bits moved up by Up, or down where it is negative, as far as they are in Mask.
template <int Up, int Mask>
inline Codes moved(const Codes& c) {
  Codes bits;
  for (int i = 0; i < 16; ++i)
    bits.byte[i] = static_cast<unsigned char>(
        (Up >= 0 ? c.byte[i] << (Up >= 0 ? Up : 0) : c.byte[i] >> (Up < 0 ? -Up : 0)) & Mask);
  return bits;
}

struct Ints {
  std::int32_t lane[Vec::lanes];
  static Ints zero() { return {}; }
  static Ints broadcast(const std::byte* p) {
    std::int32_t number;
    __builtin_memcpy(&number, p, sizeof(number));
    return {{number, number, number, number}};
  }
  static Ints from_unsigned(const std::byte* p) {
    Ints x;
    for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = static_cast<unsigned char>(p[i]);
    return x;
  }
  static Ints from_signed(const std::byte* p) {
    Ints x;
    for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = static_cast<signed char>(p[i]);
    return x;
  }
  Vec to_vec() const {
    Vec x;
    for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = static_cast<float>(lane[i]);
    return x;
  }
};
inline Ints operator|(const Ints& a, const Ints& b) {
  Ints x;
  for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = a.lane[i] | b.lane[i];
  return x;
}
template <int Shift>
inline Ints shifted_up(const Ints& a) {
  Ints x;
  for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = a.lane[i] << Shift;
  return x;
}
template <int Shift, int Mask>
inline Ints shifted_down(const Ints& a) {
  Ints x;
  for (int i = 0; i < Vec::lanes; ++i) x.lane[i] = (a.lane[i] >> Shift) & Mask;
  return x;
}
/// sum + the products of both 16-bit halves of each lane.
inline Ints add_products(const Ints& sum, const Ints& a, const Ints& b) {
  Ints x;
  for (int i = 0; i < Vec::lanes; ++i)
    x.lane[i] = sum.lane[i] + static_cast<std::int16_t>(a.lane[i]) * static_cast<std::int16_t>(b.lane[i]) +
                (a.lane[i] >> 16) * (b.lane[i] >> 16);
  return x;
}

/// Sum of the products of codes (0 to 63) with four inputs (-127 to 127) for all rows.
struct CodeSum {
  Ints sum;
  static CodeSum start(const Ints& from) { return {from}; }
  void add(const Codes& codes, const std::byte* inputs) {
    for (int i = 0; i < 16; ++i) sum.lane[i / 4] += codes.byte[i] * static_cast<signed char>(inputs[i % 4]);
  }
  void fold() {}
  Vec to_vec() const { return sum.to_vec(); }
};

inline Vec load_halves(const std::byte* p) {
  Vec x;
  for (int i = 0; i < Vec::lanes; ++i) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p + 2 * i, sizeof(bits));
    x.lane[i] = from_half(bits);
  }
  return x;
}
/// Whole numbers from -128 to 127 as bytes.
inline void store_bytes(const Vec& whole, std::byte* p) {
  for (int i = 0; i < Vec::lanes; ++i) p[i] = static_cast<std::byte>(static_cast<signed char>(whole.lane[i]));
}
