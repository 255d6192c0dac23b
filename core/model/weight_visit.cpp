#include "core/model/weight_visit.h"

#include <memory>

#include "core/model/architectures/architecture.h"

namespace kvantage::inline model {
namespace {

/// Visits the weights of one model.
class WeightWalk {
 public:
  WeightWalk(const ModelConfig& config, WeightVisitor& visitor) : config_(config), visitor_(visitor) {}

  /// Skipped where the architecture has no such norm. width: other than that of LayerNorm.
  Status norm(const std::string& name, int size, std::vector<float>& weight, std::vector<float>* bias) {
    if (name.empty()) return {};
    KV_TRY(visitor_.vector(name + ".weight", size, config_.form.norms.unit_offset, weight));
    return config_.layer_norm && bias != nullptr ? visitor_.vector(name + ".bias", size, false, *bias) : Status{};
  }

  Status norms(const NormNames& names, LayerWeights& layer) {
    const int h = config_.hidden;
    KV_TRY(norm(names.input, h, layer.input_norm, &layer.input_norm_bias));
    KV_TRY(norm(names.attention, h, layer.attention_norm, &layer.attention_norm_bias));
    if (config_.form.norms.outputs) {
      KV_TRY(norm(names.attention_output, h, layer.extra.attention_output_norm, nullptr));
      KV_TRY(norm(names.mlp_output, h, layer.extra.mlp_output_norm, nullptr));
    }
    if (!config_.qk_norm) return {};
    const bool whole = config_.form.norms.whole_heads;
    KV_TRY(norm(names.query, config_.head_dim * (whole ? config_.heads : 1), layer.query_norm, nullptr));
    return norm(names.key, config_.head_dim * (whole ? config_.kv_heads : 1), layer.key_norm, nullptr);
  }

  /// Matrices as they are stored; `key` is that of keys and values.
  Status latent_attention(const AttentionNames& names, LayerWeights& layer) {
    const LatentForm& form = config_.form.latent;
    const int h = config_.hidden, q = config_.heads * config_.head_dim, queried = form.query_rank;
    if (queried > 0) {
      const auto input = std::make_shared<LatentInput>();
      KV_TRY(visitor_.matrix(names.latent.query_down, {queried, h}, input->down));
      KV_TRY(visitor_.vector(names.latent.query_norm + ".weight", queried, false, input->norm));
      layer.query.latent = input;
    }
    KV_TRY(visitor_.matrix(names.query, {q, queried > 0 ? queried : h}, layer.query));
    const auto input = std::make_shared<LatentInput>();
    KV_TRY(visitor_.matrix(names.latent.down, {form.rank + form.rotated, h}, input->down));
    KV_TRY(visitor_.vector(names.latent.norm + ".weight", form.rank, false, input->norm));
    layer.key.latent = layer.value.latent = input;
    KV_TRY(visitor_.matrix(names.latent.pair, {config_.heads * (form.plain + form.value), form.rank}, layer.key));
    return visitor_.matrix(names.output, {h, config_.heads * form.value}, layer.output);
  }

  Status attention(const AttentionNames& names, LayerWeights& layer) {
    if (config_.form.latent.rank > 0) return latent_attention(names, layer);
    const int h = config_.hidden, q = config_.heads * config_.head_dim, kv = config_.kv_heads * config_.head_dim;
    const bool bias = config_.qkv_bias, part = config_.rope.rotated != 0;
    KV_TRY(visitor_.matrix(names.query, {q, h, bias, part ? config_.heads : 0}, layer.query));
    KV_TRY(visitor_.matrix(names.key, {kv, h, bias, part ? config_.kv_heads : 0}, layer.key));
    KV_TRY(visitor_.matrix(names.value, {kv, h, bias}, layer.value));
    KV_TRY(visitor_.matrix(names.output, {h, q, config_.output_bias}, layer.output));
    if (!config_.form.sinks) return {};
    return visitor_.vector(names.sinks, config_.heads, false, layer.extra.sinks);
  }

  Status mlp(const MlpNames& names, int wide, Matrix& gate, Matrix& up, Matrix& down) {
    const bool bias = config_.mlp_bias;
    if (config_.form.gated) KV_TRY(visitor_.matrix(names.gate, {wide, config_.hidden, bias}, gate));
    KV_TRY(visitor_.matrix(names.up, {wide, config_.hidden, bias}, up));
    return visitor_.matrix(names.down, {config_.hidden, wide, bias}, down);
  }

  Status experts(const WeightNames& names, LayerWeights& layer) {
    ExtraWeights& extra = layer.extra;
    const ExpertForm& form = config_.form.experts;
    KV_TRY(visitor_.matrix({.name = names.router, .fused = {}}, {form.count, config_.hidden, names.router_bias},
                           extra.router));
    if (!names.router_correction.empty())
      KV_TRY(visitor_.vector(names.router_correction, form.count, false, extra.router_correction));
    if (form.shared > 0) KV_TRY(mlp(names.shared, form.shared, layer.gate, layer.up, layer.down));
    extra.experts.resize(names.experts.size());
    for (std::size_t e = 0; e < names.experts.size(); ++e) {
      ExpertWeights& expert = extra.experts[e];
      KV_TRY(mlp(names.experts[e], form.intermediate, expert.gate, expert.up, expert.down));
    }
    return {};
  }

  Status layer(int index, LayerWeights& weights) {
    const WeightNames names = row_of(config_.architecture).names(config_, index);
    KV_TRY(norms(names.norms, weights));
    KV_TRY(attention(names.attention, weights));
    if (!names.router.empty() && !config_.layer_form(index).dense) return experts(names, weights);
    return mlp(names.mlp, config_.intermediate, weights.gate, weights.up, weights.down);
  }

 private:
  const ModelConfig& config_;
  WeightVisitor& visitor_;
};

}  // namespace

Status visit_weights(Transformer::Impl& model, WeightVisitor& visitor) {
  const ModelConfig& config = model.config;
  const ModelNames names = row_of(config.architecture).names(config, 0).model;
  const auto table = [](const std::string& name) { return MatrixName{.name = name, .fused = {}}; };
  WeightWalk walk(config, visitor);
  KV_TRY(visitor.matrix(table(names.embeddings), {config.vocab_size, config.hidden}, model.embeddings));
  if (config.learned_positions())
    KV_TRY(visitor.matrix(table(names.positions), {config.max_positions + ModelConfig::position_offset, config.hidden},
                          model.positions));
  for (int layer = 0; layer < config.layers; ++layer)
    KV_TRY(walk.layer(layer, model.layers[static_cast<std::size_t>(layer)]));
  KV_TRY(walk.norm(names.final_norm, config.hidden, model.final_norm, &model.final_norm_bias));
  if (config.tied_embeddings) return {};
  return visitor.matrix(table(names.head), {config.vocab_size, config.hidden}, model.head);
}

}  // namespace kvantage::inline model
