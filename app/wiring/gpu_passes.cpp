#include "app/wiring/gpu_passes.h"

#include <utility>

#include "gpu/model/module_loader.h"

namespace kvantage::inline wiring {

Expected<std::shared_ptr<ModelDevice>> open_gpu_passes(const Transformer& model, std::uint64_t cache_bytes) {
  gpu::GpuModelOptions options;
  options.cache_bytes = cache_bytes;
  options.chunk_tokens = gpu_chunk_tokens;
  gpu::GpuModelSource source;
  source.model = &model;
  auto opened = gpu::load_gpu_model(gpu::gpu_model_places(), source, options);
  if (!opened && opened.error().code == ErrorCode::not_found)
    return fail(ErrorCode::usage, opened.error().message + "; or leave --gpu out");
  KV_ASSIGN(const std::shared_ptr<gpu::GpuModel> owner, std::move(opened));
  return std::shared_ptr<ModelDevice>(owner, &owner->passes());
}

void share_blocks(ModelRuntimeOptions& runtime, const std::shared_ptr<Accelerator>& accelerator) {
  if (accelerator == nullptr || !runtime.open_device) return;
  runtime.open_device = [accelerator, open = std::move(runtime.open_device)](
                            const Transformer& model) -> Expected<std::shared_ptr<ModelDevice>> {
    KV_ASSIGN(auto device, open(model));
    if (const auto blocks = device->blocks()) accelerator->use_blocks(*blocks);
    return device;
  };
}

}  // namespace kvantage::inline wiring
