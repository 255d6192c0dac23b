// What the events of a run report besides the data of views: running work, answered requests, and the settings that
// they were served under. Plain values: a keyframe holds a copy.
#pragma once

#include <QString>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/ports/events.h"
#include "core/ports/session.h"

namespace kvantage {

/// One piece of long work; total 0 = length unknown.
struct RunWork {
  QString what;
  std::uint64_t done = 0, total = 0;
  double started_seconds = 0, eta_seconds = -1;
  std::uint64_t begun_with = 0;  // was done when it started: before this session, for instance
  bool finished() const { return total > 0 && done >= total; }
};

struct RunProgress {
  static constexpr std::size_t max_work = 64;  // pieces that are known; the oldest that ended go first

  std::unordered_map<Digest128, std::uint64_t> full_bytes_;  // of contexts, uncompressed
  SessionSettings served_settings_;                          // those that the requests drained so far were served under
  std::vector<RunWork> work_;
  std::vector<double> finish_seconds_;  // of the latest requests, for the rate
  std::uint64_t served_ = 0;
  std::int64_t first_monotonic_ns_ = -1;
  double last_event_seconds_ = 0;

  /// Since the first event that was given; never decreasing.
  double seconds_of(const Event& event);
  void report_work(const events::Progress& progress, double seconds);
  void count_request(double seconds);
  /// Another run begins: its requests are counted from none.
  void restart_counts();
  /// As before the first event of a run that began under `settings`. The bytes of contexts stay.
  void rewind(const SessionSettings& settings);
  /// Of the latest requests; 0 before the second.
  double requests_per_second() const;
};

}  // namespace kvantage
