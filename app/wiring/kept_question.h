// A workload with a question that its user asked, as a folder of its own.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/workload/asked_question.h"

namespace kvantage::inline wiring {

/// Writes `workload` with the question (with_question()) into a new folder below `below`, named as the workload is,
/// with a number behind it where that name is taken, and copies the session.json of `opened` where there is one.
/// Returns the folder. Errors as with_question() and write_workload(); nothing is left of a folder that could not be
/// completed.
Expected<std::filesystem::path> write_kept_question(const Workload& workload, const KeptQuestion& asked,
                                                    const std::filesystem::path& opened,
                                                    const std::filesystem::path& below);

}  // namespace kvantage::inline wiring
