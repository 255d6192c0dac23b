#include "app/wiring/resume_last.h"

#include "app/wiring/workload_opening.h"
#include "core/base/folders.h"
#include "core/experiments/simulated_session.h"

namespace kvantage::inline wiring {
namespace {

void add(std::string& message, const std::string& why, const char* instead) {
  message.append(message.empty() ? "" : "; ").append(why).append("; ").append(instead);
}

// The next start may use another working directory.
std::filesystem::path absolute_where_it_exists(const std::filesystem::path& given) {
  std::error_code no_such;
  return std::filesystem::exists(given, no_such) ? absolute_or_given(given).lexically_normal() : given;
}

}  // namespace

std::string resume_last(SessionOptions& options, const std::filesystem::path& last_model,
                        const std::filesystem::path& last_workload) {
  std::string message;
  if (!last_model.empty()) {
    const auto reading = read_model_reading(last_model);  // whether the workload works with it is checked below
    if (reading)
      options.model = last_model;
    else
      add(message, reading.error().message, "the default model is loaded instead");
  }
  options.model = absolute_where_it_exists(options.model);
  if (!last_workload.empty()) {
    SessionOptions other = options;
    other.workload = last_workload;
    const Status openable = last_workload == worked_example_name ? Status{} : check_openable(other);
    if (openable)
      options.workload = last_workload;
    else
      add(message, openable.error().message, "the quick start is served instead");
  }
  return message;
}

}  // namespace kvantage::inline wiring
