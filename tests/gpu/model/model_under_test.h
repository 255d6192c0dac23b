// Where tests of the model on a device get it from: linked over emulated kernels, or out of the module, as programs do,
// where this is the CUDA program.
#pragma once

#ifndef KVANTAGE_TEST_CUDA
#include "gpu/model/emulated_model.h"
#endif

#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/model/transformer.h"
#include "gpu/model/module_loader.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

/// Leaves the program where there is no GPU.
inline std::unique_ptr<gpu::GpuModel> open_under_test(const gpu::GpuModelSource& source,
                                                      const gpu::GpuModelOptions& options) {
#ifdef KVANTAGE_TEST_CUDA
  auto model = gpu::load_gpu_model(gpu::gpu_model_places(), source, options);
  if (!model && model.error().code == ErrorCode::not_found) {
    std::printf("skipped: no GPU (%s)\n", model.error().message.c_str());
    std::exit(skipped);
  }
#else
  auto model = gpu::open_emulated_model(source, options);
#endif
  return value_of(std::move(model));
}

/// Small caches and chunks, so that tests meet several of each.
inline gpu::GpuModelOptions small_options() {
  gpu::GpuModelOptions options;
  options.cache_bytes = std::uint64_t{64} << 20;
  options.block_tokens = 16;
  options.chunk_tokens = 96;
  return options;
}

/// A folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() / ("kvantage_gpu_model_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path make(const std::string& name) const {
    std::filesystem::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Below the working folder, where a carried program is started, else where this was built from.
inline std::filesystem::path in_tree(const std::string& path) {
  if (std::filesystem::exists(path)) return path;
  return std::filesystem::path(KVANTAGE_SOURCE_DIR) / path;
}

}  // namespace kvantage::test
