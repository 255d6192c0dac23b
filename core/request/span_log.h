// Spans of one request while it is served, and of the newest requests afterwards, in bounded memory. Recording is one
// push_back between clock reads that timing needs anyway, so it is always on; docs/performance-requests.md has its
// cost.
#pragma once

#include <deque>
#include <limits>
#include <mutex>

#include "core/ports/request_spans.h"

namespace kvantage::inline requests {

/// Spans of one request. Inputs are on the serving clock, stored relative to `origin_ns`.
class SpanLog {
 public:
  void begin(std::uint64_t request, int layers, std::int64_t origin_ns);
  /// Returns the seconds from start to end. A wait that continues the previous one extends it, also one for writes.
  double add(RequestSpan::Kind kind, std::int64_t start_ns, std::int64_t end_ns, RequestSpan what = {});
  /// Adds a piece requested at `submitted_ns` that arrived at `arrived_ns`, at most `now_ns`. Pieces arrive one after
  /// the other, so each starts at the previous arrival at the earliest. Arrivals while the serving clock was stopped
  /// count at the time when it stopped.
  void add_read(std::int64_t submitted_ns, std::int64_t arrived_ns, double device_seconds, std::int64_t now_ns,
                RequestSpan what);
  /// False once spans of single layers are no longer kept.
  bool keeps_layers() const { return log_.spans.size() < RequestSpans::max_layer_spans; }
  RequestSpans take() { return std::move(log_); }

 private:
  RequestSpans log_;
  std::int64_t origin_ns_ = 0;
  std::int64_t last_read_end_ns_ = std::numeric_limits<std::int64_t>::min();
};

/// Spans of the newest requests. Thread-safe.
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
