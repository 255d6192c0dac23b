#include "core/model/lent_weights.h"

#include <cstring>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {
namespace {

constexpr std::size_t alignment = 64;

std::size_t padded_bytes(const at::Tensor& tensor) { return (tensor.nbytes() + alignment - 1) / alignment * alignment; }

/// Those that the architecture has, in storage order.
template <class Weights>
auto matrices(Weights& layer, WeightPart part) {
  using Pointer = decltype(&layer.key);
  std::vector<Pointer> all;
  if (part == WeightPart::keys_values)
    all = {&layer.key, &layer.value};
  else
    all = {&layer.query, &layer.output, &layer.gate, &layer.up, &layer.down};
  return all;
}

}  // namespace

struct LentWeights::State {
  Transformer& model;
  std::vector<LayerWeights> own;  // only tensors: norms and biases are untouched
  Own keeps;

  void put_back(std::size_t l) {
    for (const WeightPart part : {WeightPart::keys_values, WeightPart::others}) {
      const auto from = matrices(own[l], part), to = matrices(model.impl().layers[l], part);
      for (std::size_t m = 0; m < from.size(); ++m) to[m]->tensor = from[m]->tensor;
    }
  }
};

LentWeights::LentWeights(std::unique_ptr<State> state) : state_(std::move(state)) {}

Expected<std::unique_ptr<LentWeights>> LentWeights::take(Transformer& model, Own own) {
  auto& layers = model.impl().layers;
  if (model.config().form.experts.count > 0)
    return fail(
        ErrorCode::usage,
        "streamed weights: a layer of this model has experts, which are not streamed; use a model without them");
  for (const LayerWeights& layer : layers)
    for (const WeightPart part : {WeightPart::keys_values, WeightPart::others})
      for (const Matrix* matrix : matrices(layer, part))
        if (matrix->is_packed())
          return fail(ErrorCode::usage, "streamed weights: this model multiplies packed matrices; use a model in bf16");
  std::unique_ptr<LentWeights> lent(new LentWeights(std::unique_ptr<State>(new State{model, layers, own})));
  for (int layer = 0; layer < static_cast<int>(layers.size()); ++layer) lent->release(layer);
  return lent;
}

LentWeights::~LentWeights() {
  for (std::size_t l = 0; l < state_->own.size(); ++l) state_->put_back(l);
}

std::size_t LentWeights::bytes(WeightPart part) const {
  std::size_t sum = 0;
  for (const Matrix* matrix : matrices(state_->own.front(), part))
    if (matrix->tensor.defined()) sum += padded_bytes(matrix->tensor);
  return sum;
}

void LentWeights::copy(int layer, WeightPart part, std::span<std::byte> out) const {
  std::size_t at = 0;
  for (const Matrix* matrix : matrices(state_->own[static_cast<std::size_t>(layer)], part)) {
    if (!matrix->tensor.defined()) continue;
    std::memcpy(&out[at], matrix->tensor.const_data_ptr(), matrix->tensor.nbytes());
    at += padded_bytes(matrix->tensor);
  }
}

void LentWeights::lend(int layer, WeightPart part, std::span<const std::byte> bytes) {
  const auto l = static_cast<std::size_t>(layer);
  const auto own = matrices(state_->own[l], part), used = matrices(state_->model.impl().layers[l], part);
  std::size_t at = 0;
  for (std::size_t m = 0; m < own.size(); ++m) {
    if (!own[m]->tensor.defined()) continue;
    used[m]->tensor =
        at::from_blob(const_cast<std::byte*>(&bytes[at]), own[m]->tensor.sizes(), own[m]->tensor.options());
    at += padded_bytes(own[m]->tensor);
  }
}

void LentWeights::release(int layer) {
  if (state_->keeps == Own::beside) return state_->put_back(static_cast<std::size_t>(layer));
  for (const WeightPart part : {WeightPart::keys_values, WeightPart::others})
    for (Matrix* matrix : matrices(state_->model.impl().layers[static_cast<std::size_t>(layer)], part))
      matrix->tensor = at::Tensor();
}

}  // namespace kvantage::inline model
