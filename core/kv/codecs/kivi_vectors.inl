// KIVI's kernels for bf16 rows in vector registers, written once and compiled per instruction set: for groups of 32 and
// head dimensions that are multiples of it. Everything else, and rows with infinities or numbers beyond fp16, use the
// plain body. Includers define KIVI_TARGET, KIVI_INLINE and what is done in registers: Vector, lanes, load(),
// store_floats(), signed_max(), unsigned_max(), unsigned_min(), where_negative(), beyond_half(), half_of(), Split,
// Splits, encode_32() and decode_lanes().

constexpr std::size_t wide = 32;  // elements of a group

bool is_regular(const KiviBlock& block) {
  return block.head_dim % static_cast<int>(wide) == 0 && (block.group == 0 || block.group == static_cast<int>(wide));
}

/// What tells the minimum and the maximum of bf16 numbers without decoding them. Of positive ones the greater number
/// has the greater bits, of negative ones the lesser; as unsigned bits all negative ones are above all positive ones.
struct Extremes {
  Vector most;     // as signed bits: the maximum, unless all numbers are negative
  Vector largest;  // as unsigned bits: the minimum, if any number is negative
  Vector least;    // as unsigned bits: the minimum of positive ones, the maximum of negative ones

  KIVI_INLINE static Extremes of(Vector number) { return {number, number, number}; }
  KIVI_INLINE void add(Vector number) {
    most = signed_max(most, number);
    largest = unsigned_max(largest, number);
    least = unsigned_min(least, number);
  }
  KIVI_INLINE Vector low() const { return where_negative(largest, largest, least); }
  KIVI_INLINE Vector high() const { return where_negative(most, least, most); }
};

KIVI_TARGET bool column_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  const std::size_t row = static_cast<std::size_t>(block.head_dim) * 2;
  const std::size_t block_bytes = static_cast<std::size_t>(block.rows) * row;
  bool beyond = false;
  for (std::size_t c = 0; c < row / 2; c += lanes) {
    const std::byte* at = data + c * 2;
    Extremes extremes = Extremes::of(load(at));
    for (int r = 1; r < block.rows; ++r) {
      const std::byte* here = at + static_cast<std::size_t>(r) * row;
      __builtin_prefetch(here + block_bytes, 0, 2);  // the next block: a column skips lines, which stops the hardware
      extremes.add(load(here));
    }
    const Vector lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    store_floats(low + c, lows);
    store_floats(high + c, highs);
  }
  return !beyond;
}

/// Extremes of 2^level groups, from `first` on; behind `last` it is repeated. Each level merges two registers into one
/// with the remaining candidates of both, depth first, so that few are held at a time.
template <int level>
KIVI_INLINE Extremes extremes_of(const std::byte* groups, std::size_t first, std::size_t last) {
  if constexpr (level == 0) {
    const std::byte* at = groups + (first < last ? first : last) * wide * 2;
    Extremes extremes = Extremes::of(load(at));
    if constexpr (lanes < wide) extremes.add(load(at + lanes * 2));
    return extremes;
  } else {
    const Extremes a = extremes_of<level - 1>(groups, first, last);
    const Extremes b = extremes_of<level - 1>(groups, first + (std::size_t{1} << (level - 1)), last);
    return {signed_max(half_of<level, false>(a.most, b.most), half_of<level, true>(a.most, b.most)),
            unsigned_max(half_of<level, false>(a.largest, b.largest), half_of<level, true>(a.largest, b.largest)),
            unsigned_min(half_of<level, false>(a.least, b.least), half_of<level, true>(a.least, b.least))};
  }
}

KIVI_TARGET bool row_ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  constexpr int levels = std::countr_zero(lanes);
  const std::size_t groups = block.groups();
  bool beyond = false;
  for (std::size_t first = 0; first < groups; first += lanes) {
    const Extremes extremes = extremes_of<levels>(data, first, groups - 1);
    const Vector lows = extremes.low(), highs = extremes.high();
    beyond |= beyond_half(lows, highs);
    if (groups - first >= lanes) {
      store_floats(low + first, lows);
      store_floats(high + first, highs);
      continue;
    }
    alignas(64) std::array<float, lanes> low_block, high_block;
    store_floats(low_block.data(), lows);
    store_floats(high_block.data(), highs);
    std::copy_n(low_block.begin(), groups - first, low + first);
    std::copy_n(high_block.begin(), groups - first, high + first);
  }
  return !beyond;
}

bool ranges(const KiviBlock& block, const std::byte* data, float* low, float* high) {
  if (is_regular(block) &&
      (block.group == 0 ? column_ranges(block, data, low, high) : row_ranges(block, data, low, high)))
    return true;
  return kivi_kernels_plain_avx2.ranges(block, data, low, high);
}

template <int bits>
KIVI_TARGET void quantize_block(const KiviBlock& block, const std::byte* data, const float* low, const float* inverse,
                                std::byte* codes) {
  constexpr std::size_t code_bytes = wide * bits / 8;
  const std::size_t per_row = static_cast<std::size_t>(block.head_dim) / wide;
  const std::size_t groups = static_cast<std::size_t>(block.rows) * per_row;
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const Splits lows = Splits::of(low + k * wide), inverses = Splits::of(inverse + k * wide);
      for (std::size_t at = k; at < groups; at += per_row)
        encode_32<bits>(data + at * wide * 2, lows, inverses, codes + at * code_bytes);
    }
    return;
  }
  for (std::size_t g = 0; g < groups; ++g)
    encode_32<bits>(data + g * wide * 2, Splits::of(low[g]), Splits::of(inverse[g]), codes + g * code_bytes);
}

template <int bits>
KIVI_TARGET void dequantize_block(const KiviBlock& block, const std::byte* codes, const float* step, const float* low,
                                  std::byte* data) {
  constexpr std::size_t code_bytes = lanes * bits / 8;
  constexpr std::size_t vectors = wide / lanes;  // of a group
  const std::size_t per_row = static_cast<std::size_t>(block.head_dim) / lanes;
  const std::size_t all = static_cast<std::size_t>(block.rows) * per_row;
  if (block.group == 0) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const Split steps = Split::of(step + k * lanes), lows = Split::of(low + k * lanes);
      for (std::size_t at = k; at < all; at += per_row)
        decode_lanes<bits>(codes + at * code_bytes, steps, lows, data + at * lanes * 2);
    }
    return;
  }
  for (std::size_t at = 0; at < all; ++at)
    decode_lanes<bits>(codes + at * code_bytes, Split::of(step[at / vectors]), Split::of(low[at / vectors]),
                       data + at * lanes * 2);
}

void quantize(const KiviBlock& block, bool sane, const std::byte* data, const float* low, const float* inverse,
              std::byte* codes) {
  if (!is_regular(block) || !sane) return kivi_kernels_plain_avx2.quantize(block, sane, data, low, inverse, codes);
  if (block.bits == 8) quantize_block<8>(block, data, low, inverse, codes);
  if (block.bits == 4) quantize_block<4>(block, data, low, inverse, codes);
  if (block.bits == 2) quantize_block<2>(block, data, low, inverse, codes);
}

void dequantize(const KiviBlock& block, const std::byte* codes, const float* step, const float* low, std::byte* data) {
  if (!is_regular(block)) return kivi_kernels_plain_avx2.dequantize(block, codes, step, low, data);
  if (block.bits == 8) dequantize_block<8>(block, codes, step, low, data);
  if (block.bits == 4) dequantize_block<4>(block, codes, step, low, data);
  if (block.bits == 2) dequantize_block<2>(block, codes, step, low, data);
}
