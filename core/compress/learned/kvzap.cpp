#include <ATen/ATen.h>

#include "core/compress/learned/learned.h"
#include "core/compress/scorers/weights_file.h"

namespace kvantage::inline learned_scorers {
namespace {

/// A surrogate of KVzip's scores from the hidden states (KVzap). A file as published: for each layer L either a linear
/// map, layers.L.weight [kv_heads, hidden] and bias, or two of them around GELU, layers.L.0 and layers.L.2.
class KvZap final : public Scorer {
 public:
  explicit KvZap(std::shared_ptr<const WeightsFile> file) : file_(std::move(file)) {}
  ScorerNeeds needs() const override { return {.hidden_states = true}; }
  std::string file_digest() const override { return file_->digest(); }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    const std::string layer = "layers." + std::to_string(view.layer) + ".";
    const std::int64_t hidden = view.hidden_states.size(1);
    if (file_->holds(layer + "weight")) {
      KV_ASSIGN(const auto scores, linear(view.hidden_states, layer, view.kv_heads, hidden));
      return scores.t();
    }
    KV_ASSIGN(const auto inner, linear(view.hidden_states, layer + "0.", -1, hidden));
    KV_ASSIGN(const auto scores, linear(at::gelu(inner), layer + "2.", view.kv_heads, inner.size(1)));
    return scores.t();
  }

 private:
  Expected<at::Tensor> linear(const at::Tensor& input, const std::string& prefix, std::int64_t outputs,
                              std::int64_t inputs) const {
    KV_ASSIGN(const auto weight, file_->tensor(prefix + "weight", {outputs, inputs}));
    KV_ASSIGN(const auto bias, file_->tensor(prefix + "bias", {weight.size(0)}));
    return at::matmul(input, weight.t()) + bias;
  }

  std::shared_ptr<const WeightsFile> file_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_kvzap(const Parameters& parameters) {
  KV_TRY(require_file(parameters, "kvzap", "weights", "the weights of KVzap for this model"));
  KV_ASSIGN(auto file, WeightsFile::open(parameters, "weights"));
  return std::make_unique<KvZap>(std::move(file));
}

}  // namespace kvantage::inline learned_scorers
