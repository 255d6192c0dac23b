// What a process holds while it serves requests, as the system counts it, and how fast that grows per request.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/damage.h"

namespace kvantage::test {

/// The long form with KVANTAGE_LONG=1. KVANTAGE_SOAK_REQUESTS=N: so many requests, within the bounds of the short form.
template <class Bounds>
Bounds soak_bounds(const Bounds& short_form, const Bounds& long_form) {
  const std::uint64_t given = fuzz_number("KVANTAGE_SOAK_REQUESTS", 0);
  Bounds bounds = is_long_run() && given == 0 ? long_form : short_form;
  if (given > 0) bounds.requests = given;
  return bounds;
}

struct ProcessSample {
  double requests = 0;  // finished so far
  double resident_bytes = 0, files = 0, threads = 0;
  double live_bytes = 0;  // of the heap, where the process itself counts them
};

/// Nothing where the process is gone.
inline std::optional<ProcessSample> sample_of(pid_t process, double requests) {
  const std::filesystem::path folder = std::filesystem::path("/proc") / std::to_string(process);
  ProcessSample sample;
  sample.requests = requests;
  std::ifstream status(folder / "status");
  for (std::string name; status >> name;) {
    if (name == "VmRSS:" && status >> sample.resident_bytes) sample.resident_bytes *= 1024;
    if (name == "Threads:") status >> sample.threads;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::error_code error;
  std::filesystem::directory_iterator at(folder / "fd", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) ++sample.files;
  if (error || sample.resident_bytes <= 0) return std::nullopt;
  return sample;
}

/// The samples from `begin` requests to before `end`, each with more requests than the one before; at most `most`,
/// evenly chosen.
inline std::vector<ProcessSample> served_between(std::span<const ProcessSample> samples, double begin, double end,
                                                 std::size_t most = 400) {
  std::vector<ProcessSample> served;
  for (const ProcessSample& sample : samples)
    if (sample.requests >= begin && sample.requests < end &&
        (served.empty() || sample.requests > served.back().requests))
      served.push_back(sample);
  if (served.size() <= most) return served;
  std::vector<ProcessSample> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(served[i * (served.size() - 1) / (most - 1)]);
  return chosen;
}

/// The median of the slopes between any two samples (Theil and Sen): moments at which much is in flight change nothing.
/// `served`: with ascending requests, two at least.
inline double growth_per_request(std::span<const ProcessSample> served, double ProcessSample::*what) {
  std::vector<double> slopes;
  slopes.reserve(served.size() * (served.size() - 1) / 2);
  for (std::size_t i = 0; i < served.size(); ++i)
    for (std::size_t k = i + 1; k < served.size(); ++k)
      slopes.push_back((served[k].*what - served[i].*what) / (served[k].requests - served[i].requests));
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle;
}

/// Growth per request of each, and of what samples it is.
struct ProcessGrowth {
  double resident_bytes = 0, live_bytes = 0, files = 0, threads = 0;
  double requests = 0;  // from the first sample to the last
  std::size_t samples = 0;

  explicit ProcessGrowth(std::span<const ProcessSample> served) : samples(served.size()) {
    if (samples < 2) return;
    requests = served.back().requests - served.front().requests;
    resident_bytes = growth_per_request(served, &ProcessSample::resident_bytes);
    live_bytes = growth_per_request(served, &ProcessSample::live_bytes);
    files = growth_per_request(served, &ProcessSample::files);
    threads = growth_per_request(served, &ProcessSample::threads);
  }
  std::string text() const {
    char line[300];
    std::snprintf(line, sizeof line,
                  "%zu samples over %.0f requests: resident %+.2f bytes, live %+.2f bytes, files %+.6f, threads %+.6f "
                  "per request",
                  samples, requests, resident_bytes, live_bytes, files, threads);
    return line;
  }
};

}  // namespace kvantage::test
