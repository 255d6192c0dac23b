// Detects outdated quality curves: compares answers with their profile and queues contexts that fall short for
// re-profiling on their latest questions (EvicPress, section 4.3). A new curve applies to this session only; the store
// keeps the curve of the profile questions.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/ports/reprofile_rule.h"
#include "core/quality/drift_watch.h"
#include "core/quality/profiler_ports.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline quality {

/// The last measured curve of each context.
class LastCurves {
 public:
  virtual ~LastCurves() = default;
  /// Puts the context's measured curve into the snapshot.
  virtual void use(std::size_t context) = 0;
};

class DriftMonitor final : public DriftedContexts {
 public:
  struct Rule {
    bool reprofile = true;
    ReprofileRule when = {};
    bool assume_loss = true;  // of the compressed forms of a drifted context, until its new curve is measured
    double share = 0.05;      // maximum share of the engine thread's busy time for re-profiling; 0: never, 1: no limit;
                              // above 0, a frozen run has no limit
    std::string quality_metric;
  };

  /// curves: must outlive this. frozen: decisions must not depend on the duration of profiling.
  DriftMonitor(const EngineServices& services, LastCurves& curves, RunCounters& counters, bool frozen)
      : services_(services), curves_(curves), counters_(counters), frozen_(frozen) {}

  /// Without assume_loss, contexts queued for re-profiling return to their last measured curve.
  void use_rule(Rule rule);
  void forget_answers() { watch_.reset(services_.catalog.size()); }

  /// Adds a scored answer, served from the entry of context `entry`. True when the context's curve is now assumed
  /// changed, of which the policy must be notified.
  bool note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context, std::size_t question,
                   std::size_t entry);
  /// Contexts queued for re-profiling return to their last measured curve.
  void drop_assumptions();
  void settle(std::size_t context) override { watch_.settle(context); }

  bool reprofiles() const override { return rule_.reprofile && rule_.share > 0; }
  const std::deque<std::size_t>& waiting() const override { return watch_.waiting(); }
  std::vector<std::size_t> questions(std::size_t context) const override { return watch_.questions(context); }
  bool may_reprofile() const override;

 private:
  void assume_loss(std::size_t context, double kept_share);
  void publish_curve(std::size_t context);

  EngineServices services_;
  LastCurves& curves_;
  RunCounters& counters_;
  bool frozen_;
  Rule rule_;
  DriftWatch watch_;
};

/// Scales measured and expected quality.
void scale_quality(ProfilePoint& point, double factor);

}  // namespace kvantage::inline quality
