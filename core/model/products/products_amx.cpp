// The products of AMX (TDPBF16PS). A tile of weights, 16 outputs of 32 columns, is read where it is; the packed rows
// are the other operand, 16 rows with pairs of columns. So sums are [output, row]. Each takes all columns in order, 32
// at a time.
#include "core/model/products/product_kernels.h"

#if defined(__x86_64__)

// GCC 12 warns about its own _mm512_undefined_* once they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace kvantage::inline model_products {
namespace {

#pragma GCC push_options
#pragma GCC target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma")

constexpr int amx_rows = 16, amx_outputs = 16, amx_step = 32, amx_pairs = amx_step / 2;
constexpr std::ptrdiff_t amx_tile_elements = amx_rows * amx_step;  // of packed rows or weights

/// All eight tiles have 16 rows of 64 bytes. Constant: the instruction reads memory that GCC does not see it read.
struct alignas(64) AmxTiles {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(AmxTiles) == 64);
constexpr AmxTiles amx_tiles{};

inline int amx_steps(int columns) { return (columns + amx_step - 1) / amx_step; }
inline Bf16 amx_element(Bf16 number) { return number; }
inline Bf16 amx_element(float number) { return to_bf16(number); }

template <class Source>
void amx_pack_tiles(const PackJob& job) {
  const int steps = amx_steps(job.columns);
  for (int tile = job.first_tile; tile < job.last_tile; ++tile) {
    Bf16* const target = static_cast<Bf16*>(job.packed) + tile * steps * amx_tile_elements;
    for (int m = 0; m < amx_rows; ++m) {
      const int row = tile * amx_rows + m;
      const Source* const source = static_cast<const Source*>(job.rows) + row * job.stride;
      for (int k = 0; k < steps * amx_step; ++k)
        target[k / amx_step * amx_tile_elements + (k % amx_step / 2 * amx_rows + m) * 2 + k % 2] =
            row < job.row_count && k < job.columns ? amx_element(source[k]) : Bf16{};
    }
  }
}

void amx_pack(const PackJob& job) {
  if (job.type == Element::bf16) return amx_pack_tiles<Bf16>(job);
  amx_pack_tiles<float>(job);
}

/// Sums [16 outputs, 16 rows] of a tile into its place.
void amx_store(const float* sums, const ProductBlock& job, int row, int output) {
  const int outputs = job.last_output - output < amx_outputs ? job.last_output - output : amx_outputs;
  const int rows = job.row_count - row < amx_rows ? job.row_count - row : amx_rows;
  const auto present = static_cast<__mmask16>((1U << outputs) - 1U);
  const __m512i places = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                            _mm512_set1_epi32(amx_rows));
  const ProductTarget& target = job.target;
  for (int m = 0; m < rows; ++m) {
    __m512 totals = _mm512_i32gather_ps(places, sums + m, 4);
    if (target.bias != nullptr) totals = _mm512_add_ps(totals, _mm512_maskz_loadu_ps(present, target.bias + output));
    const __mmask16 nan = _mm512_cmp_ps_mask(totals, totals, _CMP_UNORD_Q);
    totals = _mm512_mask_mov_ps(totals, nan, _mm512_set1_ps(__builtin_nanf("")));
    const std::ptrdiff_t place = (row + m) * target.stride + output;
    if (target.type == Element::bf16)
      _mm256_mask_storeu_epi16(static_cast<Bf16*>(target.output) + place, present,
                               reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(totals)));
    else
      _mm512_mask_storeu_ps(static_cast<float*>(target.output) + place, present, totals);
  }
}

