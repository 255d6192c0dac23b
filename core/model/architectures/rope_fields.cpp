// Rotary position embeddings in config.json, as transformers' modeling_rope_utils reads them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/architectures/config_fields.h"

namespace kvantage::inline model_architectures {
namespace {

Expected<double> rotary(Expected<double> value, const ConfigFields& fields, const std::string& key) {
  // Frequencies are their quotients, in fp32.
  if (value && !(*value > 1e-12 && *value < 1e12))
    return fields.reject("rotary field '" + key + "' must be a positive number from 1e-12 to 1e12; correct its value");
  return value;
}

Expected<RopeKind> kind_of(const std::string& name, const RopeDefaults& defaults, const ConfigFields& fields) {
  if (name == "default" || name == "dynamic") return RopeKind::plain;
  if (name == "linear") return RopeKind::linear;
  if (name == "llama3") return RopeKind::llama3;
  if (name == "longrope" || (defaults.yarn_is_longrope && (name == "su" || name == "yarn"))) return RopeKind::longrope;
  if (name == "yarn") return RopeKind::yarn;
  return fields.reject("rotary scaling '" + printable(name) +
                       "' is not supported; use default, linear, dynamic, llama3, yarn or longrope");
}

/// Numbers of `scale` by name. 0 as fallback: required.
struct RopeItem {
  const char* key;
  double* target;
  double fallback;
};
Status read_items(const ConfigFields& fields, const ConfigFields& scale, const std::vector<RopeItem>& items) {
  for (const RopeItem& item : items) {
    auto value = item.fallback > 0 ? scale.value_or<double>(item.key, item.fallback)
                                   : json_field<double>(scale.json(), item.key, fields.name());
    KV_ASSIGN(*item.target, rotary(std::move(value), fields, item.key));
  }
  return {};
}

double yarn_scale(double factor, double mscale) { return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0; }

Status read_yarn(const ConfigFields& fields, const ConfigFields& scale, ModelConfig& config) {
  RopeConfig& rope = config.rope;
  KV_TRY(read_items(
      fields, scale,
      {{"original_max_position_embeddings", &rope.original_max_positions, static_cast<double>(config.max_positions)},
       {"beta_fast", &rope.stretch.beta_fast, 32},
       {"beta_slow", &rope.stretch.beta_slow, 1}}));
  KV_TRY(read_items(fields, scale, {{"factor", &rope.factor, config.max_positions / rope.original_max_positions}}));
  double scaled = 0, all = 0, given = 0;
  KV_ASSIGN(scaled, scale.value_or<double>("mscale", 0.0));
  KV_ASSIGN(all, scale.value_or<double>("mscale_all_dim", 0.0));
  KV_ASSIGN(given, scale.value_or<double>("attention_factor", 0.0));
  const double own = scaled != 0 && all != 0 ? yarn_scale(rope.factor, scaled) / yarn_scale(rope.factor, all)
                                             : yarn_scale(rope.factor, 1);
  KV_ASSIGN(rope.stretch.attention_factor,
            rotary(scale.has("attention_factor") ? given : own, fields, "attention_factor"));
  KV_ASSIGN(rope.stretch.truncate, scale.value_or<bool>("truncate", true));
  return {};
}

Expected<std::vector<double>> longrope_divisors(const ConfigFields& fields, const ConfigFields& scale, const char* key,
                                                const ModelConfig& config) {
  KV_ASSIGN(auto divisors, json_field<std::vector<double>>(scale.json(), key, fields.name()));
  const int pairs = config.rotated_channels() / 2;
  if (divisors.size() != static_cast<std::size_t>(pairs))
    return fields.reject(std::string(key) + " has " + std::to_string(divisors.size()) + " numbers for " +
                         std::to_string(pairs) + " rotated pairs of channels; correct its value");
  for (const double divisor : divisors) KV_TRY(rotary(divisor, fields, key));
  return divisors;
}

Status read_longrope(const ConfigFields& fields, const ConfigFields& scale, const RopeDefaults& defaults,
                     ModelConfig& config) {
  RopeConfig& rope = config.rope;
  constexpr const char* length_key = "original_max_position_embeddings";
  const double fallback =
      defaults.original_positions > 0 ? defaults.original_positions : static_cast<double>(config.max_positions);
  KV_TRY(read_items(fields, fields.has(length_key) ? fields : scale,
                    {{length_key, &rope.original_max_positions, fallback}}));
  KV_TRY(read_items(fields, scale, {{"factor", &rope.factor, config.max_positions / rope.original_max_positions}}));
  const double own =
      rope.factor <= 1 ? 1.0 : std::sqrt(1 + std::log(rope.factor) / std::log(rope.original_max_positions));
  KV_TRY(read_items(fields, scale, {{"attention_factor", &rope.stretch.attention_factor, own}}));
  KV_ASSIGN(rope.stretch.divisors, longrope_divisors(fields, scale, "short_factor", config));
  KV_ASSIGN(auto longer, longrope_divisors(fields, scale, "long_factor", config));
  if (rope.original_max_positions < config.max_positions)
    rope.stretch.choice = {.long_divisors = std::move(longer),
                           .original_key = std::string(length_key) + " in " + fields.name()};
  return {};
}

/// Plain up to max_position_embeddings. The longest text that is served has `factor` times as many.
Status read_dynamic(const ConfigFields& fields, const ConfigFields& scale, ModelConfig& config) {
  LengthChoice& choice = config.rope.stretch.choice;
  KV_TRY(read_items(fields, scale, {{"factor", &choice.dynamic_factor, 0}}));
  if (config.rotated_channels() <= 2)
    return fields.reject("dynamic scaling of heads with 2 rotated channels is not defined; use another checkpoint");
  choice.dynamic_positions = config.max_positions;
  choice.original_key = config.form.file.positions_of;
  const double longest = std::floor(config.max_positions * std::max(1.0, choice.dynamic_factor));
  config.max_positions = static_cast<int>(std::min(longest, 1e9));
  return {};
}

/// That of transformers for a prefill of `length` tokens, in its order and precision.
double dynamic_theta(const ModelConfig& config, const LengthChoice& choice, int length) {
  const int rotated = config.rotated_channels();
  const auto factor = static_cast<float>(choice.dynamic_factor);
  const float share =
      factor * static_cast<float>(length) / static_cast<float>(choice.dynamic_positions) - (factor - 1.0F);
  return static_cast<double>(static_cast<float>(config.rope.theta) *
                             std::pow(share, static_cast<float>(rotated / (rotated - 2.0))));
}

/// How many channels of a head are rotated.
Status read_part(const ConfigFields& fields, const ConfigFields& scale, const RopeDefaults& defaults,
                 ModelConfig& config) {
  constexpr const char* key = "partial_rotary_factor";
  KV_ASSIGN(const auto part, (scale.has(key) ? scale : fields).value_or<double>(key, defaults.partial));
  if (part == 1.0) return {};
  if (!defaults.partly)
    return fields.reject(
        "partial_rotary_factor other than 1 is not supported for this architecture; "
        "use another checkpoint");
  const int rotated = part > 0 && part < 1 ? static_cast<int>(config.head_dim * part) : 0;
  if (rotated < 2 || rotated % 2 != 0)
    return fields.reject("partial_rotary_factor must leave an even number of channels of " +
                         std::to_string(config.head_dim) + " to rotate; correct its value");
  config.rope.rotated = rotated;
  return {};
}

}  // namespace

Status read_rope_of(const ConfigFields& fields, const Json& scaling, const RopeDefaults& defaults,
                    ModelConfig& config) {
  if (!scaling.is_object()) return fields.reject("rope_parameters must be an object; correct its value");
  const ConfigFields scale(scaling, fields.name());
  RopeConfig& rope = config.rope;
  const bool own_theta = scale.has("rope_theta");
  KV_ASSIGN(
      rope.theta,
      rotary(
          (own_theta ? scale : fields).value_or<double>(own_theta ? "rope_theta" : defaults.theta_key, defaults.theta),
          fields, "rope_theta"));
  KV_ASSIGN(const auto name, scale.value_or<std::string>(scale.has("rope_type") ? "rope_type" : "type", "default"));
  KV_ASSIGN(rope.kind, kind_of(name, defaults, fields));
  KV_TRY(read_part(fields, scale, defaults, config));
  if (name == "dynamic") return read_dynamic(fields, scale, config);
  if (rope.kind == RopeKind::plain) return {};
  if (rope.kind == RopeKind::yarn) return read_yarn(fields, scale, config);
  if (rope.kind == RopeKind::longrope) return read_longrope(fields, scale, defaults, config);
  std::vector<RopeItem> items{{"factor", &rope.factor, 0}};
  if (rope.kind == RopeKind::llama3) {
    items.push_back({"low_freq_factor", &rope.low_frequency_factor, 0});
    items.push_back({"high_freq_factor", &rope.high_frequency_factor, 0});
    items.push_back(
        {"original_max_position_embeddings", &rope.original_max_positions, static_cast<double>(config.max_positions)});
  }
  KV_TRY(read_items(fields, scale, items));
  if (rope.kind == RopeKind::llama3 && rope.high_frequency_factor <= rope.low_frequency_factor)
    return fields.reject("high_freq_factor must be larger than low_freq_factor; correct the rotary scaling");
  return {};
}

namespace {

/// Positions end there, so windows that are not shorter have no effect.
void end_positions(int positions, std::string of, ModelConfig& config) {
  config.max_positions = positions;
  config.form.file.positions_of = std::move(of);
  for (LayerForm& layer : config.form.layers)
    if (layer.window >= positions) layer.window = 0;
}

void serve_longrope(LengthChoice choice, int max_model_len, ModelConfig& config) {
  const auto original =
      static_cast<int>(std::clamp(config.rope.original_max_positions, 1.0, static_cast<double>(config.max_positions)));
  if (max_model_len > original)
    config.rope.stretch.divisors = std::move(choice.long_divisors);
  else
    end_positions(original,
                  choice.original_key + "; --max-model-len " + std::to_string(config.max_positions) +
                      " serves longer texts, with longrope's long factors",
                  config);
}

void serve_dynamic(const LengthChoice& choice, int max_model_len, ModelConfig& config) {
  const int most = config.max_positions, plain = choice.dynamic_positions;
  if (max_model_len > plain && max_model_len <= most) {
    config.rope.theta = dynamic_theta(config, choice, max_model_len);
    end_positions(max_model_len, "--max-model-len, whose length chooses how dynamic scaling rotates", config);
    return;
  }
  end_positions(plain,
                choice.original_key + (most > plain ? "; --max-model-len up to " + std::to_string(most) +
                                                          " serves longer texts, by dynamic scaling"
                                                    : std::string()),
                config);
}

}  // namespace

// transformers rotates all tokens of a text by other angles once it is longer than the original positions: by the long
// divisors, so a cache that grows past them is computed again, or by a base of the length so far, so that keys of one
// cache have several. llama.cpp and vLLM choose once, by the length that they serve; so a context's keys do not depend
// on the question and answer that follow.
Status serve_positions(int max_model_len, const std::string& file, ModelConfig& config) {
  LengthChoice choice = std::exchange(config.rope.stretch.choice, {});
  if (!choice.long_divisors.empty())
    serve_longrope(std::move(choice), max_model_len, config);
  else if (choice.dynamic_factor > 0)
    serve_dynamic(choice, max_model_len, config);
  if (max_model_len <= config.max_positions) return {};
  return fail(ErrorCode::rejected_input, file + ": a maximum length of " + std::to_string(max_model_len) +
                                             " tokens is more than the model's " +
                                             std::to_string(config.max_positions) + " positions (" +
                                             config.form.file.positions_of + "); lower --max-model-len");
}

Status read_rope(const ConfigFields& fields, const RopeDefaults& defaults, ModelConfig& config) {
  static const Json none = Json::object();
  const Json* found = &none;
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (fields.has(key)) found = &fields.json().at(key);
  return read_rope_of(fields, *found, defaults, config);
}

}  // namespace kvantage::inline model_architectures
