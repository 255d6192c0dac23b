#include "gpu/model/emulated_model.h"

#include "gpu/model/served_model.h"

namespace kvantage::gpu {

Expected<std::unique_ptr<GpuModel>> open_emulated_model(const GpuModelSource& source, const GpuModelOptions& options) {
  return open_served_model(source, options, at::kCPU);
}

}  // namespace kvantage::gpu
