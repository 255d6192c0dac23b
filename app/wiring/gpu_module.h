// The accelerator's module, found and loaded at run time. A program without one, without a driver or without a device
// is whole: the device tier is off then, and one line says why.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/accelerator.h"

namespace kvantage {

/// Files that may be the module, the first that exists is taken: KVANTAGE_GPU_MODULE alone where that is set, else
/// libkvantage_gpu.so beside the program and in the folders where an installation keeps libraries.
std::vector<std::filesystem::path> gpu_module_places();

/// Loads it, once for the life of the program, and opens its device: tenths of a second where there is one. not_found:
/// no module, driver or device; rejected_input: a module of another build, or what is named is none. One line: reason
/// and mend.
Expected<std::unique_ptr<Accelerator>> open_accelerator(
    const std::vector<std::filesystem::path>& places = gpu_module_places());

/// "device tier: off: no module ...", or what there is: "device tier: NVIDIA H100 80GB HBM3, 79.2 GiB, 78.7 GiB free".
std::string device_line(const Expected<std::unique_ptr<Accelerator>>& accelerator);

}  // namespace kvantage
