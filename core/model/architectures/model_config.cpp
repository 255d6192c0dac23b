#include "core/model/architectures/model_config.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {
namespace {

std::uint64_t size_of(int number) { return static_cast<std::uint64_t>(number); }

/// Of the MLP of a layer, or of its experts and their router.
std::uint64_t mlp_parameters(const ModelConfig& config, bool dense) {
  const ExpertForm& experts = config.form.experts;
  const std::uint64_t h = size_of(config.hidden), matrices = config.form.gated ? 3 : 2;
  const bool has_experts = experts.count > 0 && !dense;
  const std::uint64_t wide = size_of(has_experts ? experts.intermediate : config.intermediate);
  const std::uint64_t one = matrices * h * wide + (config.mlp_bias ? (matrices - 1) * wide + h : 0);
  if (!has_experts) return one;
  // Its bias comes with gpt-oss's sinks, its correction with sigmoids.
  const std::uint64_t router = h + (config.form.sinks || experts.scores == ExpertScores::sigmoid ? 1 : 0);
  return size_of(experts.count) * (one + router) + matrices * h * size_of(experts.shared);
}

/// As they are in memory, where heads are like those of other models (latent/latent_matrices.h).
std::uint64_t latent_parameters(const ModelConfig& config) {
  const LatentForm& latent = config.form.latent;
  const std::uint64_t q = size_of(config.heads) * size_of(config.head_dim), h = size_of(config.hidden),
                      vector = size_of(latent.rank) + size_of(latent.rotated), rank = size_of(latent.query_rank);
  return (rank > 0 ? rank * (h + q + 1) : h * q) + vector * (h + 2 * q) + size_of(latent.rank) + q * h;
}

std::uint64_t layer_parameters(const ModelConfig& config, int layer) {
  const NormForm& norms = config.form.norms;
  const std::uint64_t q = size_of(config.heads) * size_of(config.head_dim),
                      kv = size_of(config.kv_heads) * size_of(config.head_dim), h = size_of(config.hidden);
  const std::uint64_t norm = config.layer_norm ? 2 * h : h;
  std::uint64_t sum = config.form.latent.rank > 0 ? latent_parameters(config) : h * (q + 2 * kv) + q * h;
  sum += mlp_parameters(config, config.layer_form(layer).dense);
  if (norms.inputs || norms.after) sum += 2 * norm;
  if (norms.outputs) sum += 2 * norm;
  if (config.qkv_bias) sum += q + 2 * kv;
  if (config.output_bias) sum += h;
  if (config.qk_norm) sum += norms.whole_heads ? q + kv : 2 * size_of(config.head_dim);
  if (config.form.sinks) sum += size_of(config.heads);
  return sum;
}

/// What the first five architectures do not have. Empty for them: digests of their stored entries stay.
std::string form_text(const ModelConfig& config) {
  const auto number = [](double value) { return ' ' + format_fixed(value, 9); };
  const ModelForm& form = config.form;
  std::string text;
  if (config.rope.kind == RopeKind::yarn || config.rope.kind == RopeKind::longrope) {
    const RopeStretch& stretch = config.rope.stretch;
    text += number(stretch.beta_fast) + number(stretch.beta_slow) + number(stretch.attention_factor) +
            (stretch.truncate ? " truncated" : "");
    for (const double divisor : stretch.divisors) text += number(divisor);
  }
  if (config.rope.rotated != 0) text += " rotated " + std::to_string(config.rope.rotated);
  if (config.architecture == Architecture::opt) return text;
  const NormForm& norms = form.norms;
  const ScaleForm& scales = form.scales;
  const ExpertForm& experts = form.experts;
  if (norms.outputs || norms.unit_offset || norms.whole_heads)
    text += std::string(" norms ") + (norms.inputs ? "1" : "0") + (norms.outputs ? "1" : "0") +
            (norms.unit_offset ? "1" : "0") + (norms.whole_heads ? "1" : "0");
  const ScaleForm plain;
  if (scales.embedding != plain.embedding || scales.attention != plain.attention || scales.residual != plain.residual ||
      scales.logits != plain.logits || scales.attention_cap != 0 || scales.logits_cap != 0) {
    text += " scales";
    for (const double value :
         {scales.embedding, scales.attention, scales.residual, scales.logits, scales.attention_cap, scales.logits_cap})
      text += number(value);
  }
  if (experts.count > 0)
    text += " experts " + std::to_string(experts.count) + ' ' + std::to_string(experts.chosen) + ' ' +
            std::to_string(experts.intermediate) + (experts.normalized ? " 1" : " 0");
  if (experts.scores != ExpertScores::softmax || experts.groups > 0 || experts.scale != 1 || experts.shared > 0)
    text += std::string(" routed ") + (experts.scores == ExpertScores::sigmoid ? "sigmoid " : "softmax ") +
            std::to_string(experts.groups) + ' ' + std::to_string(experts.groups_chosen) + ' ' +
            std::to_string(experts.shared) + number(experts.scale);
  if (const LatentForm& latent = form.latent; latent.rank > 0)
    text += " latent " + std::to_string(latent.rank) + ' ' + std::to_string(latent.query_rank) + ' ' +
            std::to_string(latent.plain) + ' ' + std::to_string(latent.rotated) + ' ' + std::to_string(latent.value) +
            (latent.interleaved ? " 1" : " 0");
  if (form.file.gguf && config.architecture == Architecture::gpt_neox) text += " parts";  // the same names, other rows
  if (form.activation != Activation::silu) text += " activation " + std::to_string(static_cast<int>(form.activation));
  for (const auto& [flag, name] :
       {std::pair{!form.gated, " ungated"}, std::pair{form.parallel, " parallel"}, std::pair{form.sinks, " sinks"}})
    if (flag) text += name;
  if (config.has_windows() || !config.rotates_alike() ||
      std::ranges::any_of(form.layers, [](const LayerForm& layer) { return layer.dense; })) {
    text += " layers" + number(config.rope.local_theta);
    for (const LayerForm& layer : form.layers)
      text += ' ' + std::to_string(layer.window) + (layer.rotates ? "" : "n") + (layer.local_rope ? "l" : "") +
              (layer.dense ? "d" : "");
  }
  return text;
}

}  // namespace

