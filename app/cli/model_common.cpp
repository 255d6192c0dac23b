#include "app/cli/model_common.h"

namespace kvantage::cli {

void add_model_options(CLI::App& command, ModelArguments& arguments) {
  command.add_option("folder", arguments.folder, "Hugging Face model folder")->required();
  command.add_flag("--fp32", arguments.fp32, "Compute and cache in fp32 whatever the checkpoint stores");
  command.add_option("--threads", arguments.threads, "Threads; 0: as many as there are cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

Expected<std::unique_ptr<Transformer>> load_model(const ModelArguments& arguments) {
  set_compute_threads(arguments.threads);
  LoadOptions options;
  if (arguments.fp32) options.compute = ComputeType::fp32;
  return Transformer::load(arguments.folder, options);
}

std::size_t pool_bytes_for(const KvShape& shape, int block_tokens, std::size_t tokens) {
  const auto block = static_cast<std::size_t>(block_tokens);
  const std::size_t blocks =
      (tokens / block + 2) * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  return blocks * BlockPool(shape, block_tokens, std::size_t{1} << 20).block_bytes();
}

}  // namespace kvantage::cli
