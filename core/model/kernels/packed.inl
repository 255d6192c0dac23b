// Products with packed weights (packed.h). Lanes are rows of weights, so nothing is summed over lanes. Few inputs: each
// piece of 32 columns is unpacked in registers and multiplied with them. More: a span of pieces is unpacked into memory
// that stays in the L1 cache, for up to span_inputs of them. The order of every sum is the same in both.

inline Vec broadcast(const std::byte* p) {
  float number;
  __builtin_memcpy(&number, p, sizeof(number));
  return Vec::set1(number);
}

constexpr int span_pieces = 8;
constexpr int span_inputs = 64;         // whose sums and rounded numbers stay in the caches
constexpr int inputs_at_once = 4;       // up to so many are multiplied without the span in memory
constexpr int code_bytes_ahead = 4096;  // prefetched

/// Where Vec::lanes rows of a tile have their numbers. rows: those of the tile before them.
struct TilePart {
  const std::byte* codes = nullptr;
  const std::byte* scales = nullptr;  // of the whole tile
  int rows = 0;
};

/// 32 columns of some rows, unpacked: four columns in each of the codes.
template <int Scales>
struct UnpackedPiece {
  Codes codes[8];
  Vec scale[Scales];
};

template <int UpperBits>
KV_INLINE void unpack_codes(const std::byte* p, Codes (&codes)[8]) {
#pragma GCC unroll 4
  for (int pair = 0; pair < 4; ++pair) {
    const Codes both = Codes::load(p + pair * 64);
    codes[2 * pair] = moved<0, 15>(both);
    codes[2 * pair + 1] = moved<-4, 15>(both);
  }
  if constexpr (UpperBits == 1) {
    const Codes upper = Codes::load(p + 256);
    codes[0] = codes[0] | moved<4, 16>(upper);
    codes[1] = codes[1] | moved<3, 16>(upper);
    codes[2] = codes[2] | moved<2, 16>(upper);
    codes[3] = codes[3] | moved<1, 16>(upper);
    codes[4] = codes[4] | moved<0, 16>(upper);
    codes[5] = codes[5] | moved<-1, 16>(upper);
    codes[6] = codes[6] | moved<-2, 16>(upper);
    codes[7] = codes[7] | moved<-3, 16>(upper);
  }
  if constexpr (UpperBits == 2) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const Codes upper = Codes::load(p + 256 + half * 64);
      codes[4 * half] = codes[4 * half] | moved<4, 48>(upper);
      codes[4 * half + 1] = codes[4 * half + 1] | moved<2, 48>(upper);
      codes[4 * half + 2] = codes[4 * half + 2] | moved<0, 48>(upper);
      codes[4 * half + 3] = codes[4 * half + 3] | moved<-2, 48>(upper);
    }
  }
}

/// Adds the products of the codes [First, First + Count) with `Inputs` inputs of a panel.
template <int First, int Count, int Fold, int Inputs>
KV_INLINE void add_codes(CodeSum (&sums)[Inputs], const Codes (&codes)[8], const std::byte* inputs) {
#pragma GCC unroll 8
  for (int step = First; step < First + Count; ++step) {
#pragma GCC unroll 4
    for (int t = 0; t < Inputs; ++t) sums[t].add(codes[step], inputs + t * 32 + step * 4);
    if ((step + 1 - First) % Fold == 0) {
#pragma GCC unroll 4
      for (int t = 0; t < Inputs; ++t) sums[t].fold();
    }
  }
}

/// Q4_0 and Q5_0: a scale per piece; codes are stored as Middle more than they are. A panel has, per piece, four times
/// 32 numbers, four scales and four times -Middle times the sum of the numbers.
template <int UpperBits, int Middle, int Fold>
struct ScaledForm {
  using Piece = UnpackedPiece<1>;
  struct Rest {};
  static constexpr int code_bytes = 256 + 64 * UpperBits;  // of a piece
  static constexpr int panel_span_bytes = 160 * span_pieces;

  static KV_INLINE Piece piece(const TilePart& part, int index) {
    Piece made;
    unpack_codes<UpperBits>(part.codes + static_cast<std::ptrdiff_t>(index) * code_bytes, made.codes);
    made.scale[0] = load_halves(part.scales + static_cast<std::ptrdiff_t>(index) * 32 + part.rows * 2);
    return made;
  }
  static KV_INLINE Rest rest(const TilePart& /*part*/, int /*span*/) { return {}; }

