#include "app/cli/serving/served_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/model/config.h"
#include "core/simulator/presets.h"

namespace kvantage::cli {
namespace {

constexpr std::uint64_t max_config_bytes = std::uint64_t{16} << 20;

tl::unexpected<Error> refuse_model(const std::string& file, const std::string& reason) {
  return fail(ErrorCode::rejected_input,
              "--for-model " + file + ": " + reason +
                  "; give a JSON file with its \"kv_bytes_per_token\", or leave --for-model out");
}

/// Bytes of an element; 0: not known.
double element_bytes(const std::string& type) {
  if (type == "float16" || type == "bfloat16" || type == "half") return 2;
  return type == "float32" || type == "float" ? 4 : 0;
}

/// A whole number above 0, or nothing.
std::optional<double> count_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return {};
  const auto value = found->get<std::uint64_t>();
  return value > 0 && value <= 1'000'000 ? std::optional<double>(static_cast<double>(value)) : std::nullopt;
}

bool is_set(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && !found->is_null() && *found != Json(0) && *found != Json(false) &&
         *found != Json::array();
}

/// Why a token does not take the same bytes in every layer; empty: it does.
std::string other_cache(const Json& json) {
  if (is_set(json, "kv_lora_rank")) return "stores latent vectors (MLA) in place of keys and values";
  if (is_set(json, "layer_types")) {
    const Json& types = json.at("layer_types");
    if (!types.is_array() ||
        !std::ranges::all_of(types, [](const Json& type) { return type == Json("full_attention"); }))
      return "has layers without full attention (layer_types)";
  } else if (is_set(json, "sliding_window") && json.value("use_sliding_window", Json(true)) != Json(false)) {
    return "has a sliding window, after which a cache stops growing";
  }
  constexpr std::array others{
      "layers_block_type",    "hybrid_override_pattern", "full_attention_interval", "attn_layer_period",
      "num_kv_shared_layers", "is_encoder_decoder",      "ssm_state_size",          "multi_query"};
  for (const char* key : others)
    if (is_set(json, key)) return std::string("has layers of another kind (") + key + ")";
  return {};
}

Expected<double> bytes_of_config(const Json& whole, const std::string& file) {
  const bool nested = whole.contains("text_config") && whole.at("text_config").is_object();
  const Json& json = nested ? whole.at("text_config") : whole;
  if (const std::string reason = other_cache(json); !reason.empty()) return refuse_model(file, reason);
  const auto layers = count_at(json, "num_hidden_layers"), heads = count_at(json, "num_attention_heads");
  if (!layers) return refuse_model(file, "does not say num_hidden_layers");
  auto kv_heads = count_at(json, "num_key_value_heads");
  if (!kv_heads && !is_set(json, "num_key_value_heads")) kv_heads = heads;
  if (!kv_heads) return refuse_model(file, "does not say num_key_value_heads or num_attention_heads");
  auto head_dim = count_at(json, "head_dim");
  const auto hidden = count_at(json, "hidden_size");
  if (!head_dim && !is_set(json, "head_dim") && hidden && heads) head_dim = *hidden / *heads;
  if (!head_dim) return refuse_model(file, "does not say head_dim, or hidden_size and num_attention_heads");
  std::string type;
  for (const Json* object : {&json, &whole})
    for (const char* key : {"dtype", "torch_dtype"})
      if (const auto found = object->find(key); type.empty() && found != object->end() && found->is_string())
        type = found->get<std::string>();
  const double bytes = element_bytes(type);
  if (bytes == 0)
    return refuse_model(file, type.empty() ? std::string("does not say its dtype")
                                           : "has the dtype " + printable(type) + ", whose size is not known");
  return *layers * *kv_heads * *head_dim * 2 * bytes;
}

Expected<double> bytes_of_json(const std::filesystem::path& file) {
  KV_ASSIGN(const auto text, read_text_file(file, max_config_bytes));
  KV_ASSIGN(const auto json, parse_json(text, file.string()));
  if (!json.is_object()) return refuse_model(file.string(), "is no object");
  const auto given = json.find("kv_bytes_per_token");
  if (given == json.end()) return bytes_of_config(json, file.string());
  const double bytes = given->is_number() ? given->get<double>() : 0;
  if (!(bytes >= 1 && bytes <= 1e9)) return refuse_model(file.string(), "kv_bytes_per_token is not from 1 to 1e9");
  return bytes;
}

Expected<double> bytes_of_path(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return bytes_of_json(path / "config.json");
  if (path.extension() != ".gguf") return bytes_of_json(path);
  KV_ASSIGN(const auto config, read_model_config(path));
  const KvShape shape{config.layers, config.kv_heads, config.head_dim, KvType::bf16};
  return static_cast<double>(shape.bytes_per_token());
}

/// The folder of a config.json has the model's name.
std::string name_of_path(const std::filesystem::path& path) {
  const bool is_config = path.filename() == "config.json" && path.has_parent_path();
  const std::filesystem::path named = is_config ? path.parent_path() : path;
  return (named.filename().empty() ? named.parent_path() : named).filename().string();
}

}  // namespace

Expected<ServedModel> served_model(const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) {
    KV_ASSIGN(const double bytes, bytes_of_path(word));
    return ServedModel{name_of_path(word), bytes};
  }
  for (const ShippedModel& shipped : shipped_models)
    if (word == shipped.name) {
      KV_ASSIGN(const double bytes, bytes_of_path(directory_of(shipped)));
      return ServedModel{word, bytes};
    }
  KV_ASSIGN(const auto presets, read_presets(program_home() / "resources" / "presets"));
  const auto preset = std::ranges::find(presets, word, &SimulatorPreset::name);
  if (preset == presets.end())
    return fail(ErrorCode::usage, "--for-model: no file or model '" + printable(word) + "'; " +
                                      did_you_mean(word, presets, {}, &SimulatorPreset::name));
  return ServedModel{preset->model.empty() ? word : preset->model, preset->bytes_per_token};
}

}  // namespace kvantage::cli
