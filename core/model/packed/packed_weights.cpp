#include "core/model/packed/packed_weights.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <vector>

namespace kvantage::inline model_packed {
namespace {

/// Source rows whose rounded numbers are in memory at a time.
constexpr int sources_in_memory = 256;
/// Packed bytes times source rows that one thread multiplies before a second one has woken up.
constexpr std::int64_t packed_bytes_worth_splitting = std::int64_t{1} << 18;
constexpr std::int64_t panels_worth_splitting = 8, rows_worth_splitting = 64;

/// body(first, last) over parts of [0, count) on the compute threads.
template <class Body>
void in_parts(std::int64_t count, std::int64_t grain, const Body& body) {
  at::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    body(static_cast<int>(first), static_cast<int>(last));
  });
}

using Panels = std::unique_ptr<std::byte[]>;

/// The source rows, rounded for matrices of one type.
Panels round_source(const PackedWeights& weights, const PackedSource& source) {
  Panels panels = std::make_unique_for_overwrite<std::byte[]>(
      packed_input_bytes(weights.matrix.type, weights.matrix.columns, source.count));
  in_parts((source.count + packed_panel - 1) / packed_panel, panels_worth_splitting, [&](int first, int last) {
    packed_kernels(weights.isa)
        .round_inputs({.type = weights.matrix.type,
                       .columns = weights.matrix.columns,
                       .input = source.data,
                       .element = source.element,
                       .stride = source.stride,
                       .first = first * packed_panel,
                       .last = std::min(last * packed_panel, source.count),
                       .panels = panels.get()});
  });
  return panels;
}

std::ptrdiff_t element_bytes(Element element) { return element == Element::bf16 ? 2 : 4; }

int tiles_of(const PackedTarget& target) { return (target.weights->matrix.rows + packed_tile - 1) / packed_tile; }

/// As multiply_packed(), for up to sources_in_memory rows; the outputs are rows `first_output` and later.
void multiply_some(std::span<const PackedTarget> targets, const PackedSource& source, int first_output) {
  std::array<Panels, packed_types> panels;  // for each type that is among the matrices
  std::int64_t tiles = 0, bytes = 0;
  for (const PackedTarget& target : targets) {
    Panels& rounded = panels[static_cast<std::size_t>(target.weights->matrix.type)];
    if (rounded == nullptr) rounded = round_source(*target.weights, source);
    tiles += tiles_of(target);
    bytes += static_cast<std::int64_t>(target.weights->tiles.nbytes()) * source.count;
  }
  in_parts(tiles, packed_bytes_worth_splitting / (bytes / tiles + 1) + 1, [&](int first, int last) {
    int begin = 0;  // first tile of this matrix among the tiles of all
    for (const PackedTarget& target : targets) {
      PackedProduct job;
      job.matrix = target.weights->matrix;
      job.first_tile = std::clamp(first - begin, 0, tiles_of(target));
      job.last_tile = std::clamp(last - begin, 0, tiles_of(target));
      begin += tiles_of(target);
      if (job.first_tile == job.last_tile) continue;
      job.panels = panels[static_cast<std::size_t>(job.matrix.type)].get();
      job.tokens = source.count;
      job.bias = target.bias;
      job.output =
          static_cast<std::byte*>(target.output) + first_output * target.stride * element_bytes(target.element);
      job.output_stride = target.stride;
      job.element = target.element;
      packed_kernels(target.weights->isa).multiply(job);
    }
  });
}

}  // namespace

std::shared_ptr<const PackedWeights> pack_weights(const PackedShape& shape, Isa isa, const StoredRow& stored_row) {
  const std::size_t bytes = packed_bytes(shape.type, shape.rows, shape.columns),
                    last_tile = packed_tile_bytes(shape.type, shape.columns);
  auto packed = std::make_shared<PackedWeights>();
  packed->tiles = at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(at::kByte));
  auto* const tiles = static_cast<std::byte*>(packed->tiles.mutable_data_ptr());
  if (shape.prepare) shape.prepare(tiles, bytes);
  std::fill_n(tiles + bytes - last_tile, last_tile, std::byte{0});
  in_parts(shape.rows, rows_worth_splitting, [&](int first, int last) {
    for (int row = first; row < last; ++row) pack_row(shape.type, shape.columns, stored_row(row), row, tiles);
  });
  packed->matrix = {shape.type, shape.rows, shape.columns, tiles};
  packed->isa = isa;
  return packed;
}

void multiply_packed(std::span<const PackedTarget> targets, const PackedSource& source) {
  for (int first = 0; !targets.empty() && first < source.count; first += sources_in_memory) {
    PackedSource some = source;
    some.data = static_cast<const std::byte*>(source.data) + first * source.stride * element_bytes(source.element);
    some.count = std::min(sources_in_memory, source.count - first);
    multiply_some(targets, some, first);
  }
}

at::Tensor widened(const PackedWeights& weights, at::ScalarType type) {
  const PackedMatrix& matrix = weights.matrix;
  at::Tensor wide = at::empty({matrix.rows, matrix.columns}, at::TensorOptions(type));
  const auto width = static_cast<std::size_t>(matrix.columns);
  in_parts(matrix.rows, rows_worth_splitting, [&](int first, int last) {
    std::vector<float> numbers(width);
    for (int row = first; row < last; ++row) {
      unpack_row(matrix, row, numbers.data());
      const std::size_t begin = static_cast<std::size_t>(row) * width;
      if (type == at::kBFloat16)
        std::ranges::transform(numbers, static_cast<Bf16*>(wide.data_ptr()) + begin,
                               [](float number) { return to_bf16(number); });
      else
        std::ranges::copy(numbers, static_cast<float*>(wide.data_ptr()) + begin);
    }
  });
  return wide;
}

}  // namespace kvantage::inline model_packed
