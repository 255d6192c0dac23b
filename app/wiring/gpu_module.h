// Finds and loads the accelerator module at run time. Without a module, driver or device the program works: only the
// device tier is off, with a one-line reason.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/accelerator.h"

namespace kvantage::inline wiring {

/// Candidate paths of the module, first match wins: only KVANTAGE_GPU_MODULE if set, else libkvantage_gpu.so next to
/// the program and in the install library folders.
std::vector<std::filesystem::path> gpu_module_places();

/// Loads it once per process and opens its device: tenths of a second if there is one. not_found: no module, driver or
/// device; rejected_input: a module of another build, or a file that is no module. One line: reason and fix.
Expected<std::unique_ptr<Accelerator>> open_accelerator(
    const std::vector<std::filesystem::path>& places = gpu_module_places());

/// "device tier: off: no module ...", or the device: "device tier: NVIDIA H100 80GB HBM3, 79.2 GiB, 78.7 GiB free".
std::string device_line(const Expected<std::unique_ptr<Accelerator>>& accelerator);

}  // namespace kvantage::inline wiring