  template <int Panels, int Inputs, class Pieces>
  static KV_INLINE void multiply(const Pieces& pieces, const Rest& /*rest*/, int count, const std::byte* panel,
                                 std::ptrdiff_t panel_bytes, Vec (&totals)[Panels * Inputs]) {
    for (int i = 0; i < count; ++i) {
      const auto& piece = pieces.at(i);
#pragma GCC unroll 4
      for (int p = 0; p < Panels; ++p) {
        const std::byte* const inputs = panel + p * panel_bytes + i * 160;
        CodeSum sums[Inputs];
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) sums[t] = CodeSum::start(Ints::broadcast(inputs + 144 + 4 * t));
        add_codes<0, 8, Fold>(sums, piece.codes, inputs);
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) {
          Vec& total = totals[p * Inputs + t];
          total = fma(sums[t].to_vec(), piece.scale[0] * broadcast(inputs + 128 + 4 * t), total);
        }
      }
    }
  }
};

/// Q4_K: a scale and a minimum per piece, each times a number per block. A panel has, per block, the numbers of each
/// piece, four scales, and the sums of the numbers of pieces 2 q and 2 q + 1 as 16-bit integers.
struct MinimumForm {
  using Piece = UnpackedPiece<1>;
  struct Rest {
    Ints minima[4];  // of two pieces each
    Vec scale;       // less than zero
  };
  static constexpr int code_bytes = 256;
  static constexpr int panel_span_bytes = 1104;

  static KV_INLINE const std::byte* scales_of(const TilePart& part, int block) {
    return part.scales + static_cast<std::ptrdiff_t>(block) * 256;
  }
  static KV_INLINE Piece piece(const TilePart& part, int index) {
    Piece made;
    unpack_codes<0>(part.codes + static_cast<std::ptrdiff_t>(index) * code_bytes, made.codes);
    const std::byte* const scales = scales_of(part, index / span_pieces) + part.rows;
    const int i = index % span_pieces;
    const Ints lower = Ints::from_unsigned(scales + 64 + 16 * i),
               upper = Ints::from_unsigned(scales + 192 + 8 * (i & ~1));
    const Ints whole =
        shifted_down<0, 15>(lower) | shifted_up<4>(i % 2 == 0 ? shifted_down<0, 3>(upper) : shifted_down<4, 3>(upper));
    made.scale[0] = load_halves(scales + part.rows) * whole.to_vec();
    return made;
  }
  static KV_INLINE Rest rest(const TilePart& part, int span) {
    const std::byte* const scales = scales_of(part, span) + part.rows;
    Rest made;
    made.scale = Vec::zero() - load_halves(scales + 32 + part.rows);
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      const Ints even = Ints::from_unsigned(scales + 64 + 32 * q), odd = Ints::from_unsigned(scales + 80 + 32 * q),
                 upper = Ints::from_unsigned(scales + 192 + 16 * q);
      const Ints first = shifted_down<4, 15>(even) | shifted_up<4>(shifted_down<2, 3>(upper)),
                 second = shifted_down<4, 15>(odd) | shifted_up<4>(shifted_down<6, 3>(upper));
      made.minima[q] = first | shifted_up<16>(second);
    }
    return made;
  }

  template <int Panels, int Inputs, class Pieces>
  static KV_INLINE void multiply(const Pieces& pieces, const Rest& rest, int /*count*/, const std::byte* panel,
                                 std::ptrdiff_t panel_bytes, Vec (&totals)[Panels * Inputs]) {
    Vec sums[Panels * Inputs];
#pragma GCC unroll 16
    for (int t = 0; t < Panels * Inputs; ++t) sums[t] = Vec::zero();
    for (int i = 0; i < span_pieces; ++i) {
      const auto& piece = pieces.at(i);
#pragma GCC unroll 4
      for (int p = 0; p < Panels; ++p) {
        CodeSum products[Inputs];
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) products[t] = CodeSum::start(Ints::zero());
        add_codes<0, 8, 8>(products, piece.codes, panel + p * panel_bytes + i * 128);
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) {
          Vec& sum = sums[p * Inputs + t];
          sum = fma(products[t].to_vec(), piece.scale[0], sum);
        }
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < Panels; ++p)
#pragma GCC unroll 4
      for (int t = 0; t < Inputs; ++t) {
        const std::byte* const at = panel + p * panel_bytes + 1024 + 4 * t;
        Ints minima = Ints::zero();
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) minima = add_products(minima, rest.minima[q], Ints::broadcast(at + 16 + 16 * q));
        Vec& total = totals[p * Inputs + t];
        total = fma(fma(minima.to_vec(), rest.scale, sums[p * Inputs + t]), broadcast(at), total);
      }
  }
};

/// Q6_K: two signed scales per piece, each times a number per block; codes are stored as 32 more than they are. A panel
/// has, per block, the numbers of each piece, four scales, and for each scale four times -32 times the sum of its
/// numbers.
struct SixBitForm {
  using Piece = UnpackedPiece<2>;
  struct Rest {};
  static constexpr int code_bytes = 384;
  static constexpr int panel_span_bytes = 1296;

