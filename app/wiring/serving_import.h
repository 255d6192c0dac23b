// A session with the settings of LMCache's or vLLM's file (core/imported/serving).
#pragma once

#include <filesystem>

#include "app/wiring/session_setup.h"
#include "core/imported/serving/serving_config.h"

namespace kvantage::inline wiring {

/// Its tiers, policy and concurrency are those of a session with these options, unless they give their own.
/// rejected_input as read_serving_config(); then nothing changed.
Expected<ServingConfig> import_serving(SessionOptions& options, const std::filesystem::path& file);

/// The same, in place of what the options give themselves, and of the last settings.
Expected<ServingConfig> replace_by_serving(SessionOptions& options, const std::filesystem::path& file);

/// Without such a file.
void forget_serving(SessionOptions& options);

}  // namespace kvantage::inline wiring
