// DeepSeek V2 and V3: multi-head latent attention, experts beside shared ones, chosen within groups.
#include <cmath>
#include <string>

#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {
namespace {

/// What would be another model: `key` is there, with another value than `wanted`.
template <class T>
Status check_is(const ConfigFields& fields, const char* key, const T& wanted, const std::string& words) {
  KV_ASSIGN(const auto value, fields.value_or<T>(key, wanted));
  if (value == wanted) return {};
  return fields.reject(std::string(key) + " other than " + words +
                       " is not supported for this architecture; use another checkpoint");
}

/// Sizes of the heads, which have fewer channels in values than in keys.
Status read_latents(const ConfigFields& fields, ModelConfig& config) {
  LatentForm& form = config.form.latent;
  KV_ASSIGN(form.rank, fields.size_or("kv_lora_rank", 512));
  KV_ASSIGN(form.plain, fields.size_or("qk_nope_head_dim", 128));
  KV_ASSIGN(form.rotated, fields.size_or("qk_rope_head_dim", 64));
  KV_ASSIGN(form.value, fields.size_or("v_head_dim", 128));
  const bool without = fields.names("q_lora_rank") && !fields.has("q_lora_rank");  // null
  if (!without) {
    KV_ASSIGN(form.query_rank, fields.size_or("q_lora_rank", 1536));
  }
  constexpr int most = 1 << 16;
  if (form.rank > most || form.query_rank > most)
    return fields.reject("sizes are larger than those of any supported model; correct the values");
  if (form.plain > 1024 || form.rotated > 1024 || form.head_dim() > 1024 || form.plain % 2 != 0 ||
      form.rotated % 2 != 0 || form.value > form.head_dim())
    return fields.reject(
        "qk_nope_head_dim and qk_rope_head_dim must be even, 1024 together at most, and no less than v_head_dim; "
        "use another checkpoint");
  if (config.kv_heads != config.heads)
    return fields.reject("num_key_value_heads must be num_attention_heads for this architecture; correct the values");
  config.head_dim = form.head_dim();
  config.rope.rotated = form.rotated;
  return {};
}

/// As transformers' yarn_apply_mscale.
Status read_scale(const ConfigFields& fields, ModelConfig& config) {
  double& scale = config.form.scales.attention;
  scale = 1 / std::sqrt(static_cast<double>(config.head_dim));
  if (config.rope.kind == RopeKind::plain || config.rope.factor <= 1) return {};
  const char* const key = fields.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const ConfigFields scaling(fields.json().at(key), fields.name());
  KV_ASSIGN(const auto all, scaling.value_or<double>("mscale_all_dim", 0.0));
  const double factor = all == 0 ? 1 : 0.1 * all * std::log(config.rope.factor) + 1;
  if (!(factor > 1e-6 && factor < 1e6))
    return fields.reject("mscale_all_dim is not that of a supported model; correct its value");
  scale *= factor * factor;
  return {};
}

/// Groups of `count` experts, of which some are chosen first.
Status read_groups(const ConfigFields& fields, int groups, int chosen, ModelConfig& config) {
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.groups, fields.size_or("n_group", groups));
  KV_ASSIGN(experts.groups_chosen, fields.size_or("topk_group", chosen));
  if (experts.groups_chosen > experts.groups || experts.count % experts.groups != 0 ||
      experts.count / experts.groups * experts.groups_chosen < experts.chosen)
    return fields.reject("n_group (" + std::to_string(experts.groups) + ") and topk_group (" +
                         std::to_string(experts.groups_chosen) + ") leave too few of " + std::to_string(experts.count) +
                         " experts to choose from; correct the values");
  return {};
}

Status read_deepseek(const ConfigFields& fields, int positions, ModelConfig& config) {
  KV_TRY(read_positions(fields, positions, config));
  KV_TRY(read_latents(fields, config));
  KV_TRY(read_rope(fields, {}, config));
  KV_TRY(read_scale(fields, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-6, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {}, config));
  KV_TRY(check_is<bool>(fields, "attention_bias", false, "false"));
  KV_TRY(check_is<bool>(fields, "mlp_bias", false, "false"));
  KV_TRY(check_is<int>(fields, "moe_layer_freq", 1, "1"));
  KV_ASSIGN(config.form.experts.chosen, fields.size("num_experts_per_tok"));
  return {};
}

