#include "core/model/fixed_load.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

namespace kvantage::inline model {

void run_fixed_load() {
  const c10::InferenceMode no_gradients;
  const at::Tensor matrix = at::full({512, 512}, 0.001F);
  at::Tensor product = matrix;
  for (int i = 0; i < 3; ++i) product = at::mm(product, matrix);
}

}  // namespace kvantage::inline model
