#include "core/model/fixed_load.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

namespace kvantage::inline model {

void run_fixed_load() {
  const c10::InferenceMode no_gradients;
  const at::Tensor matrix = at::full({512, 512}, 0.001F), source = at::zeros({8 << 20}, at::kByte);
  at::Tensor product = matrix, copy = at::empty_like(source);
  for (int i = 0; i < 12; ++i) product = at::mm(product, matrix);
  for (int i = 0; i < 4; ++i) copy.copy_(source);
}

}  // namespace kvantage::inline model
