// Plain C++: four lanes in an array, for CPUs without the instruction sets below and as the reference in tests.
struct Vec {
  static constexpr int lanes = 4;
  static constexpr int rows = 4;  // query rows of the attention's inner product kept in registers
  float lane[lanes];

  static Vec set1(float x) {
    Vec v;
    for (float& l : v.lane) l = x;
    return v;
  }
  static Vec zero() { return set1(0.0F); }
  static Vec load(const float* p) {
    Vec v;
    for (int i = 0; i < lanes; ++i) v.lane[i] = p[i];
    return v;
  }
  static Vec load(const Bf16* p) {
    Vec v;
    for (int i = 0; i < lanes; ++i) v.lane[i] = to_float(p[i]);
    return v;
  }
  template <class T>
  static Vec load_first(const T* p, int count) {
    Vec v = zero();
    for (int i = 0; i < count; ++i) v.lane[i] = to_float(p[i]);
    return v;
  }
  void store(float* p) const {
    for (int i = 0; i < lanes; ++i) p[i] = lane[i];
  }
  void store(Bf16* p) const {
    for (int i = 0; i < lanes; ++i) p[i] = to_bf16(lane[i]);
  }
  /// Lanes [0, count) of this, `other` beyond.
  Vec first(int count, float other) const {
    Vec v = *this;
    for (int i = count < 0 ? 0 : count; i < lanes; ++i) v.lane[i] = other;
    return v;
  }
  float sum() const { return (lane[0] + lane[2]) + (lane[1] + lane[3]); }
  float largest() const {
    float best = lane[0];
    for (int i = 1; i < lanes; ++i) best = lane[i] > best ? lane[i] : best;
    return best;
  }
};

inline Vec operator+(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] + b.lane[i];
  return v;
}
inline Vec operator-(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] - b.lane[i];
  return v;
}
inline Vec operator*(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] * b.lane[i];
  return v;
}
inline Vec operator/(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] / b.lane[i];
  return v;
}
inline Vec max(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return v;
}
inline Vec min(const Vec& a, const Vec& b) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
  return v;
}
/// a * b + c
inline Vec fma(const Vec& a, const Vec& b, const Vec& c) { return a * b + c; }
inline Vec round(const Vec& a) {
  Vec v;  // adding and subtracting 1.5 * 2^23 rounds numbers below 2^22 to the nearest integer
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = (a.lane[i] + 12582912.0F) - 12582912.0F;
  return v;
}
/// Clamps exponents for scale_by_power; minus infinity maps to one that gives 0.
inline Vec bound_exponent(const Vec& x) { return min(max(x, Vec::set1(-127.0F)), Vec::set1(127.0F)); }
/// a * 2^n for integer n in [-127, 127]; exactly 0 for n = -127.
inline Vec scale_by_power(const Vec& a, const Vec& n) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i)
    v.lane[i] = a.lane[i] * std::bit_cast<float>((static_cast<std::int32_t>(n.lane[i]) + 127) << 23);
  return v;
}
/// 2 * lanes elements: of bf16 those at even and at odd indices, of fp32 the first and the second half.
inline void load_split(const float* p, Vec& left, Vec& right) {
  left = Vec::load(p);
  right = Vec::load(p + Vec::lanes);
}
inline void load_split(const Bf16* p, Vec& left, Vec& right) {
  for (int i = 0; i < Vec::lanes; ++i) {
    left.lane[i] = to_float(p[2 * i]);
    right.lane[i] = to_float(p[2 * i + 1]);
  }
}
inline Vec sqrt(const Vec& a) {
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = __builtin_sqrtf(a.lane[i]);
  return v;
}
/// Lane i of the result is the sum over the lanes of v[i].
inline Vec sum_each(const Vec (&v)[Vec::lanes]) {
  Vec sums;
  for (int i = 0; i < Vec::lanes; ++i) sums.lane[i] = v[i].sum();
  return sums;
}
/// 32 16-bit integers.
struct Words {
  short word[32];
  template <class T>
  static Words load(const T* p) {
    Words w;
    for (int i = 0; i < 32; ++i) w.word[i] = p[i];
    return w;
  }
};
/// Lane-wise sums of the 32 products, added exactly while those of eight are below 2^31, then rounded to fp32.
inline Vec dot_in_lanes(const Words& a, const Words& b) {
  std::int32_t sums[Vec::lanes] = {};
  for (int i = 0; i < 32; ++i) sums[i % Vec::lanes] += a.word[i] * b.word[i];
  Vec v;
  for (int i = 0; i < Vec::lanes; ++i) v.lane[i] = static_cast<float>(sums[i]);
  return v;
}