  static KV_INLINE Piece piece(const TilePart& part, int index) {
    Piece made;
    unpack_codes<2>(part.codes + static_cast<std::ptrdiff_t>(index) * code_bytes, made.codes);
    const std::byte* const scales = part.scales + static_cast<std::ptrdiff_t>(index / span_pieces) * 288 + part.rows;
    const Vec whole = load_halves(scales + part.rows);
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half)
      made.scale[half] = whole * Ints::from_signed(scales + 32 + 16 * (2 * (index % span_pieces) + half)).to_vec();
    return made;
  }
  static KV_INLINE Rest rest(const TilePart& /*part*/, int /*span*/) { return {}; }

  template <int Panels, int Inputs, class Pieces>
  static KV_INLINE void multiply(const Pieces& pieces, const Rest& /*rest*/, int /*count*/, const std::byte* panel,
                                 std::ptrdiff_t panel_bytes, Vec (&totals)[Panels * Inputs]) {
    Vec sums[Panels * Inputs];
#pragma GCC unroll 16
    for (int t = 0; t < Panels * Inputs; ++t) sums[t] = Vec::zero();
    for (int i = 0; i < span_pieces; ++i) {
      const auto& piece = pieces.at(i);
#pragma GCC unroll 4
      for (int p = 0; p < Panels; ++p) {
        const std::byte *const block = panel + p * panel_bytes, *const starts = block + 1040 + 32 * i;
        CodeSum first[Inputs], second[Inputs];
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) first[t] = CodeSum::start(Ints::broadcast(starts + 4 * t));
        add_codes<0, 4, 2>(first, piece.codes, block + i * 128);
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) second[t] = CodeSum::start(Ints::broadcast(starts + 16 + 4 * t));
        add_codes<4, 4, 2>(second, piece.codes, block + i * 128);
#pragma GCC unroll 4
        for (int t = 0; t < Inputs; ++t) {
          Vec& sum = sums[p * Inputs + t];
          sum = fma(second[t].to_vec(), piece.scale[1], fma(first[t].to_vec(), piece.scale[0], sum));
        }
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < Panels; ++p)
#pragma GCC unroll 4
      for (int t = 0; t < Inputs; ++t) {
        Vec& total = totals[p * Inputs + t];
        total = fma(sums[p * Inputs + t], broadcast(panel + p * panel_bytes + 1024 + 4 * t), total);
      }
  }
};

/// Pieces of a span, unpacked when asked for.
template <class Form>
struct PackedPieces {
  const TilePart& part;
  int first;
  KV_INLINE typename Form::Piece at(int i) const {
    const std::byte* const ahead =
        part.codes + static_cast<std::ptrdiff_t>(first + i) * Form::code_bytes + code_bytes_ahead;
#pragma GCC unroll 6
    for (int line = 0; line < Form::code_bytes; line += 64) __builtin_prefetch(ahead + line, 0, 2);
    return Form::piece(part, first + i);
  }
};
template <class Form>
struct UnpackedPieces {
  const typename Form::Piece* pieces;
  KV_INLINE const typename Form::Piece& at(int i) const { return pieces[i]; }
};

/// Bytes of the panels of so many inputs.
inline std::ptrdiff_t panels_before(const PackedProduct& job, int inputs) {
  return static_cast<std::ptrdiff_t>(packed_input_bytes(job.matrix.type, job.matrix.columns, inputs));
}

/// Vec::lanes outputs of one input, of the rows from `row` on.
inline void write_outputs(const PackedProduct& job, int row, int input, const Vec& sums) {
  const int count = least(Vec::lanes, job.matrix.rows - row);
  if (count <= 0) return;
  const Vec outputs = job.bias == nullptr ? sums : sums + Vec::load_first(job.bias + row, count);
  const std::ptrdiff_t at = input * job.output_stride + row;
  if (job.element == Element::bf16)
    store_first(outputs, static_cast<Bf16*>(job.output) + at, count);
  else
    store_first(outputs, static_cast<float*>(job.output) + at, count);
}

template <class Form, int Inputs>
void multiply_at_once(const PackedProduct& job, const TilePart& part, int row, int input) {
  const int pieces = job.matrix.columns / 32;
  const std::byte* panel = job.panels + panels_before(job, input);
  Vec totals[Inputs];
#pragma GCC unroll 4
  for (int t = 0; t < Inputs; ++t) totals[t] = Vec::zero();
  for (int first = 0; first < pieces; first += span_pieces, panel += Form::panel_span_bytes)
    Form::template multiply<1, Inputs>(PackedPieces<Form>{part, first}, Form::rest(part, first / span_pieces),
                                       least(span_pieces, pieces - first), panel, 0, totals);
#pragma GCC unroll 4
  for (int t = 0; t < Inputs; ++t) write_outputs(job, row, input + t, totals[t]);
}

