#include "app/wiring/gpu_module.h"

#include <array>

#include "app/wiring/program_module.h"
#include "core/base/units.h"

namespace kvantage::inline wiring {
namespace {

constexpr ProgramModule gpu_module{"libkvantage_gpu.so", "KVANTAGE_GPU_MODULE", "--gpu", accelerator_entry};

}  // namespace

std::vector<std::filesystem::path> gpu_module_places() { return module_places(gpu_module); }

Expected<std::unique_ptr<Accelerator>> open_accelerator(const std::vector<std::filesystem::path>& places) {
  const auto file = find_module(places);
  if (!file) return fail(ErrorCode::not_found, missing_module_text(gpu_module, places));
  KV_ASSIGN(void* const loaded, load_module(gpu_module, *file));
  const auto entry = reinterpret_cast<AcceleratorEntry>(loaded);
  Accelerator* opened = nullptr;
  std::array<char, 512> reason{};
  const int refused = entry(accelerator_abi, &opened, reason.data(), reason.size());
  if (refused == 0 && opened != nullptr) return std::unique_ptr<Accelerator>(opened);
  reason.back() = '\0';
  return fail(ErrorCode::not_found, reason.data());
}

std::string device_line(const Expected<std::unique_ptr<Accelerator>>& accelerator) {
  if (!accelerator) return "device tier: off: " + accelerator.error().message;
  const AcceleratorInfo info = (*accelerator)->info();
  return "device tier: " + info.name + ", " + format_bytes(info.memory_bytes) + ", " +
         format_bytes((*accelerator)->gauges().free_bytes) + " free";
}

}  // namespace kvantage::inline wiring
