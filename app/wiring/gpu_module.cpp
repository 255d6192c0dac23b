#include "app/wiring/gpu_module.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "core/base/folders.h"
#include "core/base/units.h"

namespace kvantage::inline wiring {
namespace {

constexpr const char* file_name = "libkvantage_gpu.so";
constexpr const char* place_variable = "KVANTAGE_GPU_MODULE";

std::string loader_text() {
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason given";
}

}  // namespace

std::vector<std::filesystem::path> gpu_module_places() {
  if (const char* named = std::getenv(place_variable); named != nullptr && *named != '\0') return {named};
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {program / file_name, program / "lib" / file_name, program.parent_path() / "lib" / "kvantage" / file_name,
          program.parent_path() / "app" / file_name};  // in a build tree, for its tests
}

Expected<std::unique_ptr<Accelerator>> open_accelerator(const std::vector<std::filesystem::path>& places) {
  const bool named = places.size() == 1;
  std::filesystem::path file;
  for (const std::filesystem::path& place : places)
    if (std::error_code ignored; file.empty() && std::filesystem::exists(place, ignored)) file = place;
  if (file.empty())
    return fail(ErrorCode::not_found, named ? "there is no file " + places.front().string() + "; name the module in " +
                                                  place_variable + ", or unset it"
                                            : std::string("there is no module ") + file_name +
                                                  " next to the program; './run --gpu' builds it, or name it in " +
                                                  place_variable);
  const auto refuse = [&file](ErrorCode code, const std::string& why) {
    return fail(code, file.string() + ": " + why);
  };
  // Never closed: the objects it created need its code.
  void* const module = ::dlopen(absolute_or_given(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    return refuse(ErrorCode::rejected_input,
                  "cannot be loaded: " + loader_text() + "; './run --gpu' rebuilds the module");
  const auto entry = reinterpret_cast<AcceleratorEntry>(::dlsym(module, accelerator_entry));
  if (entry == nullptr)
    return refuse(ErrorCode::rejected_input, "is not a module of this program; './run --gpu' builds one");
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
