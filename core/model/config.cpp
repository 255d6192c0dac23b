#include "core/model/config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/model/gguf_model.h"

namespace kvantage::inline model {
namespace {

constexpr std::array<std::pair<const char*, Architecture>, 5> architectures{{
    {"LlamaForCausalLM", Architecture::llama},
    {"MistralForCausalLM", Architecture::mistral},
    {"Qwen2ForCausalLM", Architecture::qwen2},
    {"Qwen3ForCausalLM", Architecture::qwen3},
    {"OPTForCausalLM", Architecture::opt},
}};

/// Reads fields of one JSON file and names it in every error.
class Fields {
 public:
  Fields(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  Expected<int> size(const char* key) const { return bounded(json_field<double>(json_, key, name_), key); }
  Expected<int> size_or(const char* key, int fallback) const {
    return bounded(json_field_or<double>(json_, key, name_, fallback), key);
  }
  template <class T>
  Expected<T> value_or(const char* key, T fallback) const {
    return json_field_or<T>(json_, key, name_, std::move(fallback));
  }
  tl::unexpected<Error> reject(const std::string& reason) const {
    return fail(ErrorCode::rejected_input, name_ + ": " + reason);
  }
  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }
  const Json& json() const { return json_; }
  const std::string& name() const { return name_; }

 private:
  Expected<int> bounded(Expected<double> value, const char* key) const {
    KV_ASSIGN(const double number, std::move(value));
    if (!(number >= 1 && number <= 1e9) || number != static_cast<double>(static_cast<int>(number)))
      return fail(ErrorCode::rejected_input,
                  name_ + ": field '" + key + "' must be a whole number from 1 to 1e9; correct its value");
    return static_cast<int>(number);
  }

