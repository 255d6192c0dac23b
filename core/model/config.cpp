#include "core/model/config.h"

#include <algorithm>
#include <utility>

#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/model/architectures/architecture.h"
#include "core/model/gguf_model.h"

namespace kvantage::inline model {
namespace {

Expected<const ArchitectureRow*> read_architecture(const ConfigFields& fields) {
  KV_ASSIGN(auto names, fields.value_or<std::vector<std::string>>("architectures", {}));
  std::string known;
  for (const ArchitectureRow& row : architecture_rows()) {
    if (std::ranges::find(names, row.name) != names.end()) return &row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  if (!names.empty() && names.front().starts_with("DeepseekV32"))
    return fields.reject("architecture '" + printable(names.front()) +
                         "' is not supported: an index of its own chooses the tokens that a query sees, which is not "
                         "computed here; use DeepSeek V2 or V3, or another model");
  return fields.reject("architecture '" + (names.empty() ? std::string("(none named)") : printable(names.front())) +
                       "' is not supported; use a checkpoint of one of " + known);
}

Expected<std::vector<std::int32_t>> read_ids(const ConfigFields& fields, const char* key, int vocab_size) {
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

/// As the file says; what is stored counts (weight_plan.h). Half precision is widened to the compute type.
Expected<WeightType> read_dtype(const ConfigFields& fields) {
  KV_ASSIGN(auto dtype, fields.value_or<std::string>(fields.has("dtype") ? "dtype" : "torch_dtype", "float32"));
  if (dtype == "bfloat16" || dtype == "float16") return WeightType::bf16;
  if (dtype == "float32") return WeightType::fp32;
  return fields.reject("weights of type '" + printable(dtype) +
                       "' are not supported; convert the checkpoint to bfloat16, float16 or float32");
}

/// Type of the weights, and the bos and eos ids.
Status read_ends(const ConfigFields& fields, const std::filesystem::path& folder, ModelConfig& config) {
  KV_ASSIGN(auto dtype, read_dtype(fields));
  config.dtype = dtype;

  auto eos = read_ids(fields, "eos_token_id", config.vocab_size);
  auto bos = read_ids(fields, "bos_token_id", config.vocab_size);
  for (auto* ids : {&eos, &bos}) KV_TRY(*ids);
  config.eos_ids = *eos;
  if (!bos->empty()) config.bos_id = bos->front();
  if (const auto generation = folder / "generation_config.json"; is_there(generation)) {
    KV_ASSIGN(auto settings, read_json_file(generation));
    if (settings.is_object()) {
      KV_ASSIGN(auto more, read_ids(ConfigFields(settings, generation.string()), "eos_token_id", config.vocab_size));
      config.eos_ids.insert(config.eos_ids.end(), more.begin(), more.end());
    }
  }
  std::ranges::sort(config.eos_ids);
  const auto repeated = std::ranges::unique(config.eos_ids);
  config.eos_ids.erase(repeated.begin(), repeated.end());
  return {};
}

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

/// Sizes that every architecture has.
Status read_common_sizes(const ConfigFields& fields, const ArchitectureRow& row, ModelConfig& config) {
  struct Size {
    const char* key;
    int* target;
  };
  for (const Size& size : {Size{"vocab_size", &config.vocab_size}, Size{"hidden_size", &config.hidden},
                           Size{"num_hidden_layers", &config.layers}, Size{"num_attention_heads", &config.heads},
                           Size{row.intermediate_key, &config.intermediate}}) {
    KV_ASSIGN(auto value, fields.size(size.key));
    *size.target = value;
  }
  const int hidden_share = std::max(1, config.hidden / config.heads);
  const bool one_size = row.architecture == Architecture::opt || row.architecture == Architecture::gpt_neox;
  config.kv_heads = config.heads;  // as OPT and GPT-NeoX, which have neither key
  config.head_dim = hidden_share;
  if (!one_size) {
    KV_ASSIGN(config.kv_heads, fields.size_or("num_key_value_heads", config.heads));
    KV_ASSIGN(config.head_dim, fields.size_or("head_dim", row.head_dim != 0 ? row.head_dim : hidden_share));
  }
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
  return {};
}

}  // namespace

Expected<ModelConfig> read_model_config(const std::filesystem::path& folder, int max_model_len) {
  std::error_code code;
  if (std::filesystem::is_regular_file(folder, code)) {
    KV_ASSIGN(const auto file, GgufFile::open(folder));
    KV_ASSIGN(auto of_file, config_of_gguf(*file));
    KV_TRY(serve_positions(max_model_len, file->name(), of_file));
    return of_file;
  }
  const auto path = folder / "config.json";
  KV_ASSIGN(const auto json, read_config_json(folder, path));
  const ConfigFields fields(json, path.string());

  ModelConfig config;
  KV_ASSIGN(const ArchitectureRow* const row, read_architecture(fields));
  config.architecture = row->architecture;
  KV_ASSIGN(const Json text, text_part(fields, row->architecture));
  const ConfigFields text_fields(text, path.string());
  KV_TRY(read_common_sizes(text_fields, *row, config));
  KV_TRY(row->read(text_fields, config));
  KV_TRY(read_ends(fields, folder, config));
  KV_TRY(serve_positions(max_model_len, path.string(), config));
  return config;
}

}  // namespace kvantage::inline model
