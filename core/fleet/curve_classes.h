// Classes of contexts from measured quality curves and a preset's costs: what the policies predict of each form on each
// tier (utility.h), flattened as for a plan.
#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/fleet/context_class.h"
#include "core/policy/profile.h"
#include "core/simulator/planned_simulation.h"

namespace kvantage::inline fleet {

/// One measured context: tokens and points of its profile, of whatever model it was measured with.
struct MeasuredCurve {
  std::string id;
  ContextProfile profile;
};

struct CurveClasses {
  std::vector<ContextClass> classes;  // one for each curve
  std::size_t forms = 0;              // of all classes, before those that no price chooses were left out
};

/// Bytes of the uncompressed entry of a context, the mean of all curves. Lengths and errors are those of classes_of().
Expected<double> mean_entry_bytes(const std::vector<MeasuredCurve>& curves, double bytes_per_token,
                                  double length_scale);

/// Forms keep their share of tokens and bytes; the entry of the whole context has the preset's bytes per token. The
/// last of `setup.tiers` is the store. `length_scale`: contexts are this many times as long as measured.
/// rejected_input where there is no curve, or one without its uncompressed point; usage errors as snapshot_of().
Expected<CurveClasses> classes_of(const PlannedSetup& setup, const std::vector<MeasuredCurve>& curves,
                                  double length_scale);

}  // namespace kvantage::inline fleet
