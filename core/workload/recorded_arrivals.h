// Arrival times that others recorded and published, compiled in: a workload that uses them needs no trace file.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline workload {

/// Arrival times by name, in seconds after the first request; ascending, to the millisecond. "azure-conversations": the
/// first 960 requests of AzureLLMInferenceTrace_conv (16 November 2023; lengths are left out). Source: Azure Public
/// Dataset, https://github.com/Azure/AzurePublicDataset, CC-BY-4.0. usage error for another name.
Expected<std::vector<double>> recorded_arrivals(std::string_view name);

}  // namespace kvantage::inline workload
