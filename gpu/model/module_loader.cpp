#include "gpu/model/module_loader.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "core/base/folders.h"

namespace kvantage::gpu {
namespace {

constexpr const char* file_name = "libkvantage_gpu_model.so";
constexpr const char* place_variable = "KVANTAGE_GPU_MODEL_MODULE";
constexpr const char* torch_library = "libtorch_cuda.so";

std::string loader_text() {
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason given";
}

}  // namespace

std::vector<std::filesystem::path> gpu_model_places() {
  if (const char* named = std::getenv(place_variable); named != nullptr && *named != '\0') return {named};
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {folder / file_name, folder.parent_path() / "lib" / "kvantage" / file_name,
          folder.parent_path() / "app" / file_name};  // the last: in a build tree, for its tests
}

// Loaded globally, and before the module: libtorch finds its CUDA half through registrations at load time, and the
// module uses its symbols without linking to it.
Status load_torch_cuda() {
  if (::dlopen(torch_library, RTLD_NOW | RTLD_GLOBAL) != nullptr) return {};
  return fail(ErrorCode::not_found,
              loader_text() + "; put the folder of libtorch 2.11's CUDA libraries on LD_LIBRARY_PATH");
}

Expected<std::unique_ptr<GpuModel>> load_gpu_model(const std::vector<std::filesystem::path>& places,
                                                   const GpuModelSource& source, const GpuModelOptions& options) {
  if (const Status loaded = load_torch_cuda(); !loaded)
    return fail(loaded.error().code, "model on a GPU: " + loaded.error().message);
  std::filesystem::path file;
  for (const std::filesystem::path& place : places)
    if (std::error_code ignored; file.empty() && std::filesystem::exists(place, ignored)) file = place;
  if (file.empty())
    return fail(ErrorCode::not_found, std::string("model on a GPU: there is no module ") + file_name +
                                          " next to the program; build it on a machine with nvcc, or name it in " +
                                          place_variable);
  // Never closed: the objects it created need its code.
  void* const module = ::dlopen(absolute_or_given(file).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr)
    return fail(ErrorCode::rejected_input,
                file.string() + ": cannot be loaded: " + loader_text() + "; build it from the program's tree");
  const auto entry = reinterpret_cast<GpuModelEntry>(::dlsym(module, gpu_model_entry));
  if (entry == nullptr)
    return fail(ErrorCode::rejected_input,
                file.string() + ": is not a module of this program; build it from the program's tree");
  GpuModel* opened = nullptr;
  std::array<char, 512> reason{};
  const int refused = entry(gpu_model_abi, &source, &options, &opened, reason.data(), reason.size());
  if (refused == 0 && opened != nullptr) return std::unique_ptr<GpuModel>(opened);
  reason.back() = '\0';
  return fail(refused == gpu_model_no_device ? ErrorCode::not_found : ErrorCode::rejected_input,
              std::string("model on a GPU: ") + reason.data());
}

}  // namespace kvantage::gpu
