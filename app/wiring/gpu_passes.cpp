#include "app/wiring/gpu_passes.h"

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

}  // namespace kvantage::inline wiring
