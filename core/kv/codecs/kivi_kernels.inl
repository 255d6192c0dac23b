// The body of KIVI's kernels, written once and compiled per instruction set by the compiler's auto-vectorizer.
// Includers define KIVI_TARGET. Fused and separate multiply-add agree because code * step is exact in fp32 (8 bits
// times 11).
#define KIVI_INLINE __attribute__((always_inline)) inline
#define KIVI_LAMBDA __attribute__((always_inline))

/// Values of a group: finite numbers within the range of both fp16 and the type.
template <class T>
KIVI_INLINE float sane(const std::byte* data, std::size_t index) {
  constexpr float limit = sizeof(T) == 2 ? 65280.0F : 65504.0F;
  const float value = load_element<T>(data, index);
  const float number = value == value ? value : 0.0F;
  const float below = number < limit ? number : limit;
  return below > -limit ? below : -limit;
}

/// An integer for each float that preserves the order; -0 comes before 0.
KIVI_INLINE std::int32_t ordered(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
KIVI_INLINE float from_ordered(std::int32_t number) {
  return std::bit_cast<float>(number ^ ((number >> 31) & 0x7fffffff));
}

/// Calls body(channels [first, last), group) for the channels of a tile that share a step.
template <class Body>
KIVI_INLINE void for_each_run(std::size_t group, std::size_t tile, std::size_t tile_end, Body&& body) {
  for (std::size_t first = tile; first < tile_end;) {
    const std::size_t last = std::min(tile_end, (first / group + 1) * group);
    body(first, last, first / group);
    first = last;
  }
}

inline constexpr std::size_t tile_channels = 256;  // processed before packing; whole bytes of quantized values

template <class T>
KIVI_TARGET bool ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
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
    return false;
  }
  const auto group = static_cast<std::size_t>(block.group);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t first = 0; first < head_dim; first += group) {
      const std::size_t last = std::min(head_dim, first + group);
      // As integers, because compilers vectorize their minimum and maximum.
      std::int32_t least = ordered(sane<T>(data, r * head_dim + first)), most = least;
      for (std::size_t c = first + 1; c < last; ++c) {
        const std::int32_t value = ordered(sane<T>(data, r * head_dim + c));
        least = value < least ? value : least;
        most = value > most ? value : most;
      }
      *low++ = from_ordered(least);
      *high++ = from_ordered(most);
    }
  return false;
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
KIVI_INLINE void quantize_row(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                              std::byte* codes) {
  constexpr std::size_t per_byte = 8 / bits;
  constexpr std::uint32_t most = (1U << bits) - 1U;
  const auto head_dim = static_cast<std::size_t>(block.head_dim);
  // Adding 2^23 rounds to an integer, to nearest, ties to even, and leaves it in the low bits.
  const auto code = [&](std::size_t c, float least, float scale) KIVI_LAMBDA {
    const auto scaled = std::bit_cast<std::uint32_t>((sane<T>(data, c) - least) * scale + 0x1p23F) - 0x4b000000U;
    return static_cast<std::uint8_t>(scaled < most ? scaled : most);
  };
  for (std::size_t tile = 0; tile < head_dim; tile += tile_channels) {
    const std::size_t end = std::min(head_dim, tile + tile_channels);
    std::array<std::uint8_t, tile_channels> tile_codes{};
    if (block.group == 0)
      for (std::size_t c = tile; c < end; ++c) tile_codes[c - tile] = code(c, low[c], inverse[c]);
    else
      for_each_run(static_cast<std::size_t>(block.group), tile, end,
                   [&](std::size_t first, std::size_t last, std::size_t g) KIVI_LAMBDA {
                     const float least = low[g], scale = inverse[g];
                     for (std::size_t c = first; c < last; ++c) tile_codes[c - tile] = code(c, least, scale);
                   });
    for (std::size_t c = tile; c < end; c += per_byte) {
      unsigned byte = 0;
      for (std::size_t i = 0; i < per_byte; ++i)  // values after the last channel are 0
        byte |= static_cast<unsigned>(tile_codes[c - tile + i]) << (i * bits);
      codes[c / per_byte] = static_cast<std::byte>(byte);
    }
  }
}

template <class T, int bits>
KIVI_INLINE void dequantize_row(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                std::byte* data) {
  constexpr std::size_t per_byte = 8 / bits;
  constexpr unsigned most = (1U << bits) - 1U;
  const auto head_dim = static_cast<std::size_t>(block.head_dim);
  for (std::size_t tile = 0; tile < head_dim; tile += tile_channels) {
    const std::size_t end = std::min(head_dim, tile + tile_channels);
    std::array<std::uint8_t, tile_channels> tile_codes;
    for (std::size_t c = tile; c < end; c += per_byte)
      for (std::size_t i = 0; i < per_byte; ++i)
        tile_codes[c - tile + i] =
            static_cast<std::uint8_t>(static_cast<unsigned>(codes[c / per_byte]) >> (i * bits) & most);
    const auto number = [&](std::size_t c, float scale, float least) KIVI_LAMBDA {
      store_element<T>(data, c, static_cast<float>(static_cast<int>(tile_codes[c - tile])) * scale + least);
    };
    if (block.group == 0)
      for (std::size_t c = tile; c < end; ++c) number(c, step[c], low[c]);
    else
      for_each_run(static_cast<std::size_t>(block.group), tile, end,
                   [&](std::size_t first, std::size_t last, std::size_t g) KIVI_LAMBDA {
                     const float scale = step[g], least = low[g];
                     for (std::size_t c = first; c < last; ++c) number(c, scale, least);
                   });
  }
}

template <class T>
KIVI_TARGET void quantize(const KiviBlock& block, bool, const std::byte* data, const float* low, const float* inverse,
                          std::byte* codes) {
  const std::size_t step_stride = block.group == 0 ? 0 : block.groups_per_row();
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * sizeof(T);
  for (std::size_t r = 0; r < static_cast<std::size_t>(block.rows); ++r) {
    const std::size_t at = r * step_stride;
    std::byte* target = codes + r * block.row_code_bytes();
    if (block.bits == 8) quantize_row<T, 8>(block, data + r * row, low + at, inverse + at, target);
    if (block.bits == 4) quantize_row<T, 4>(block, data + r * row, low + at, inverse + at, target);
    if (block.bits == 2) quantize_row<T, 2>(block, data + r * row, low + at, inverse + at, target);
  }
}

template <class T>
KIVI_TARGET void dequantize(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                            std::byte* data) {
  const std::size_t step_stride = block.group == 0 ? 0 : block.groups_per_row();
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * sizeof(T);
  for (std::size_t r = 0; r < static_cast<std::size_t>(block.rows); ++r) {
    const std::size_t at = r * step_stride;
    const std::byte* source = codes + r * block.row_code_bytes();
    if (block.bits == 8) dequantize_row<T, 8>(block, source, step + at, low + at, data + r * row);
    if (block.bits == 4) dequantize_row<T, 4>(block, source, step + at, low + at, data + r * row);
    if (block.bits == 2) dequantize_row<T, 2>(block, source, step + at, low + at, data + r * row);
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
constexpr KiviKernels table{ranges<T>, parameters, quantize<T>, dequantize<T>, widen};
