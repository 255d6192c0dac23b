// Summary metrics of a run, for a table of many runs: means over its answered requests, as in its report. Incremental:
// metrics of a live run are never recomputed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/ports/events.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

class RunMetrics {
 public:
  struct Mean {
    double sum = 0;
    std::uint64_t n = 0;
    double mean() const { return n == 0 ? 0 : sum / static_cast<double>(n); }
    bool operator==(const Mean&) const = default;
  };

  /// For a run recorded with these settings: its first "warmup" requests are skipped.
  explicit RunMetrics(const Json& settings = Json::object());
  void add(const RequestRecord& record);

  std::uint64_t answered() const { return ttft_service_seconds_.n; }
  const Mean& ttft_service_seconds() const { return ttft_service_seconds_; }
  const Mean& ttft_seconds() const { return ttft_seconds_; }
  /// By metric; held-out questions only.
  const std::map<std::string, Mean>& quality() const { return quality_; }
  /// What it is called: its name, or agreement_name (answer_basis.h).
  std::string quality_name(const std::string& metric) const;
  /// The weakest of its requests.
  Provenance provenance() const { return provenance_; }
  bool operator==(const RunMetrics&) const = default;

  /// With the journal position that they cover.
  Json to_json(std::int64_t place) const;
  /// Nothing when `json` was not written by to_json(): the metrics are then recomputed.
  static std::optional<std::pair<RunMetrics, std::int64_t>> from_json(const Json& json);

 private:
  std::uint64_t warmup_left_ = 0;
  Mean ttft_service_seconds_, ttft_seconds_;
  std::map<std::string, Mean> quality_;
  AnswerBasis basis_;  // answers, not questions
  Provenance provenance_ = Provenance::measured;
};

}  // namespace kvantage::inline report
