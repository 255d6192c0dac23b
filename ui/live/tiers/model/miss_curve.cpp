#include "ui/live/tiers/model/miss_curve.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kvantage {
namespace {

constexpr std::size_t counted_in_place = 4096;  // some milliseconds
constexpr double least_step = 1.0 / (MissCurve::max_steps - 1);

}  // namespace

/// Of the owner's thread and the worker's.
struct MissCurve::Work {
  std::mutex mutex;
  MissRatioCurve curve{max_contexts};
  std::vector<ReferenceStream::Reference> waiting;
  std::size_t counted = 0;  // of those

  // Each of these with the mutex locked.
  std::size_t left() const { return waiting.size() - counted; }
  void restart() {
    curve = MissRatioCurve(max_contexts);
    waiting.clear();
    counted = 0;
  }
  // What was counted is kept no longer: memory is bounded by what a stream keeps and by max_contexts.
  void add(const std::vector<ReferenceStream::Reference>& more) {
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(counted));
    counted = 0;
    waiting.insert(waiting.end(), more.begin(), more.end());
  }
  void count(std::size_t most) {
    for (const std::size_t end = counted + std::min(most, left()); counted < end; ++counted)
      curve.touch(waiting[counted].context, waiting[counted].bytes);
    if (left() > 0) return;
    waiting = std::vector<ReferenceStream::Reference>();  // {} would keep its memory
    counted = 0;
  }
  Answer answer() const { return {curve.steps(least_step), curve.touches(), curve.footprint(), curve.rate()}; }
};

double MissCurve::Answer::miss_ratio_at(std::uint64_t capacity_bytes) const {
  const auto behind = std::ranges::upper_bound(steps, capacity_bytes, {}, &MissRatio::capacity);
  return behind == steps.begin() ? 1 : std::prev(behind)->miss_ratio;
}

MissCurve::MissCurve(QObject* parent) : QObject(parent), work_(std::make_shared<Work>()) {}

MissCurve::~MissCurve() = default;

void MissCurve::update(const ReferenceStream::Content& stream, bool wait) {
  const bool extends = stream.extends(given_);
  if (extends && stream.requests == given_.requests && (!wait || answer_.requests == stream.requests)) return;
  ++updates_;
  {
    const std::lock_guard lock(work_->mutex);
    if (!extends) work_->restart();
    work_->add(stream.after(extends ? given_.requests : 0));
    given_ = stream;
    if (wait || work_->left() <= counted_in_place) {
      work_->count(work_->left());
      answer_ = work_->answer();
      return;
    }
  }
  count_in_background();
}

void MissCurve::count_in_background() {
  if (!worker_) worker_ = std::make_unique<BackgroundWorker>();
  worker_->run(
      [work = work_](const std::atomic<bool>& cancelled) -> std::optional<Answer> {
        while (!cancelled) {
          {
            const std::lock_guard lock(work->mutex);
            work->count(counted_in_place);
            if (work->left() == 0) return work->answer();
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the window may wait for the mutex
        }
        return std::nullopt;
      },
      [this, number = updates_](std::optional<Answer> answer) {
        if (!answer || number != updates_) return;
        answer_ = std::move(*answer);
        emit changed();
      });
}

}  // namespace kvantage
