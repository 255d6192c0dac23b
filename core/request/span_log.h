// Spans of one request while it is served, and those of the newest requests afterwards, within a fixed amount of
// memory. Recording is a push_back between two looks at the clock that timing takes anyway, so it is always on:
// docs/performance-requests.md says what it costs.
#pragma once

#include <deque>
#include <limits>
#include <mutex>

#include "core/ports/request_spans.h"

namespace kvantage::inline requests {

/// Of one request. Times come in on the clock of serving and are kept since `origin_ns`.
class SpanLog {
 public:
  void begin(std::uint64_t request, int layers, std::int64_t origin_ns);
  /// Gives the seconds from start to end. A wait that resumes where the one before it ended is one wait.
  double add(RequestSpan::Kind kind, std::int64_t start_ns, std::int64_t end_ns, RequestSpan what = {});
  /// A piece that was asked for at `submitted_ns` and was there at `arrived_ns`, no later than `now_ns`. Pieces come
  /// one after the other, so none was in flight before the one before it was there: what came while the clock of
  /// serving stood still or went back came when it stopped.
  void add_read(std::int64_t submitted_ns, std::int64_t arrived_ns, double device_seconds, std::int64_t now_ns,
                RequestSpan what);
  RequestSpans take() { return std::move(log_); }

 private:
  RequestSpans log_;
  std::int64_t origin_ns_ = 0;
  std::int64_t last_read_end_ns_ = std::numeric_limits<std::int64_t>::min();
};

/// Of the newest requests. Thread-safe.
class SpanKeeper {
 public:
  static constexpr std::size_t max_spans = 200'000;  // 9.6 MB

  void keep(RequestSpans spans);
  void clear();
  std::shared_ptr<const RequestSpans> of(std::uint64_t request) const;
  std::size_t span_count() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const RequestSpans>> kept_;
  std::size_t count_ = 0;
};

}  // namespace kvantage::inline requests
