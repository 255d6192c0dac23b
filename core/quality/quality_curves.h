// The quality curves of all contexts: measured cells, and what plans see of them: the session's candidates with the
// expected quality on future questions.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/policy/quality_pool.h"
#include "core/ports/stores.h"
#include "core/quality/decode_options.h"
#include "core/quality/drift_monitor.h"
#include "core/quality/profiler_ports.h"
#include "core/store/engine_services.h"

namespace kvantage::inline quality {

/// Sources of curves besides the profile store.
struct ShippedProfiles {
  std::vector<std::filesystem::path> files;  // imported when the store has no profile of a scope
  std::function<Status(ProfileStore& store, const std::filesystem::path& file)> import;
};

/// Answers that need no context.
class ChanceScores {
 public:
  virtual ~ChanceScores() = default;
  /// Chance score on a context's profile questions.
  virtual ProfileChance chance_on(std::size_t context) = 0;
};

class QualityCurves final : public MeasuredCurves, public LastCurves {
 public:
  /// chance: must outlive this.
  QualityCurves(const EngineServices& services, ChanceScores& chance)
      : services_(services), chance_(chance), options_(services) {}

  void forget();
  /// Replaces all curves by those of `scope`. A null store has none.
  Status load(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped);
  void use_candidates(CurveCandidates candidates);
  /// Points of similar contexts, where it pools; must outlive this.
  void use_pooled(PooledCells& pooled) { pooled_ = &pooled; }
  const CurveCandidates& candidates() const override { return candidates_; }

  bool complete(std::size_t context) const override;
  bool curve_complete(std::size_t context) const override;
  std::size_t complete_contexts() const override;
  std::vector<std::string> missing_options(std::size_t context) const override { return options_.missing(context); }
  const std::vector<ProfileCell>& cells(std::size_t context) { return cells_[context]; }
  const std::vector<ProfileCell>& first_cells(std::size_t context) override;

  void replace(std::size_t context, std::vector<ProfileCell> cells) override;
  void replace_after_drift(std::size_t context, std::vector<ProfileCell> cells) override;
  void replace_options(std::size_t context, std::vector<DecodeOption> measured) override {
    options_.replace(context, std::move(measured));
  }
  Status save(const ProfileScope& scope, ProfileStore& store, std::size_t context, bool curve) override;
  void restore_first() override;

  void pool() override;
  void pool(std::size_t context) override;
  std::size_t refresh(std::size_t first, std::size_t most) override;
  void use(std::size_t context) override;
  void use_all() override;

 private:
  bool is_candidate(const ProfilePoint& point) const;
  void show(std::size_t context, const std::vector<ProfileCell>& cells, const ProfileChance& chance);

  EngineServices services_;
  ChanceScores& chance_;
  CurveCandidates candidates_;
  std::map<std::size_t, std::vector<ProfileCell>> cells_;
  std::map<std::size_t, std::vector<ProfileCell>> first_cells_;  // original cells of re-profiled contexts
  QualityPool pool_;                                             // over all cells
  PooledCells* pooled_ = nullptr;
  // Contexts whose cells were asked some of the questions: complete for plans, but not as a whole curve.
  std::set<std::size_t> partial_;
  std::set<std::size_t> partial_changed_;  // whose cells are not stored since
  DecodeOptions options_;
};

}  // namespace kvantage::inline quality
