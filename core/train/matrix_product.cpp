#include "core/train/matrix_product.h"

#include <ATen/ATen.h>

namespace kvantage::inline training {
namespace {

bool is_slow(const at::Tensor& a) {
  // oneDNN's requirement for its bf16 products.
  static const bool fast_bf16 =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return !fast_bf16 && a.device().is_cpu() && a.scalar_type() == at::kBFloat16;
}

}  // namespace

at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  if (!is_slow(a)) return at::mm(a, b);
  return at::mm(a.to(at::kFloat), b.to(at::kFloat)).to(at::kBFloat16);
}

at::Tensor add_matrix_product(const at::Tensor& c, double share, const at::Tensor& a, const at::Tensor& b,
                              double factor) {
  if (!is_slow(a)) return at::addmm(c, a, b, share, factor);
  return at::addmm(c.to(at::kFloat), a.to(at::kFloat), b.to(at::kFloat), share, factor).to(at::kBFloat16);
}

}  // namespace kvantage::inline training
