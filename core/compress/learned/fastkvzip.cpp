#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/compress/learned/learned.h"
#include "core/compress/scorers/weights_file.h"

namespace kvantage::inline learned_scorers {
namespace {

/// Gates trained on KVzip's scores (Kim et al. 2026). For each layer L a file holds layers.L.q_proj.weight and bias,
/// k_proj.weight, q_norm.weight, k_norm.weight, k_base [kv_heads, 1, sinks of the gate, dim] and b [kv_heads, 1,
/// group]. With q, k the normed projections of a hidden state to `dim` channels:
///   s[t] = mean over the group of 1 / (1 + sum over k_base of exp(q k_base / sqrt(dim) - (q k / sqrt(dim) + b)))
/// The first `sinks` tokens and the newest 2 % (4,096 from 32,000 tokens on) get 1, more than any other.
class FastKvZip final : public Scorer {
 public:
  FastKvZip(std::shared_ptr<const WeightsFile> file, int sinks) : file_(std::move(file)), sinks_(sinks) {}
  ScorerNeeds needs() const override { return {.hidden_states = true}; }
  std::string file_digest() const override { return file_->digest(); }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    const std::string layer = "layers." + std::to_string(view.layer) + ".";
    const std::int64_t heads = view.kv_heads, tokens = view.tokens, hidden = view.hidden_states.size(1);
    KV_ASSIGN(const auto bases, file_->tensor(layer + "k_base", {heads, 1, -1, -1}));
    KV_ASSIGN(const auto offsets, file_->tensor(layer + "b", {heads, 1, -1}));
    const std::int64_t dim = bases.size(3), group = offsets.size(2);
    KV_ASSIGN(const auto q_weight, file_->tensor(layer + "q_proj.weight", {heads * group * dim, hidden}));
    KV_ASSIGN(const auto q_bias, file_->tensor(layer + "q_proj.bias", {heads * group * dim}));
    KV_ASSIGN(const auto k_weight, file_->tensor(layer + "k_proj.weight", {heads * dim, hidden}));
    KV_ASSIGN(const auto q_norm, file_->tensor(layer + "q_norm.weight", {dim}));
    KV_ASSIGN(const auto k_norm, file_->tensor(layer + "k_norm.weight", {dim}));
    const double scale = std::sqrt(static_cast<double>(dim));
    const at::Tensor queries =
        normed((at::matmul(view.hidden_states, q_weight.t()) + q_bias).view({tokens, heads, group, dim}), q_norm)
            .transpose(0, 1);  // [kv_heads, tokens, group, dim]
    const at::Tensor keys =
        normed(at::matmul(view.hidden_states, k_weight.t()).view({tokens, heads, 1, dim}), k_norm).transpose(0, 1);
    const at::Tensor own = (queries * keys).sum(-1, true) / scale + offsets.unsqueeze(-1);  // [.., group, 1]
    const at::Tensor base = at::matmul(queries, bases.transpose(2, 3)) / scale;             // [.., group, gate sinks]
    at::Tensor scores = (1 / (1 + (base - own).exp().sum(-1))).mean(-1).contiguous();
    const std::int64_t newest =
        tokens < 32000 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(tokens) * 0.02))
                       : 4096;
    scores.slice(1, 0, std::min<std::int64_t>(sinks_, tokens)).fill_(1);
    scores.slice(1, tokens - newest).fill_(1);
    return scores;
  }

 private:
  static at::Tensor normed(const at::Tensor& rows, const at::Tensor& weight) {
    return rows * (rows.square().mean(-1, true) + 1e-6).rsqrt() * weight;
  }

  std::shared_ptr<const WeightsFile> file_;
  int sinks_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_fastkvzip(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  KV_TRY(require_file(parameters, "fastkvzip", "weights",
                      "the gates of Fast KVzip for this model, as safetensors (docs/methods-learned.md)"));
  KV_ASSIGN(auto file, WeightsFile::open(parameters, "weights"));
  return std::make_unique<FastKvZip>(std::move(file), sinks);
}

}  // namespace kvantage::inline learned_scorers
