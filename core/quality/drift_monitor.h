// Curves that hold no longer: answers are held against what their profile says, and a context that falls short waits to
// be profiled again on the questions it was asked last (EvicPress, section 4.3). The new curve lives as long as the
// session; the store keeps the one of the profile questions.
#pragma once

#include <optional>
#include <string>

#include "core/quality/drift_watch.h"
#include "core/quality/quality_curves.h"
#include "core/store/run_counters.h"

namespace kvantage::inline quality {

class DriftMonitor {
 public:
  struct Rule {
    bool reprofile = true;
    double threshold = 0.3;  // DriftRule::threshold
    std::string quality_metric;
  };

  /// frozen: nothing may hang on how long profiling takes.
  DriftMonitor(const EngineServices& services, QualityCurves& curves, RunCounters& counters, bool frozen)
      : services_(services), curves_(curves), counters_(counters), frozen_(frozen) {}

  void use_rule(Rule rule) { rule_ = std::move(rule); }
  void forget_answers() { watch_.reset(services_.catalog.size()); }

  /// An answer that was scored, served from the entry of context `entry`. True when the context's curve is taken to
  /// have changed, which the policy must hear.
  bool note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context, std::size_t question,
                   std::size_t entry);
  /// Contexts that wait for a new curve keep the one they have: nothing is taken to have changed.
  void drop_assumptions();
  /// A new curve is in use.
  void settle(std::size_t context) { watch_.settle(context); }

  bool reprofiles() const { return rule_.reprofile; }
  const std::deque<std::size_t>& waiting() const { return watch_.waiting(); }
  /// Different questions that the context was asked last, oldest first.
  std::vector<std::size_t> questions(std::size_t context) const { return watch_.questions(context); }
  /// Whether another step of profiling again stays within its share of the time.
  bool may_reprofile() const;

 private:
  void assume_loss(std::size_t context, double kept_share);

  EngineServices services_;
  QualityCurves& curves_;
  RunCounters& counters_;
  bool frozen_;
  Rule rule_;
  DriftWatch watch_;
};

}  // namespace kvantage::inline quality
