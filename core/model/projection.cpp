#include "core/model/projection.h"

#include <ATen/Parallel.h>

#include <optional>

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

}  // namespace

void project(const Matrix& matrix, const at::Tensor& source, at::Tensor target, bool with_bias) {
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
