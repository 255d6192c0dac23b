// The body of KIVI's kernels, written once and compiled per instruction set by the compiler's own vectoriser. Includers
// define KIVI_TARGET. No multiply is followed by an add whose rounding could matter: code * step is exact in fp32 (8
// bits times 11), so that fused and separate arithmetic agree.
#define KIVI_INLINE __attribute__((always_inline)) inline

/// What a group is made of: finite numbers that fp16 can hold and the type can hold, too.
template <class T>
KIVI_INLINE float sane(const std::byte* data, std::size_t index) {
  constexpr float limit = sizeof(T) == 2 ? 65280.0F : 65504.0F;
  const float value = load_element<T>(data, index);
  const float number = value == value ? value : 0.0F;
  const float below = number < limit ? number : limit;
  return below > -limit ? below : -limit;
}

template <class T>
KIVI_TARGET void ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const auto head_dim = static_cast<std::size_t>(block.head_dim);
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.group == 0) {
    for (std::size_t c = 0; c < head_dim; ++c) low[c] = high[c] = sane<T>(data, c);
    for (std::size_t r = 1; r < rows; ++r)
      for (std::size_t c = 0; c < head_dim; ++c) {
        const float value = sane<T>(data, r * head_dim + c);
        low[c] = value < low[c] ? value : low[c];
        high[c] = value > high[c] ? value : high[c];
      }
    return;
  }
  const auto group = static_cast<std::size_t>(block.group);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t first = 0; first < head_dim; first += group) {
      const std::size_t last = std::min(head_dim, first + group);
      float least = sane<T>(data, r * head_dim + first), most = least;
      for (std::size_t c = first + 1; c < last; ++c) {
        const float value = sane<T>(data, r * head_dim + c);
        least = value < least ? value : least;
        most = value > most ? value : most;
      }
      *low++ = least;
      *high++ = most;
    }
}

KIVI_TARGET inline void parameters(std::size_t count, int bits, float* low, float* high, std::byte* scales,
                                   std::byte* lows) {
  const auto most = static_cast<float>((1 << bits) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    // Adding 0 makes a negative zero positive: which zero a minimum finds first depends on the order.
    const std::uint16_t low_half = to_half_below(low[i] + 0.0F);
    const float stored_low = from_half(low_half);
    const std::uint16_t scale = to_half((high[i] + 0.0F - stored_low) / most);
    const float step = from_half(scale);
    store_u16(lows + 2 * i, low_half);
    store_u16(scales + 2 * i, scale);
    low[i] = stored_low;
    high[i] = step > 0 ? 1.0F / step : 0.0F;
  }
}

template <class T, int bits>
KIVI_INLINE void quantise_row(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                              std::byte* codes) {
  constexpr std::size_t per_byte = 8 / bits;
  constexpr unsigned most = (1U << bits) - 1U;
  const auto head_dim = static_cast<std::size_t>(block.head_dim);
  const auto group = static_cast<std::size_t>(block.group);
  for (std::size_t first = 0; first < head_dim; first += per_byte) {
    unsigned byte = 0;
    const std::size_t count = std::min(per_byte, head_dim - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t c = first + i;
      const std::size_t g = group == 0 ? c : c / group;
      // Adding 2^23 rounds to a whole number, to nearest, ties to even, and leaves it in the low bits.
      const float scaled = (sane<T>(data, c) - low[g]) * inverse[g] + 0x1p23F;
      byte |= std::min(most, std::bit_cast<std::uint32_t>(scaled) - 0x4b000000U) << (i * bits);
    }
    codes[first / per_byte] = static_cast<std::byte>(byte);
  }
}

template <class T, int bits>
KIVI_INLINE void dequantise_row(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                std::byte* data) {
  constexpr std::size_t per_byte = 8 / bits;
  constexpr unsigned most = (1U << bits) - 1U;
  const auto head_dim = static_cast<std::size_t>(block.head_dim);
  const auto group = static_cast<std::size_t>(block.group);
  for (std::size_t c = 0; c < head_dim; ++c) {
    const std::size_t g = group == 0 ? c : c / group;
    const auto code = static_cast<int>((static_cast<unsigned>(codes[c / per_byte]) >> (c % per_byte * bits)) & most);
    store_element<T>(data, c, static_cast<float>(code) * step[g] + low[g]);
  }
}

template <class T>
KIVI_TARGET void quantise(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                          std::byte* codes) {
  const std::size_t step_stride = block.group == 0 ? 0 : block.groups_per_row();
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * sizeof(T);
  for (std::size_t r = 0; r < static_cast<std::size_t>(block.rows); ++r) {
    const std::size_t at = r * step_stride;
    std::byte* target = codes + r * block.row_code_bytes();
    if (block.bits == 8) quantise_row<T, 8>(block, data + r * row, low + at, inverse + at, target);
    if (block.bits == 4) quantise_row<T, 4>(block, data + r * row, low + at, inverse + at, target);
    if (block.bits == 2) quantise_row<T, 2>(block, data + r * row, low + at, inverse + at, target);
  }
}

template <class T>
KIVI_TARGET void dequantise(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                            std::byte* data) {
  const std::size_t step_stride = block.group == 0 ? 0 : block.groups_per_row();
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * sizeof(T);
  for (std::size_t r = 0; r < static_cast<std::size_t>(block.rows); ++r) {
    const std::size_t at = r * step_stride;
    const std::byte* source = codes + r * block.row_code_bytes();
    if (block.bits == 8) dequantise_row<T, 8>(block, source, step + at, low + at, data + r * row);
    if (block.bits == 4) dequantise_row<T, 4>(block, source, step + at, low + at, data + r * row);
    if (block.bits == 2) dequantise_row<T, 2>(block, source, step + at, low + at, data + r * row);
  }
}

KIVI_TARGET inline bool widen(std::size_t count, const std::byte* half, float* out) {
  unsigned infinite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t bits = load_u16(half + 2 * i);
    infinite |= (bits & 0x7c00U) == 0x7c00U ? 1U : 0U;
    out[i] = from_half(bits);
  }
  return infinite == 0;
}

template <class T>
constexpr KiviKernels table{ranges<T>, parameters, quantise<T>, dequantise<T>, widen};
