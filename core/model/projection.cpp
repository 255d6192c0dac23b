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

void project(const Transformer::Impl& model, const Matrix& matrix, const at::Tensor& source, at::Tensor target,
             bool with_bias) {
  if (matrix.packed != nullptr) {
    const PackedTarget product{matrix.packed.get(), with_bias ? matrix.bias_or_null() : nullptr,
                               target.mutable_data_ptr(), model.element(), target.stride(0)};
    return multiply_packed(
        {&product, 1}, {source.const_data_ptr(), model.element(), source.stride(0), static_cast<int>(source.size(0))});
  }
  if (model.products) {
    std::array product{placed(matrix, target.mutable_data_ptr(), model.element(), with_bias)};
    product.front().product.stride = target.stride(0);
    return multiply_all(*model.products, matrix.element, product,
                        {.numbers = source.const_data_ptr(),
                         .type = model.element(),
                         .stride = source.stride(0),
                         .rows = static_cast<int>(source.size(0)),
                         .columns = matrix.columns()});
  }
  std::optional<OneThread> alone;
  if (source.size(0) * matrix.rows() * matrix.columns() < projection_worth_splitting) alone.emplace();
  if (with_bias && matrix.bias.defined())
    at::addmm_out(target, matrix.bias, source, matrix.tensor.t());
  else
    at::mm_out(target, source, matrix.tensor.t());
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
