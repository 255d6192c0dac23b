// The same weights twice: on the processor, and where a device computes.
#pragma once

#include "core/model/model_device.h"
#include "tests/gpu/model/model_numbers.h"
#include "tests/gpu/model/model_under_test.h"

namespace kvantage::test {

struct DeviceModels {
  std::unique_ptr<Transformer> core, there;
  std::unique_ptr<gpu::GpuModel> device;

  explicit DeviceModels(const std::filesystem::path& folder, const gpu::GpuModelOptions& options = small_options())
      : core(loaded(folder, std::nullopt)),
        there(loaded(folder, std::nullopt)),
        device(open_under_test({.model = core.get()}, options)) {
    there->compute_on({std::shared_ptr<void>(), &device->passes()});
  }
};

}  // namespace kvantage::test
