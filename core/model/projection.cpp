#include "core/model/projection.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace kvantage::inline model {
namespace {

/// Multiply-adds that one thread finishes before a second one has woken up: most products of a short question are
/// below.
constexpr std::int64_t projection_worth_splitting = std::int64_t{4} << 20;

constexpr int projected_rows_worth_splitting = 64;

/// Limits libtorch to the calling thread during its lifetime; takes a few nanoseconds.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// A product and the number of its outputs.
struct PlacedProduct {
  WeightProduct product;
  int outputs = 0;
  int units() const { return (outputs + product_unit - 1) / product_unit; }
};

/// Numbers that a thread packs, and rows as long to multiply as their weights take to read.
constexpr int packed_worth_splitting = 1 << 16, rows_of_reading = 8;

PlacedProduct placed(const Matrix& matrix, void* output, Element type, bool with_bias) {
  return {{.weights = matrix.tensor.const_data_ptr(),
           .bias = with_bias ? matrix.bias_or_null() : nullptr,
           .output = output,
           .type = type,
           .stride = matrix.rows()},
          matrix.rows()};
}

/// Units [first, last), counted over all products, with one block of the rows.
void multiply_units(const PackedRows& rows, std::span<const PlacedProduct> products, int block, int first, int last) {
  for (const PlacedProduct& placed_product : products) {
    const int units = placed_product.units(), begin = std::clamp(first, 0, units), end = std::clamp(last, 0, units);
    if (begin < end)
      rows.multiply(placed_product.product, block, begin * product_unit,
                    std::min(placed_product.outputs, end * product_unit));
    first -= units;
    last -= units;
  }
}

/// Threads take units of outputs, and of many rows a block of them.
void multiply_all(ProductSet set, Element weights, std::span<const PlacedProduct> products, const InputRows& input) {
  const PackedRows rows(set, weights, input);
  for_parts(rows.tiles(), packed_worth_splitting / input.columns + 1,
            [&](int first, int last) { rows.pack(first, last); });
  const int blocks = rows.blocks();
  std::int64_t units = 0;
  for (const PlacedProduct& one : products) units += one.units();
  const std::int64_t work =
      std::int64_t{product_unit} * input.columns * (input.rows / std::max(1, blocks) + rows_of_reading);
  for_parts(units * blocks, projection_worth_splitting / work + 1, [&](int first, int last) {
    const auto units_before = [blocks](int item) { return (std::max(0, item) + blocks - 1) / blocks; };
    for (int block = 0; block < blocks; ++block)  // item = unit * blocks + block
      multiply_units(rows, products, block, units_before(first - block), units_before(last - block));
  });
}

/// RMSNorm of the first numbers of a row, in place.
void norm_latent(const Transformer::Impl& model, const LatentInput& latent, void* row, Element type) {
  std::vector<float> wide(latent.norm.size());
  if (type == Element::bf16)
    std::ranges::transform(std::span(static_cast<const Bf16*>(row), wide.size()), wide.begin(),
                           [](Bf16 number) { return to_float(number); });
  else
    std::copy_n(static_cast<const float*>(row), wide.size(), wide.begin());
  model.kernel().rms_norm(wide.data(), latent.norm.data(), static_cast<int>(wide.size()), latent_norm_eps, row, type);
}

/// The same of rows of a chunk, in the compute type.
at::Tensor latent_rows(const Transformer::Impl& model, const LatentInput& latent, const at::Tensor& source) {
  at::Tensor rows = at::empty({source.size(0), latent.down.rows()}, at::TensorOptions(model.scalar()));
  project(model, latent.down, source, rows, false);
  auto* const bytes = static_cast<std::byte*>(rows.mutable_data_ptr());
  const auto row_bytes = static_cast<std::size_t>(latent.down.rows()) * static_cast<std::size_t>(rows.element_size());
  for_parts(source.size(0), projected_rows_worth_splitting, [&](int first, int last) {
    for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row)
      norm_latent(model, latent, bytes + row * row_bytes, model.element());
  });
  return rows;
}