/// A span with Panels * Inputs inputs, whose sums are in memory: [inputs, lanes].
template <class Form, int Panels, int Inputs>
void multiply_span(const typename Form::Piece* pieces, const typename Form::Rest& rest, int count,
                   const std::byte* panel, std::ptrdiff_t panel_bytes, float* sums) {
  Vec totals[Panels * Inputs];
#pragma GCC unroll 16
  for (int t = 0; t < Panels * Inputs; ++t) totals[t] = Vec::load(sums + t * Vec::lanes);
  Form::template multiply<Panels, Inputs>(UnpackedPieces<Form>{pieces}, rest, count, panel, panel_bytes, totals);
#pragma GCC unroll 16
  for (int t = 0; t < Panels * Inputs; ++t) totals[t].store(sums + t * Vec::lanes);
}

/// Up to span_inputs inputs.
template <class Form>
void multiply_in_spans(const PackedProduct& job, const TilePart& part, int row, int input, int inputs) {
  const int pieces = job.matrix.columns / 32;
  const std::ptrdiff_t panel_bytes = panels_before(job, packed_panel);
  const std::byte* panel = job.panels + panels_before(job, input);
  alignas(64) float sums[span_inputs * Vec::lanes];
  for (int t = 0; t < inputs; ++t) Vec::zero().store(sums + t * Vec::lanes);
  typename Form::Piece unpacked[span_pieces];
  for (int first = 0; first < pieces; first += span_pieces, panel += Form::panel_span_bytes) {
    const int count = least(span_pieces, pieces - first);
    for (int i = 0; i < count; ++i) unpacked[i] = Form::piece(part, first + i);
    const auto rest = Form::rest(part, first / span_pieces);
    int t = 0;
    const auto next = [&] { return panel + t / packed_panel * panel_bytes; };
    if constexpr (Vec::lanes >= 16) {
      for (; t + 16 <= inputs; t += 16)
        multiply_span<Form, 4, 4>(unpacked, rest, count, next(), panel_bytes, sums + t * Vec::lanes);
      for (; t + 8 <= inputs; t += 8)
        multiply_span<Form, 2, 4>(unpacked, rest, count, next(), panel_bytes, sums + t * Vec::lanes);
    }
    for (; t + 4 <= inputs; t += 4)
      multiply_span<Form, 1, 4>(unpacked, rest, count, next(), panel_bytes, sums + t * Vec::lanes);
    float* const last = sums + t * Vec::lanes;
    if (inputs - t == 3) multiply_span<Form, 1, 3>(unpacked, rest, count, next(), panel_bytes, last);
    if (inputs - t == 2) multiply_span<Form, 1, 2>(unpacked, rest, count, next(), panel_bytes, last);
    if (inputs - t == 1) multiply_span<Form, 1, 1>(unpacked, rest, count, next(), panel_bytes, last);
  }
  for (int t = 0; t < inputs; ++t) write_outputs(job, row, input + t, Vec::load(sums + t * Vec::lanes));
}

template <class Form>
void multiply_form(const PackedProduct& job) {
  const std::ptrdiff_t tile_bytes = static_cast<std::ptrdiff_t>(packed_tile_bytes(job.matrix.type, job.matrix.columns));
  const std::ptrdiff_t scales_at = static_cast<std::ptrdiff_t>(job.matrix.columns / 32) * Form::code_bytes;
  for (int input = 0; input < job.tokens; input += span_inputs) {
    const int inputs = least(span_inputs, job.tokens - input);
    for (int tile = job.first_tile; tile < job.last_tile; ++tile) {
      const std::byte* const codes = job.matrix.tiles + tile * tile_bytes;
      for (int rows = 0; rows < packed_tile; rows += Vec::lanes) {
        const TilePart part{codes + rows * 4, codes + scales_at, rows};
        const int row = tile * packed_tile + rows;
        if (inputs > inputs_at_once)
          multiply_in_spans<Form>(job, part, row, input, inputs);
        else if (inputs == 4)
          multiply_at_once<Form, 4>(job, part, row, input);
        else if (inputs == 3)
          multiply_at_once<Form, 3>(job, part, row, input);
        else if (inputs == 2)
          multiply_at_once<Form, 2>(job, part, row, input);
        else
          multiply_at_once<Form, 1>(job, part, row, input);
      }
    }
  }
}

void multiply_packed(const PackedProduct& job) {
  switch (job.matrix.type) {
    case PackedType::q4_0:
      return multiply_form<ScaledForm<0, 8, 8>>(job);
    case PackedType::q5_0:
      return multiply_form<ScaledForm<1, 16, 4>>(job);
    case PackedType::q4_k:
      return multiply_form<MinimumForm>(job);
    case PackedType::q6_k:
      return multiply_form<SixBitForm>(job);
  }
}

#include "core/model/kernels/packed_inputs.inl"