  const Json& json_;
  std::string name_;
};

Expected<Architecture> read_architecture(const Fields& fields) {
  KV_ASSIGN(auto names, fields.value_or<std::vector<std::string>>("architectures", {}));
  for (const std::string& name : names)
    for (const auto& [known, architecture] : architectures)
      if (name == known) return architecture;
  return fields.reject("architecture '" + (names.empty() ? std::string("(none named)") : printable(names.front())) +
                       "' is not supported; use a LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, "
                       "Qwen3ForCausalLM or OPTForCausalLM checkpoint");
}

Expected<double> positive(Expected<double> value, const Fields& fields, const std::string& key) {
  // Frequencies are their quotients, in fp32.
  if (value && !(*value > 1e-12 && *value < 1e12))
    return fields.reject("rotary field '" + key + "' must be a positive number from 1e-12 to 1e12; correct its value");
  return value;
}

/// Newer files: rope_parameters {rope_type, rope_theta, factor, ...}; older: rope_theta and rope_scaling
/// {type|rope_type}.
Expected<RopeConfig> read_rope(const Fields& fields, int max_positions) {
  static const Json none = Json::object();
  RopeConfig rope;
  const Json* found = &none;
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (fields.has(key)) found = &fields.json().at(key);
  const Json& scaling = *found;
  if (!scaling.is_object()) return fields.reject("rope_parameters must be an object; correct its value");
  const Fields scale(scaling, fields.name());

  const Fields& with_theta = scale.has("rope_theta") ? scale : fields;
  KV_ASSIGN(auto theta, positive(with_theta.value_or<double>("rope_theta", 10000.0), fields, "rope_theta"));
  rope.theta = theta;

  KV_ASSIGN(auto kind, scale.value_or<std::string>(scale.has("rope_type") ? "rope_type" : "type", "default"));
  if (kind == "linear")
    rope.kind = RopeKind::linear;
  else if (kind == "llama3")
    rope.kind = RopeKind::llama3;
  else if (kind != "default")
    return fields.reject("rotary scaling '" + printable(kind) + "' is not supported; use default, linear or llama3");

  KV_ASSIGN(auto partial,
            (scale.has("partial_rotary_factor") ? scale : fields).value_or<double>("partial_rotary_factor", 1.0));
  if (partial != 1.0)
    return fields.reject("partial_rotary_factor other than 1 is not supported; use another checkpoint");

  if (rope.kind == RopeKind::plain) return rope;
  struct Item {
    const char* key;
    double* target;
    double fallback;  // 0: required
  };
  std::vector<Item> items{{"factor", &rope.factor, 0}};
  if (rope.kind == RopeKind::llama3) {
    items.push_back({"low_freq_factor", &rope.low_frequency_factor, 0});
    items.push_back({"high_freq_factor", &rope.high_frequency_factor, 0});
    items.push_back(
        {"original_max_position_embeddings", &rope.original_max_positions, static_cast<double>(max_positions)});
  }
  for (const Item& item : items) {
    auto value = item.fallback > 0 ? scale.value_or<double>(item.key, item.fallback)
                                   : json_field<double>(scaling, item.key, fields.name());
    KV_ASSIGN(*item.target, positive(std::move(value), fields, item.key));
  }
  if (rope.kind == RopeKind::llama3 && rope.high_frequency_factor <= rope.low_frequency_factor)
    return fields.reject("high_freq_factor must be larger than low_freq_factor; correct the rotary scaling");
  return rope;
}

/// A sliding window has no effect until a position exceeds it: that limits the positions. Where config.json does not
/// name it, it is 4,096, as in transformers' MistralConfig and Qwen2Config; null stands for none.
Expected<int> read_max_positions(const Fields& fields, Architecture architecture) {
  KV_ASSIGN(auto positions,
            fields.size_or("max_position_embeddings", architecture == Architecture::mistral ? 131072 : 32768));
  KV_ASSIGN(auto use_window, fields.value_or<bool>("use_sliding_window", architecture == Architecture::mistral));
  if (architecture == Architecture::llama || !use_window) return positions;
  if (fields.json().contains("sliding_window") && !fields.has("sliding_window")) return positions;
  KV_ASSIGN(auto window, fields.size_or("sliding_window", 4096));
  return std::min(positions, window);
}

Expected<std::vector<std::int32_t>> read_ids(const Fields& fields, const char* key, int vocab_size) {
  std::vector<std::int32_t> ids;
  if (!fields.has(key)) return ids;
  constexpr std::size_t most = 1000;
  const Json& value = fields.json().at(key);
  if (value.is_array() && value.size() > most)
    return fields.reject(std::string(key) + ": " + too_long(value.size(), most));
  for (const Json& id : value.is_array() ? value : Json::array({value})) {
    if (!id.is_number_integer())
      return fields.reject(std::string("field '") + key + "' must be an id or a list of ids");
    const auto number = id.get<std::int64_t>();
    if (number >= 0 && number < vocab_size) ids.push_back(static_cast<std::int32_t>(number));
  }
  return ids;
}

Expected<WeightType> read_dtype(const Fields& fields) {
  KV_ASSIGN(auto dtype, fields.value_or<std::string>(fields.has("dtype") ? "dtype" : "torch_dtype", "float32"));
  if (dtype == "bfloat16") return WeightType::bf16;
  if (dtype == "float32") return WeightType::fp32;
  return fields.reject("weights of type '" + printable(dtype) +
                       "' are not supported; convert the checkpoint to bfloat16 or float32");
}

/// OPT: learned positions, LayerNorm before or after each part, an MLP without a gate, as many KV heads as query heads.
Status read_opt(const Fields& fields, ModelConfig& config) {
  KV_ASSIGN(const auto width, fields.size_or("word_embed_proj_dim", config.hidden));
  if (width != config.hidden)
    return fields.reject("word_embed_proj_dim " + std::to_string(width) + " other than hidden_size " +
                         std::to_string(config.hidden) +
                         " needs projections that are not supported; use another checkpoint");
  if (config.hidden % config.heads != 0)
    return fields.reject("hidden_size is not a multiple of num_attention_heads; correct the values");
  KV_ASSIGN(const auto activation, fields.value_or<std::string>("activation_function", "relu"));
  if (activation != "relu")
    return fields.reject("activation '" + printable(activation) +
                         "' is not supported here; use an OPT checkpoint with relu");
  KV_ASSIGN(const auto positions, fields.size_or("max_position_embeddings", 2048));
  const auto before = fields.value_or<bool>("do_layer_norm_before", true);
  const auto bias = fields.value_or<bool>("enable_bias", true);
  const auto affine = fields.value_or<bool>("layer_norm_elementwise_affine", true);
  const auto no_final = fields.value_or<bool>("_remove_final_layer_norm", false);
  const auto tied = fields.value_or<bool>("tie_word_embeddings", true);
  for (const auto* flag : {&before, &bias, &affine, &no_final, &tied}) KV_TRY(*flag);
  if (!*affine || (*before && *no_final))
    return fields.reject(
        "norms without weights (layer_norm_elementwise_affine, _remove_final_layer_norm) are not supported; "
        "use another checkpoint");
  config.max_positions = positions;
  config.rope = {.theta = 1.0, .kind = RopeKind::none};
  config.rms_eps = 1e-5F;  // torch's LayerNorm; not in config.json
  config.layer_norm = true;
  config.norm_after = !*before;
  config.qkv_bias = config.output_bias = config.mlp_bias = *bias;
  config.tied_embeddings = *tied;
  return {};
}

/// Type of the weights, and the bos and eos ids.
Status read_ends(const Fields& fields, const std::filesystem::path& folder, ModelConfig& config) {
  KV_ASSIGN(auto dtype, read_dtype(fields));
  config.dtype = dtype;

  auto eos = read_ids(fields, "eos_token_id", config.vocab_size);
  auto bos = read_ids(fields, "bos_token_id", config.vocab_size);
  for (auto* ids : {&eos, &bos}) KV_TRY(*ids);
  config.eos_ids = *eos;
  if (!bos->empty()) config.bos_id = bos->front();
  std::error_code ignored;
  if (const auto generation = folder / "generation_config.json";
      std::filesystem::is_regular_file(generation, ignored)) {
    KV_ASSIGN(auto settings, read_json_file(generation));
    if (settings.is_object()) {
      KV_ASSIGN(auto more, read_ids(Fields(settings, generation.string()), "eos_token_id", config.vocab_size));
      config.eos_ids.insert(config.eos_ids.end(), more.begin(), more.end());
    }
  }
  std::ranges::sort(config.eos_ids);
  const auto repeated = std::ranges::unique(config.eos_ids);
  config.eos_ids.erase(repeated.begin(), repeated.end());
  return {};
}

}  // namespace

const char* to_string(Architecture architecture) { return architectures[static_cast<std::size_t>(architecture)].first; }

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
  }
  return "unknown";
}

