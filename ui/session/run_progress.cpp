#include "ui/session/run_progress.h"

#include <algorithm>

#include "ui/text/core_text.h"

namespace kvantage {
namespace {

constexpr std::size_t requests_of_rate = 50;
constexpr double shortest_work_seconds = 0.2;  // before it, an estimate says nothing

}  // namespace

double RunProgress::seconds_of(const Event& event) {
  if (first_monotonic_ns_ < 0) first_monotonic_ns_ = event.monotonic_ns;
  last_event_seconds_ =
      std::max(last_event_seconds_, static_cast<double>(event.monotonic_ns - first_monotonic_ns_) * 1e-9);
  return last_event_seconds_;
}

void RunProgress::report_work(const events::Progress& progress, double seconds) {
  const QString what = core_text(progress.what);
  auto found = std::find_if(work_.begin(), work_.end(), [&](const RunWork& work) { return work.what == what; });
  if (found == work_.end()) {
    if (work_.size() >= RunProgress::max_work) {
      const auto ended = std::find_if(work_.begin(), work_.end(), [](const RunWork& work) { return work.finished(); });
      work_.erase(ended == work_.end() ? work_.begin() : ended);
    }
    found = work_.insert(work_.end(), RunWork{what, 0, 0, seconds, -1, progress.done});
  }
  if (found->finished() &&
      (progress.done < found->done || progress.total > found->total)) {  // the same work, or more of it
    found->started_seconds = seconds;
    found->begun_with = progress.done;
  }
  found->done = progress.done;
  found->total = progress.total;
  const double elapsed = seconds - found->started_seconds;
  found->eta_seconds =
      progress.done > found->begun_with && progress.total >= progress.done && elapsed > shortest_work_seconds
          ? elapsed * static_cast<double>(progress.total - progress.done) /
                static_cast<double>(progress.done - found->begun_with)
          : -1;
}

void RunProgress::count_request(double seconds) {
  finish_seconds_.push_back(seconds);
  if (finish_seconds_.size() > requests_of_rate) finish_seconds_.erase(finish_seconds_.begin());
  ++served_;
}

void RunProgress::restart_counts() {
  finish_seconds_.clear();
  served_ = 0;
}

void RunProgress::rewind(const SessionSettings& settings) {
  restart_counts();
  work_.clear();
  first_monotonic_ns_ = -1;
  last_event_seconds_ = 0;
  served_settings_ = settings;
}

double RunProgress::requests_per_second() const {
  if (finish_seconds_.size() < 2) return 0;
  const double span = finish_seconds_.back() - finish_seconds_.front();
  return span > 0 ? static_cast<double>(finish_seconds_.size() - 1) / span : 0;
}

}  // namespace kvantage
