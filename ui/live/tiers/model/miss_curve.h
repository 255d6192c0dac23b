// The miss ratios of LRU caches of every size on the requests of a run, kept up as requests come: each request is
// counted once. A few are counted at once; many, as of a recorded run that was opened, on a thread. Simulated.
#pragma once

#include <QObject>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/simulator/miss_ratio_curve.h"
#include "ui/live/tiers/model/reference_stream.h"
#include "ui/session/background_worker.h"

namespace kvantage {

class MissCurve : public QObject {
  Q_OBJECT
 public:
  struct Answer {
    std::vector<MissRatio> steps;       // capacities in bytes, at most max_steps
    std::uint64_t requests = 0;         // counted so far
    std::uint64_t footprint_bytes = 0;  // of all different contexts
    double rate = 1;                    // below 1: the contexts are a sample
    /// 1 below the first step.
    double miss_ratio_at(std::uint64_t capacity_bytes) const;
  };
  static constexpr std::size_t max_contexts = 8192;  // with more, they are sampled (SHARDS)
  static constexpr std::size_t max_steps = 501;      // of at least 0.2 % each, and the last

  explicit MissCurve(QObject* parent = nullptr);
  ~MissCurve() override;

  /// Counts what `stream` has beyond the stream of the call before, or all it keeps where that was another one. With
  /// `wait` answer() is of all of it afterwards. Otherwise changed() comes once it is, unless it is already.
  void update(const ReferenceStream::Content& stream, bool wait);
  const Answer& answer() const { return answer_; }

 signals:
  void changed();

 private:
  struct Work;
  void count_in_background();

  ReferenceStream::Content given_;
  std::shared_ptr<Work> work_;
  Answer answer_;
  std::uint64_t updates_ = 0;
  std::unique_ptr<BackgroundWorker> worker_;  // null: none was needed so far; last: its thread uses what stands above
};

}  // namespace kvantage