/// The first layers have one MLP.
Status read_experts(const ConfigFields& fields, int dense, int shared, ModelConfig& config) {
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(const auto first, fields.value_or<int>("first_k_dense_replace", dense));
  KV_ASSIGN(const int shared_count, fields.size_or("n_shared_experts", shared));
  KV_TRY(check_experts(fields, experts));
  if (shared_count > 64)
    return fields.reject("n_shared_experts is larger than those of any supported model; correct it");
  experts.shared = shared_count * experts.intermediate;
  if (first <= 0) return {};
  config.form.layers.resize(static_cast<std::size_t>(config.layers));
  for (std::size_t layer = 0; layer < config.form.layers.size(); ++layer)
    config.form.layers[layer].dense = static_cast<int>(layer) < first;
  return {};
}

WeightNames deepseek_names(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".", attention = name + "self_attn.";
  const auto matrix = [](const std::string& of) { return MatrixName{.name = of, .fused = {}}; };
  names.attention.latent = {.query_down = matrix(attention + "q_a_proj"),
                            .query_norm = attention + "q_a_layernorm",
                            .down = matrix(attention + "kv_a_proj_with_mqa"),
                            .norm = attention + "kv_a_layernorm",
                            .pair = matrix(attention + "kv_b_proj")};
  if (config.form.latent.query_rank > 0) names.attention.query = matrix(attention + "q_b_proj");
  const std::string mlp = name + "mlp.";
  names.router = mlp + "gate";
  if (config.form.experts.scores == ExpertScores::sigmoid)
    names.router_correction = mlp + "gate.e_score_correction_bias";
  names.experts = expert_names(mlp + "experts.", config.form.experts.count, "gate_proj", "up_proj", "down_proj");
  const std::string shared = mlp + "shared_experts.";
  names.shared = {
      .gate = matrix(shared + "gate_proj"), .up = matrix(shared + "up_proj"), .down = matrix(shared + "down_proj")};
  return names;
}

}  // namespace

// The chosen weights are not normalized, whatever norm_topk_prob says to transformers; DeepSeek's own code does both.
Status read_deepseek_v2(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_deepseek(fields, 2048, config));
  KV_TRY(check_is<std::string>(fields, "scoring_func", "softmax", "softmax"));
  KV_TRY(check_is<bool>(fields, "norm_topk_prob", false, "false"));
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, fields.size_or("n_routed_experts", 64));
  KV_ASSIGN(experts.intermediate, fields.size_or("moe_intermediate_size", 1407));
  KV_ASSIGN(experts.scale, fields.positive_or("routed_scaling_factor", 1));
  experts.normalized = false;
  KV_TRY(read_experts(fields, 0, 2, config));
  KV_ASSIGN(const auto method, fields.value_or<std::string>("topk_method", "greedy"));
  if (method == "greedy") return {};
  if (method != "group_limited_greedy")
    return fields.reject("topk_method '" + printable(method) +
                         "' is not supported for this architecture; use a checkpoint with greedy");
  return read_groups(fields, 1, 1, config);
}

Status read_deepseek_v3(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_deepseek(fields, 4096, config));
  KV_TRY(check_is<std::string>(fields, "scoring_func", "sigmoid", "sigmoid"));
  KV_TRY(check_is<std::string>(fields, "topk_method", "noaux_tc", "noaux_tc"));
  KV_ASSIGN(config.form.latent.interleaved, fields.value_or<bool>("rope_interleave", true));
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, fields.size_or("n_routed_experts", 256));
  KV_ASSIGN(experts.intermediate, fields.size_or("moe_intermediate_size", 2048));
  KV_ASSIGN(experts.normalized, fields.value_or<bool>("norm_topk_prob", true));
  KV_ASSIGN(experts.scale, fields.positive_or("routed_scaling_factor", 2.5));
  experts.scores = ExpertScores::sigmoid;
  KV_TRY(read_experts(fields, 3, 1, config));
  return read_groups(fields, 8, 4, config);
}

WeightNames names_of_deepseek_v2(const ModelConfig& config, int layer) { return deepseek_names(config, layer); }
WeightNames names_of_deepseek_v3(const ModelConfig& config, int layer) { return deepseek_names(config, layer); }

}  // namespace kvantage::inline model_architectures
