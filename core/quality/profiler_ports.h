// What QualityProfiler asks of the other parts that measure quality.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "core/policy/decode_option.h"
#include "core/ports/stores.h"

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
  /// Puts the context's candidates and decode options into the snapshot.
  virtual void use(std::size_t context) = 0;
  virtual void use_all() = 0;
  /// Restores the curves on the profile questions.
  virtual void restore_first() = 0;
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
