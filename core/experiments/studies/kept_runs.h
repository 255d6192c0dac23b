// Runs of a figure's cells that an interrupted command has recorded: they are taken over instead of being served again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiments/studies/study_cells.h"
#include "core/ports/tier_config.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage::inline studies {

struct KeptRun {
  std::string run_id;
  std::vector<double> calibration = {};      // before and after it, Calibration::around_cell()
  std::vector<RegimeDeviation> regime = {};  // deviations_now() at its end
  std::vector<ServedTier> tiers = {};        // served_tiers() at its end
};

/// Of one request sequence of a figure, in FigureHost::cells(); without these nothing is kept.
class KeptRuns {
 public:
  /// `arguments` must outlive this. session: identity_of() the session that serves the cells.
  KeptRuns(const FigureArguments& arguments, std::uint64_t seed, Json session = {})
      : arguments_(arguments), seed_(seed), session_(std::move(session)) {}

  /// What a measurement depends on that no option says: model, contexts, workload, device with its threads,
  /// whether idle time is left out.
  static Json identity_of(const Engine& engine);

  /// Nothing: not kept, or damaged.
  std::optional<KeptRun> find(const StudyCell& cell) const;
  Status keep(const StudyCell& cell, const KeptRun& run) const;
  /// Numbers that a session computes from its fits (alphas, rates, shares) differ a little from one to the next. Cells
  /// get those of the command that began the figure; the first call keeps them.
  Status settle_numbers(std::vector<StudyCell>& cells) const;
  /// The same for the throttles of a regime's tiers, which are computed from fits, too.
  Status settle_throttles(const StudyCell& cell, std::vector<TierConfig>& tiers) const;

 private:
  Json key_of(const Json& what) const;

  const FigureArguments& arguments_;
  const std::uint64_t seed_;
  const Json session_;
};

}  // namespace kvantage::inline studies