/// Weights of 16 outputs and one step, as they are or, at the matrix's edges, copied and padded with zeros.
struct AmxWeights {
  const Bf16* at;
  std::ptrdiff_t stride;  // bytes
};
inline AmxWeights amx_weights(const ProductBlock& job, int output, int step, Bf16* padded) {
  const Bf16* const matrix = static_cast<const Bf16*>(job.weights);
  const std::ptrdiff_t columns = job.columns;
  const int column = step * amx_step;
  const int outputs = job.last_output - output < amx_outputs ? job.last_output - output : amx_outputs;
  const int width = job.columns - column < amx_step ? job.columns - column : amx_step;
  if (outputs == amx_outputs && width == amx_step)
    return {matrix + output * columns + column, columns * static_cast<std::ptrdiff_t>(sizeof(Bf16))};
  __asm__ volatile("" : : "r"(padded) : "memory");  // GCC does not see that tiles read this memory:
  __builtin_memset(static_cast<void*>(padded), 0, amx_tile_elements * sizeof(Bf16));
  for (int n = 0; n < outputs; ++n)
    __builtin_memcpy(static_cast<void*>(padded + n * amx_step), matrix + (output + n) * columns + column,
                     static_cast<std::size_t>(width) * sizeof(Bf16));
  __asm__ volatile("" : : "r"(padded) : "memory");  // it is written between a load and the next
  return {padded, amx_step * static_cast<std::ptrdiff_t>(sizeof(Bf16))};
}

/// One or two tiles of outputs with one or two tiles of rows.
template <int Outputs, int Rows>
void amx_multiply(const ProductBlock& job, int row, int output) {
  alignas(64) Bf16 padded[2][amx_tile_elements];
  alignas(64) float sums[amx_outputs * amx_rows];
  const int steps = amx_steps(job.columns);
  const Bf16* const first = static_cast<const Bf16*>(job.rows) + row / amx_rows * steps * amx_tile_elements;
  const Bf16* const second = first + steps * amx_tile_elements;
  constexpr std::ptrdiff_t packed_stride = amx_rows * 2 * static_cast<std::ptrdiff_t>(sizeof(Bf16));
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int step = 0; step < steps; ++step) {
    const AmxWeights upper = amx_weights(job, output, step, padded[0]);
    _tile_loadd(4, upper.at, upper.stride);
    _tile_loadd(6, first + step * amx_tile_elements, packed_stride);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (Rows > 1) {
      _tile_loadd(7, second + step * amx_tile_elements, packed_stride);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (Outputs > 1) {
      const AmxWeights lower = amx_weights(job, output + amx_outputs, step, padded[1]);
      _tile_loadd(5, lower.at, lower.stride);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (Rows > 1) _tile_dpbf16ps(3, 5, 7);
    }
  }
  constexpr std::ptrdiff_t sums_stride = amx_rows * static_cast<std::ptrdiff_t>(sizeof(float));
  _tile_stored(0, sums, sums_stride);
  amx_store(sums, job, row, output);
  if constexpr (Rows > 1) {
    _tile_stored(1, sums, sums_stride);
    amx_store(sums, job, row + amx_rows, output);
  }
  if constexpr (Outputs > 1) {
    _tile_stored(2, sums, sums_stride);
    amx_store(sums, job, row, output + amx_outputs);
  }
  if constexpr (Outputs > 1 && Rows > 1) {
    _tile_stored(3, sums, sums_stride);
    amx_store(sums, job, row + amx_rows, output + amx_outputs);
  }
}

template <int Outputs>
void amx_multiply_rows(const ProductBlock& job, int output) {
  int row = 0;
  for (; row + amx_rows < job.row_count; row += 2 * amx_rows) amx_multiply<Outputs, 2>(job, row, output);
  if (row < job.row_count) amx_multiply<Outputs, 1>(job, row, output);
}

void amx_block(const ProductBlock& job) {
  _tile_loadconfig(&amx_tiles);
  int output = job.first_output;
  for (; output + amx_outputs < job.last_output; output += 2 * amx_outputs) amx_multiply_rows<2>(job, output);
  if (output < job.last_output) amx_multiply_rows<1>(job, output);
  _tile_release();
}
#pragma GCC pop_options

}  // namespace

extern const ProductKernels products_bf16_amx;
constinit const ProductKernels products_bf16_amx = {amx_rows, amx_step, sizeof(Bf16), 0, amx_pack, amx_block};

}  // namespace kvantage::inline model_products

#endif
