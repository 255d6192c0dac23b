// What a serving system's settings became, said on stderr.
#pragma once

#include <string>
#include <vector>

#include "app/cli/base/progress_line.h"
#include "core/imported/serving/serving_config.h"

namespace kvantage::cli {

inline void say_without_equivalent(const std::vector<std::string>& unsaid) {
  for (const std::string& one : unsaid) stderr_progress().say("no equivalent: " + one);
}

inline void say_imported(const ServingConfig& config) {
  for (const std::string& one : config.taken) stderr_progress().say("from " + config.system + ": " + one);
  say_without_equivalent(config.unsaid);
}

}  // namespace kvantage::cli
