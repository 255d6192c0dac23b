#include "core/request/span_log.h"

#include <algorithm>

namespace kvantage::inline requests {

void SpanLog::begin(std::uint64_t request, int layers, std::int64_t origin_ns) {
  log_ = {.request = request, .layers = layers, .spans = {}, .left_out = 0};
  log_.spans.reserve(64);
  origin_ns_ = origin_ns;
  last_read_end_ns_ = std::numeric_limits<std::int64_t>::min();
}

void SpanLog::add_read(std::int64_t submitted_ns, std::int64_t arrived_ns, double device_seconds, std::int64_t now_ns,
                       RequestSpan what) {
  const std::int64_t end = std::max(std::min(now_ns, arrived_ns), last_read_end_ns_);
  const std::int64_t begun = std::max(submitted_ns, last_read_end_ns_);
  const std::int64_t start = std::max(begun, end - static_cast<std::int64_t>(device_seconds * 1e9));
  add(RequestSpan::Kind::read, std::min(start, end), end, what);
  last_read_end_ns_ = end;
}

double SpanLog::add(RequestSpan::Kind kind, std::int64_t start_ns, std::int64_t end_ns, RequestSpan what) {
  const std::int64_t took = std::max<std::int64_t>(0, end_ns - start_ns);
  what.kind = kind;
  what.start_ns = start_ns - origin_ns_;
  what.duration_ns = took;
  std::vector<RequestSpan>& spans = log_.spans;
  const double seconds = static_cast<double>(took) * 1e-9;
  const bool waits = kind == RequestSpan::Kind::wait || (kind == RequestSpan::Kind::write && what.layer < 0);
  if (waits && !spans.empty() && spans.back().kind == kind && spans.back().layer == what.layer &&
      spans.back().end_ns() == what.start_ns) {
    spans.back().duration_ns += took;
    return seconds;
  }
  if (kind == RequestSpan::Kind::decode && spans.size() >= RequestSpans::max_layer_spans) {
    // From here on each token is one span, extended by its later layers.
    RequestSpan& last = spans.back();
    if (last.kind == kind && last.step == what.step && last.layer < 0) {
      last.duration_ns = what.end_ns() - last.start_ns;
      return seconds;
    }
    if (spans.size() >= RequestSpans::max_spans) {
      ++log_.left_out;
      return seconds;
    }
    what.layer = -1;
  }
  spans.push_back(what);
  return seconds;
}

void SpanKeeper::keep(RequestSpans spans) {
  spans.spans.shrink_to_fit();
  auto kept = std::make_shared<const RequestSpans>(std::move(spans));
  const std::lock_guard lock(mutex_);
  count_ += kept->spans.size();
  kept_.push_back(std::move(kept));
  while (kept_.size() > 1 && count_ > max_spans) {
    count_ -= kept_.front()->spans.size();
    kept_.pop_front();
  }
}

void SpanKeeper::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  count_ = 0;
}

std::shared_ptr<const RequestSpans> SpanKeeper::of(std::uint64_t request) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(kept_.rbegin(), kept_.rend(), request, [](const auto& kept) { return kept->request; });
  return found == kept_.rend() ? nullptr : *found;
}

std::size_t SpanKeeper::span_count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace kvantage::inline requests