const char* to_string(Architecture architecture) { return row_of(architecture).name; }

const char* to_string(RopeKind kind) {
  switch (kind) {
    case RopeKind::plain:
      return "default";
    case RopeKind::linear:
      return "linear";
    case RopeKind::llama3:
      return "llama3";
    case RopeKind::none:
      return "none";
    case RopeKind::yarn:
      return "yarn";
    case RopeKind::longrope:
      return "longrope";
  }
  return "unknown";
}

const char* to_string(WeightType type) { return type == WeightType::bf16 ? "bf16" : "fp32"; }

bool ModelConfig::has_windows() const {
  return std::ranges::any_of(form.layers, [](const LayerForm& layer) { return layer.window > 0; });
}

std::vector<std::int32_t> ModelConfig::windows() const {
  std::vector<std::int32_t> all;
  if (!has_windows()) return all;
  all.reserve(form.layers.size());
  for (const LayerForm& layer : form.layers) all.push_back(layer.window);
  return all;
}

bool ModelConfig::rotates_alike() const {
  return std::ranges::none_of(form.layers, [](const LayerForm& layer) { return layer.local_rope || !layer.rotates; });
}

float ModelConfig::observed_scale() const {
  const double scale = form.scales.attention;
  return scale == 0 ? 1.0F : static_cast<float>(scale * std::sqrt(static_cast<double>(head_dim)));
}

std::string ModelConfig::extensions() const {
  const ScaleForm& scales = form.scales;
  std::string text;
  for (const auto& [has, words] :
       {std::pair{has_windows(), "a sliding window"}, std::pair{!rotates_alike(), "layers with other rotations"},
        std::pair{rope.stretch.attention_factor != 1, "scaled rotations"}, std::pair{form.experts.count > 0, "experts"},
        std::pair{form.sinks, "attention sinks"}, std::pair{form.latent.rank > 0, "latent attention"},
        std::pair{scales.attention_cap != 0 || scales.logits_cap != 0, "soft caps"},
        std::pair{scales.embedding != 1 || scales.attention != 0 || scales.residual != 1 || scales.logits != 1,
                  "multipliers"},
        std::pair{form.norms.outputs, "norms of outputs"}, std::pair{form.parallel, "a parallel MLP"},
        std::pair{form.activation != (layer_norm ? Activation::relu : Activation::silu) || form.gated == layer_norm,
                  "another activation"}})
    if (has) text += (text.empty() ? "" : ", ") + std::string(words);
  return text;
}

std::uint64_t ModelConfig::parameters() const {
  const std::uint64_t h = size_of(hidden), norm = layer_norm ? 2 * h : h;
  std::uint64_t sum = (form.norms.after ? 0 : norm) + size_of(vocab_size) * h * (tied_embeddings ? 1 : 2);
  if (learned_positions()) sum += size_of(max_positions + position_offset) * h;
  for (int layer = 0; layer < layers; ++layer) sum += layer_parameters(*this, layer);
  return sum;
}

std::string ModelConfig::canonical_text() const {
  std::string text = to_string(architecture);
  for (int number : {vocab_size, hidden, layers, heads, kv_heads, head_dim, intermediate, max_positions})
    text += ' ' + std::to_string(number);
  for (bool flag : {qkv_bias, output_bias, mlp_bias, qk_norm, tied_embeddings}) text += flag ? " 1" : " 0";
  text += std::string(" ") + to_string(rope.kind);
  for (double number : {rope.theta, rope.factor, rope.low_frequency_factor, rope.high_frequency_factor,
                        rope.original_max_positions, static_cast<double>(rms_eps) * 1e6})
    text += ' ' + format_fixed(number, 6);
  if (layer_norm) text += form.norms.after ? " layer_norm after" : " layer_norm before";
  return text + form_text(*this);
}

}  // namespace kvantage::inline model_architectures
