#include "app/cli/model_common.h"

#include "app/cli/base/model_options.h"
#include "app/cli/base/value_checks.h"
#include "app/wiring/workload_opening.h"
#include "core/base/json.h"

namespace kvantage::cli {

void add_model_options(CLI::App& command, ModelArguments& arguments) {
  command.add_option("FOLDER", arguments.folder, "Hugging Face model folder or GGUF file")
      ->required()
      ->transform(shipped_model());
  command.add_flag("--fp32", arguments.fp32, "Compute and cache in fp32 whatever the checkpoint stores");
  add_max_model_len_option(command, arguments.max_model_len);
  command.add_option("--threads", arguments.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
}

Expected<std::unique_ptr<Transformer>> load_model(const ModelArguments& arguments) {
  KV_TRY(wiring::check_model_is_there(arguments.folder));
  set_compute_threads(arguments.threads);
  LoadOptions options;
  if (arguments.fp32) options.compute = ComputeType::fp32;
  options.max_model_len = arguments.max_model_len;
  return Transformer::load(arguments.folder, options);
}

std::size_t pool_bytes_for(const KvShape& shape, int block_tokens, std::size_t tokens) {
  const auto block = static_cast<std::size_t>(block_tokens);
  const std::size_t blocks =
      (tokens / block + 2) * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  return blocks * BlockPool(shape, block_tokens, std::size_t{1} << 20).block_bytes();
}

Expected<std::vector<std::int32_t>> read_token_ids(const std::string& path) {
  KV_ASSIGN(auto json, read_json_file(path));
  const Json& list = json.is_object() && json.contains("ids") ? json.at("ids") : json;
  std::vector<std::int32_t> tokens;
  const auto refuse = [&] {
    return fail(ErrorCode::rejected_input,
                path + ": must be a list of token ids, or an object with 'ids'; correct the file");
  };
  if (!list.is_array()) return refuse();
  for (const Json& id : list) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > INT32_MAX) return refuse();
    tokens.push_back(id.get<std::int32_t>());
  }
  return tokens;
}

}  // namespace kvantage::cli
