// The quality curves of all contexts: measured cells, and what plans see of them: the session's candidates with the
// expected quality on future questions.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/policy/quality_pool.h"
#include "core/ports/stores.h"
#include "core/quality/answer_quality.h"
#include "core/quality/decode_options.h"
#include "core/store/engine_services.h"

namespace kvantage::inline quality {

/// Sources of curves besides the profile store.
struct ShippedProfiles {
  std::vector<std::filesystem::path> files;  // imported when the store has no profile of a scope
  std::function<Status(ProfileStore& store, const std::filesystem::path& file)> import;
};

class QualityCurves {
 public:
  /// A session's candidates: methods in text form, removed fractions without 0.
  struct Candidates {
    std::vector<std::string> methods;
    std::vector<double> removed_fractions;
    std::vector<std::string> decode_options = {};  // without "none"
    bool operator==(const Candidates&) const = default;
  };

  QualityCurves(const EngineServices& services, AnswerQuality& quality)
      : services_(services), quality_(quality), options_(services) {}

  void forget();
  /// Replaces all curves by those of `scope`. A null store has none.
  Status load(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped);
  void use_candidates(Candidates candidates);
  const Candidates& candidates() const { return candidates_; }

  /// Whether every candidate of the context has been measured, and every decode option.
  bool complete(std::size_t context) const;
  /// The same without decode options.
  bool curve_complete(std::size_t context) const;
  std::size_t complete_contexts() const;
  const std::vector<ProfileCell>& cells(std::size_t context) { return cells_[context]; }
  /// The curve on the profile questions, even if the context was re-profiled.
  const std::vector<ProfileCell>& first_cells(std::size_t context);

  /// How answers about the contexts can be decoded.
  DecodeOptions& options() { return options_; }

  void replace(std::size_t context, std::vector<ProfileCell> cells);
  /// After re-profiling a drifted context: cells that were not measured again are scaled by the loss of those that
  /// were.
  void replace_after_drift(std::size_t context, std::vector<ProfileCell> cells);
  /// Restores the curves on the profile questions.
  void restore_first();

  /// Recomputes expected quality on future questions from all cells.
  void pool();
  /// Puts the context's candidates and decode options into the snapshot.
  void use(std::size_t context);
  void use_all();

 private:
  bool is_candidate(const ProfilePoint& point) const;

  EngineServices services_;
  AnswerQuality& quality_;
  Candidates candidates_;
  std::map<std::size_t, std::vector<ProfileCell>> cells_;
  std::map<std::size_t, std::vector<ProfileCell>> first_cells_;  // original cells of re-profiled contexts
  QualityPool pool_;                                             // over all cells
  DecodeOptions options_;
};

/// Scales measured and expected quality.
void scale_quality(ProfilePoint& point, double factor);

}  // namespace kvantage::inline quality
