// The quality curves of all contexts: the cells that were measured, and what plans see of them, the candidates of the
// session with the qualities that are expected of questions not asked yet.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/policy/quality_pool.h"
#include "core/ports/stores.h"
#include "core/quality/answer_quality.h"
#include "core/store/engine_services.h"

namespace kvantage::inline quality {

/// Where curves come from beside the profile store.
struct ShippedProfiles {
  std::vector<std::filesystem::path> files;  // imported when the store has no profile of a scope
  std::function<Status(ProfileStore& store, const std::filesystem::path& file)> import;
};

class QualityCurves {
 public:
  /// What a session compresses with: methods by their text forms, removed fractions without 0.
  struct Candidates {
    std::vector<std::string> methods;
    std::vector<double> removed_fractions;
    bool operator==(const Candidates&) const = default;
  };

  QualityCurves(const EngineServices& services, AnswerQuality& quality) : services_(services), quality_(quality) {}

  void forget();
  /// Forgets all curves and reads those of `scope`. store may be null: then there are none.
  Status load(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped);
  void use_candidates(Candidates candidates) { candidates_ = std::move(candidates); }
  const Candidates& candidates() const { return candidates_; }

  /// Every candidate of the context has been measured.
  bool complete(std::size_t context) const;
  std::size_t complete_contexts() const;
  const std::vector<ProfileCell>& cells(std::size_t context) { return cells_[context]; }
  /// The curve on the profile questions, also of a context that was measured again.
  const std::vector<ProfileCell>& first_cells(std::size_t context);

  void replace(std::size_t context, std::vector<ProfileCell> cells);
  /// Of a context whose curve no longer held: what was not measured again is taken to have lost what was.
  void replace_after_drift(std::size_t context, std::vector<ProfileCell> cells);
  /// Back to the curves on the profile questions.
  void restore_first();

  /// What is expected of questions not asked yet, from all cells there are.
  void pool();
  /// Hands the context's candidates to the snapshot.
  void use(std::size_t context);
  void use_all();

 private:
  bool is_candidate(const ProfilePoint& point) const;

  EngineServices services_;
  AnswerQuality& quality_;
  Candidates candidates_;
  std::map<std::size_t, std::vector<ProfileCell>> cells_;
  std::map<std::size_t, std::vector<ProfileCell>> first_cells_;  // of contexts that were measured again, from before
  QualityPool pool_;                                             // of all cells
};

/// Multiplies what was measured and what is expected.
void scale_quality(ProfilePoint& point, double factor);

}  // namespace kvantage::inline quality