const char* to_string(WeightType type) { return type == WeightType::bf16 ? "bf16" : "fp32"; }

std::uint64_t ModelConfig::parameters() const {
  const auto n = [](int number) { return static_cast<std::uint64_t>(number); };
  const std::uint64_t q = n(heads) * n(head_dim), kv = n(kv_heads) * n(head_dim), h = n(hidden);
  const std::uint64_t norm = layer_norm ? 2 * h : h, matrices = layer_norm ? 2 : 3;
  std::uint64_t layer = h * (q + 2 * kv) + q * h + matrices * h * n(intermediate) + 2 * norm;
  if (qkv_bias) layer += q + 2 * kv;
  if (output_bias) layer += h;
  if (mlp_bias) layer += (matrices - 1) * n(intermediate) + h;
  if (qk_norm) layer += 2 * n(head_dim);
  const std::uint64_t positions = learned_positions() ? n(max_positions + position_offset) * h : 0;
  return layer * n(layers) + (norm_after ? 0 : norm) + positions + n(vocab_size) * h * (tied_embeddings ? 1 : 2);
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
  if (layer_norm) text += norm_after ? " layer_norm after" : " layer_norm before";
  return text;
}

namespace {

Expected<Json> read_config_json(const std::filesystem::path& folder, const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::status_known(status))  // a loop of links, a name that is too long, a folder that is closed
    return fail(ErrorCode::rejected_input, folder.string() + ": cannot be read (" + code.message() +
                                               "); give a Hugging Face folder or a GGUF file");
  if (!std::filesystem::is_regular_file(status))
    return fail(ErrorCode::rejected_input,
                folder.string() + (std::filesystem::exists(folder, code)
                                       ? ": no config.json; give a Hugging Face folder, which has one, or a GGUF file"
                                       : ": no such file or folder; give a Hugging Face folder or a GGUF file"));
  KV_ASSIGN(auto json, read_json_file(path));
  if (!json.is_object())
    return fail(ErrorCode::rejected_input, path.string() + ": not a JSON object; restore the file");
  return json;
}

}  // namespace

