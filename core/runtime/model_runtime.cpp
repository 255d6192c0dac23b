#include "core/runtime/model_runtime.h"
#include "core/model/model_files.h"

#include <algorithm>

#include "core/kv/serial_inputs.h"
#include "core/model/recompute.h"

namespace kvantage::inline runtime {

std::vector<std::int32_t> ModelRuntime::stop_ids() const {
  std::vector<std::int32_t> ids(prompt->stop_ids().begin(), prompt->stop_ids().end());
  ids.insert(ids.end(), model->config().eos_ids.begin(), model->config().eos_ids.end());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::size_t ModelRuntime::blocks_for(std::size_t tokens) const {
  const KvShape shape = model->kv_shape();
  const auto block = static_cast<std::size_t>(pool->block_tokens());
  return static_cast<std::size_t>(shape.layers * shape.kv_heads) * ((tokens + block - 1) / block);
}

std::uint64_t ModelRuntime::bytes_with_inputs(const Codec& layer_inputs, std::size_t tokens) const {
  return inputs_entry_bytes(model->kv_shape(), tokens,
                            tokens_as_inputs(layer_inputs.layer_input_share(), tokens, chunk_tokens()),
                            layer_input_bytes(*model), 2 * layer_inputs.text().size());
}

std::optional<ModelDeviceGauges> ModelRuntime::device_gauges() const {
  const ModelDevice* const device = model->device();
  return device == nullptr ? std::nullopt : std::optional(device->gauges());
}

Digest128 ModelRuntime::digest() const {
  const Digest128 weights = identity.model;
  const Digest128 vocabulary = identity.tokenizer;
  return DigestBuilder().add(weights.high).add(weights.low).add(vocabulary.high).add(vocabulary.low).finish();
}

Digest128 ModelRuntime::answering_digest(int max_answer_tokens) const {
  const Digest128 model_and_tokenizer = digest();
  const Digest128 form = prompt->digest();
  return DigestBuilder()
      .add(model_and_tokenizer.high)
      .add(model_and_tokenizer.low)
      .add(form.high)
      .add(form.low)
      .add(static_cast<std::uint64_t>(max_answer_tokens))
      .finish();
}

Expected<std::unique_ptr<ModelRuntime>> ModelRuntime::load(const std::filesystem::path& folder,
                                                           const ModelRuntimeOptions& options) {
  auto runtime = std::make_unique<ModelRuntime>();
  const std::string folder_name =
      folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string();
  runtime->name = options.name.empty() ? folder_name : options.name;
  runtime->note = options.note;
  KV_TRY(check_model_files(folder));
  KV_ASSIGN(auto tokenizer, Tokenizer::load(folder));
  runtime->tokenizer = tokenizer;
  KV_ASSIGN(auto prompt, PromptTemplate::detect(runtime->tokenizer, options.prompt));
  KV_ASSIGN(auto model, Transformer::load(folder, options.load));
  runtime->model = std::move(model);
  KV_TRY(check_vocabulary(folder, runtime->tokenizer->vocab_size(), runtime->model->config()));
  if (options.open_device) {
    KV_ASSIGN(auto device, options.open_device(*runtime->model));
    runtime->model->compute_on(std::move(device));
  }
  runtime->prompt = std::make_unique<PromptTemplate>(std::move(prompt));
  const KvShape shape = runtime->model->kv_shape();
  runtime->pool = std::make_unique<BlockPool>(shape, options.block_tokens, options.pool_bytes);
  runtime->identity = {.model = runtime->model->digest(),
                       .tokenizer = runtime->tokenizer->digest(),
                       .kv_type = shape.type,
                       .prefill_chunk_tokens = options.prefill_chunk_tokens,
                       .numerics_version = runtime->model->numerics_version()};
  return runtime;
}

}  // namespace kvantage::inline runtime
