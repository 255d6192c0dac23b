// The policy of `run` without --policy.
#pragma once

#include <filesystem>
#include <string>

namespace kvantage::cli {

/// That of the workload's session.json, also of one that is made on the machine (ready_workload.h). Empty: it names
/// none, or none that can be served as it stands; whoever opens the session says what is wrong with the file.
std::string starting_policy(const std::filesystem::path& workload);

}  // namespace kvantage::cli