Expected<ModelConfig> read_model_config(const std::filesystem::path& folder) {
  std::error_code code;
  if (std::filesystem::is_regular_file(folder, code)) {
    KV_ASSIGN(const auto file, GgufFile::open(folder));
    return config_of_gguf(*file);
  }
  const auto path = folder / "config.json";
  KV_ASSIGN(const auto json, read_config_json(folder, path));
  const Fields fields(json, path.string());

  ModelConfig config;
  KV_ASSIGN(auto architecture, read_architecture(fields));
  config.architecture = architecture;

  struct Size {
    const char* key;
    int* target;
  };
  for (const Size& size :
       {Size{"vocab_size", &config.vocab_size}, Size{"hidden_size", &config.hidden},
        Size{"num_hidden_layers", &config.layers}, Size{"num_attention_heads", &config.heads},
        Size{config.architecture == Architecture::opt ? "ffn_dim" : "intermediate_size", &config.intermediate}}) {
    KV_ASSIGN(auto value, fields.size(size.key));
    *size.target = value;
  }
  KV_ASSIGN(auto kv_heads, config.architecture == Architecture::opt
                               ? Expected<int>(config.heads)
                               : fields.size_or("num_key_value_heads", config.heads));
  config.kv_heads = kv_heads;
  const int hidden_share = std::max(1, config.hidden / config.heads);
  KV_ASSIGN(auto head_dim,
            config.architecture == Architecture::opt  // has none
                ? Expected<int>(hidden_share)
                : fields.size_or("head_dim", config.architecture == Architecture::qwen3 ? 128 : hidden_share));
  config.head_dim = head_dim;
  if (config.heads % config.kv_heads != 0)
    return fields.reject("num_attention_heads (" + std::to_string(config.heads) +
                         ") is not a multiple of num_key_value_heads (" + std::to_string(config.kv_heads) +
                         "); correct the values");
  if (config.head_dim % 2 != 0 || config.head_dim > 1024)
    return fields.reject("head_dim " + std::to_string(config.head_dim) +
                         " must be even and at most 1024; use another checkpoint");
  if (config.layers > 1000 || config.heads > 1024 || config.hidden > (1 << 20) || config.intermediate > (1 << 22) ||
      config.vocab_size > (1 << 24))
    return fields.reject("sizes are larger than those of any supported model; correct the values");

  if (config.architecture == Architecture::opt) {
    KV_TRY(read_opt(fields, config));
    KV_TRY(read_ends(fields, folder, config));
    return config;
  }
  KV_ASSIGN(auto max_positions, read_max_positions(fields, config.architecture));
  config.max_positions = max_positions;
  KV_ASSIGN(auto rope, read_rope(fields, config.max_positions));
  config.rope = rope;

  KV_ASSIGN(auto eps, fields.value_or<double>("rms_norm_eps", 1e-6));
  if (!(static_cast<float>(eps) > 0 && eps < 1))
    return fields.reject("rms_norm_eps must be between 0 and 1; correct its value");
  config.rms_eps = static_cast<float>(eps);
  KV_ASSIGN(auto activation, fields.value_or<std::string>("hidden_act", "silu"));
  if (activation != "silu" && activation != "swish")
    return fields.reject("activation '" + printable(activation) + "' is not supported; use a checkpoint with silu");

  // Qwen2 always has biases on q, k, v and never on o; the others declare them with attention_bias, for all four.
  auto bias = fields.value_or<bool>("attention_bias", false);
  auto mlp_bias = fields.value_or<bool>("mlp_bias", false);
  auto tied = fields.value_or<bool>("tie_word_embeddings", false);
  for (auto* flag : {&bias, &mlp_bias, &tied}) KV_TRY(*flag);
  const bool may_have_bias = config.architecture == Architecture::llama || config.architecture == Architecture::qwen3;
  config.qkv_bias = config.architecture == Architecture::qwen2 || (may_have_bias && *bias);
  config.output_bias = may_have_bias && *bias;
  config.mlp_bias = config.architecture == Architecture::llama && *mlp_bias;
  config.qk_norm = config.architecture == Architecture::qwen3;
  config.tied_embeddings = *tied;
  KV_TRY(read_ends(fields, folder, config));
  return config;
}

}  // namespace kvantage::inline model
