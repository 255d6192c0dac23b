// What QualityProfiler asks of the other parts that measure quality.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/policy/decode_option.h"
#include "core/ports/stores.h"
#include "core/quality/profile_grid.h"

namespace kvantage::inline quality {

/// A session's candidates: methods in text form, removed fractions without 0.
struct CurveCandidates {
  std::vector<std::string> methods;
  std::vector<double> removed_fractions;
  std::vector<std::string> decode_options = {};  // without "none"
  bool operator==(const CurveCandidates&) const = default;
};

/// Curves of contexts: what is still to be measured, what was, and what plans see of it.
class MeasuredCurves {
 public:
  virtual ~MeasuredCurves() = default;
  virtual const CurveCandidates& candidates() const = 0;
  /// Whether every candidate of the context has been measured, and every decode option.
  virtual bool complete(std::size_t context) const = 0;
  /// The same without decode options.
  virtual bool curve_complete(std::size_t context) const = 0;
  virtual std::size_t complete_contexts() const = 0;
  /// Decode options of the context; see DecodeOptions::missing().
  virtual std::vector<std::string> missing_options(std::size_t context) const = 0;

  /// The curve on the profile questions, even if the context was re-profiled.
  virtual const std::vector<ProfileCell>& first_cells(std::size_t context) = 0;
  virtual void replace(std::size_t context, std::vector<ProfileCell> cells) = 0;
  /// After re-profiling a drifted context: cells that were not measured again are scaled by the loss of those that
  /// were.
  virtual void replace_after_drift(std::size_t context, std::vector<ProfileCell> cells) = 0;
  /// Adds to the context's decode options, replacing those of the same text.
  virtual void replace_options(std::size_t context, std::vector<DecodeOption> measured) = 0;
  /// Stores the context's decode options and, if `curve`, its curve.
  virtual Status save(const ProfileScope& scope, ProfileStore& store, std::size_t context, bool curve) = 0;

  /// Recomputes expected quality on future questions from all cells.
  virtual void pool() = 0;
  /// The same after a change of one context's cells, where points are pooled: the rest follows with the next schedule.
  virtual void pool(std::size_t context) = 0;
  /// Puts what is now pooled into the snapshot, for `most` contexts from `first` on; returns the first of those left,
  /// at the end the number of contexts.
  virtual std::size_t refresh(std::size_t first, std::size_t most) = 0;
  /// Puts the context's candidates and decode options into the snapshot.
  virtual void use(std::size_t context) = 0;
  virtual void use_all() = 0;
  /// Restores the curves on the profile questions.
  virtual void restore_first() = 0;
};

/// Cells of one context that are measured together.
struct ScheduledBatch {
  std::size_t context = 0;
  std::vector<ScheduledCell> cells;  // not empty
};

using MayMeasure = std::function<bool(std::size_t context)>;

/// Which cells are measured next where they are scheduled one by one (docs/profiling.md), and not whole curves.
class CellSchedule {
 public:
  virtual ~CellSchedule() = default;
  virtual bool is_on() const = 0;
  /// To be called before next(): plans where that depends on it. aside: on a thread of its own; false until it ends.
  virtual bool ready(const MayMeasure& may_measure, bool aside) = 0;
  /// The next batch of a context that may be measured; null: nothing is left that is worth it. Valid until the next
  /// call of any function.
  virtual const ScheduledBatch* next(const MayMeasure& may_measure) = 0;
  /// Plans at once, so that progress and pooled points are of all answers.
  virtual void catch_up() = 0;
  /// True once after each plan: pooled points of all contexts have changed.
  virtual bool take_renewed() = 0;
  /// Answers so far, and those left: until every context has its first, coarse curves, then, as estimated, until
  /// nothing worth it is left.
  struct Progress {
    std::uint64_t answers = 0, answers_left = 0;
    bool is_coarse = false;  // until the first curves
  };
  virtual Progress progress() const = 0;
  /// A batch is measured: so many answers took so long, without computing the context's cache.
  /// MeasuredCurves::pool(context) follows.
  virtual void note(std::size_t answers, double seconds) = 0;
  /// A method that failed on a context is left out on all, until retry().
  virtual void leave_out(const std::string& method) = 0;
  virtual void retry() = 0;
};

/// Points of curves that are estimated from similar contexts.
class PooledCells {
 public:
  virtual ~PooledCells() = default;
  virtual bool pools() const = 0;
  /// All that was measured, by context.
  virtual void learn(const std::map<std::size_t, std::vector<ProfileCell>>& cells) = 0;
  /// The cells of one context, when it pools; points of others change with the next schedule.
  virtual void learn(std::size_t context, const std::vector<ProfileCell>& cells) = 0;
  /// Adds points that the context lacks, and expected qualities with their intervals to those that it has.
  virtual void complete(std::size_t context, std::vector<ProfilePoint>& points) const = 0;
};

/// Contexts whose answers fall short of their curves.
class DriftedContexts {
 public:
  virtual ~DriftedContexts() = default;
  virtual bool reprofiles() const = 0;
  /// Longest wait first.
  virtual const std::deque<std::size_t>& waiting() const = 0;
  /// The latest distinct questions about the context, oldest first.
  virtual std::vector<std::size_t> questions(std::size_t context) const = 0;
  /// Whether another re-profiling step stays within its share of the time.
  virtual bool may_reprofile() const = 0;
  /// A new curve is in use.
  virtual void settle(std::size_t context) = 0;
};

/// Reference answers and chance scores, which profiling measures as well.
class ReferenceAnswers {
 public:
  virtual ~ReferenceAnswers() = default;
  /// After profiling, which measured chance scores and added reference answers.
  virtual void learn(std::size_t context, const std::vector<double>& chance_scores) = 0;
  virtual Status save(const ProfileScope& scope) = 0;
};

}  // namespace kvantage::inline quality