void multiply_by_library(const Matrix& matrix, const at::Tensor& source, at::Tensor target, bool with_bias) {
  std::optional<OneThread> alone;
  if (source.size(0) * matrix.rows() * matrix.columns() < projection_worth_splitting) alone.emplace();
  if (with_bias && matrix.bias.defined())
    at::addmm_out(target, matrix.bias, source, matrix.tensor.t());
  else
    at::mm_out(target, source, matrix.tensor.t());
}

/// Of matrices with the same input.
void project_alike(const Transformer::Impl& model, std::span<const RowProduct> together, const at::Tensor& source) {
  std::vector<PackedTarget> packed;
  std::vector<PlacedProduct> products;
  for (const RowProduct& one : together) {
    const Matrix& matrix = *one.matrix;
    if (matrix.packed != nullptr) {
      packed.push_back({matrix.packed.get(), one.with_bias ? matrix.bias_or_null() : nullptr,
                        one.target.mutable_data_ptr(), model.element(), one.target.stride(0)});
    } else if (model.products) {
      products.push_back(placed(matrix, one.target.mutable_data_ptr(), model.element(), one.with_bias));
      products.back().product.stride = one.target.stride(0);
    } else {
      multiply_by_library(matrix, source, one.target, one.with_bias);
    }
  }
  const int rows = static_cast<int>(source.size(0));
  multiply_packed(packed, {source.const_data_ptr(), model.element(), source.stride(0), rows});
  if (products.empty()) return;
  multiply_all(*model.products, model.element(), products,
               {.numbers = source.const_data_ptr(),
                .type = model.element(),
                .stride = source.stride(0),
                .rows = rows,
                .columns = static_cast<int>(source.size(1))});
}

}  // namespace

void multiply_rows(const Transformer::Impl& model, std::span<const Product> together, const float* input, int rows) {
  std::vector<PlacedProduct> products;
  products.reserve(together.size());
  for (const Product& one : together) products.push_back(placed(*one.matrix, one.output, Element::fp32, true));
  const Matrix& first = *together.front().matrix;
  multiply_all(
      *model.products, first.element, products,
      {.numbers = input, .type = Element::fp32, .stride = first.columns(), .rows = rows, .columns = first.columns()});
}

void project(const Transformer::Impl& model, const Matrix& matrix, const at::Tensor& source, const at::Tensor& target,
             bool with_bias) {
  project(model, std::array{RowProduct{&matrix, target, with_bias}}, source);
}

void project(const Transformer::Impl& model, std::span<const RowProduct> together, const at::Tensor& source) {
  for_inputs(together, [&](const LatentInput* latent, std::span<const RowProduct> alike) {
    project_alike(model, alike, latent != nullptr ? latent_rows(model, *latent, source) : source);
  });
}

std::vector<float> latent_rows(const Transformer::Impl& model, const LatentInput& latent, const float* input,
                               int rows) {
  const auto width = static_cast<std::size_t>(latent.down.rows());
  std::vector<float> numbers(width * static_cast<std::size_t>(rows));
  model.multiply(latent.down, input, numbers.data(), rows);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
    norm_latent(model, latent, &numbers[row * width], Element::fp32);
  return numbers;
}

void run_heads(const Kernels& kernel, const HeadPass& job) {
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(job.heads) * job.head_dim;
  const auto bytes = [](Element element) { return element == Element::bf16 ? std::ptrdiff_t{2} : std::ptrdiff_t{4}; };
  for_parts(job.tokens, projected_rows_worth_splitting, [&](int begin_row, int end_row) {
    HeadPass part = job;
    part.tokens = end_row - begin_row;
    part.input = static_cast<const std::byte*>(job.input) + begin_row * row * bytes(job.input_type);
    part.output = static_cast<std::byte*>(job.output) + begin_row * row * bytes(job.output_type);
    if (job.cosines != nullptr) {
      part.cosines = job.cosines + static_cast<std::ptrdiff_t>(begin_row) * (job.head_dim / 2);
      part.sines = job.sines + static_cast<std::ptrdiff_t>(begin_row) * (job.head_dim / 2);
    }
    kernel.head_pass(part);
  });
}

}  // namespace kvantage::inline model
