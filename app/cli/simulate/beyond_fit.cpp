#include "app/cli/simulate/beyond_fit.h"

#include <algorithm>

#include "core/base/counted.h"
#include "core/base/units.h"

namespace kvantage::cli {

BeyondFit::BeyondFit(const SimulateArguments& arguments, const Simulation& made)
    : preset_(made.planned.preset), timed_(made.table.timed), refuses_(arguments.beyond_fit == "refuse") {}

Status BeyondFit::take(const TraceRequest& request) {
  longest_ = std::max(longest_, request.input_tokens);
  const auto tokens = static_cast<double>(request.input_tokens);
  if (!timed_ || !preset_.is_beyond_fit(tokens)) return {};
  const bool as_zero = preset_.counts_as_zero(tokens);
  ++(as_zero ? zero_ : extrapolated_);
  if (!refuses_) return {};
  return fail(ErrorCode::rejected_input, "row " + std::to_string(request.row) + " has " +
                                             std::to_string(request.input_tokens) + " tokens, beyond " +
                                             range(as_zero) + "; leave --beyond-fit out to " +
                                             (as_zero ? "count its time as 0" : "extrapolate its time"));
}

void BeyondFit::add_notes(SimulatedRow& row) const {
  row.longest_tokens = longest_;
  if (extrapolated_ > 0)
    row.notes.push_back(counted(extrapolated_, "request") + " beyond " + range(false) +
                        ": their times are extrapolated");
  if (zero_ > 0)
    row.notes.push_back(counted(zero_, "request") + " beyond " + range(true) + ": their computing counts as 0");
}

std::string BeyondFit::range(bool as_zero) const {
  if (as_zero)
    return std::string("the tokens where the ") + (preset_.fitted ? "fitted" : "published") + " times of " +
           preset_.name + " are above 0";
  return "the tokens that the times of " + preset_.name + " were fitted to (" + format_fixed(preset_.fitted->least, 0) +
         " to " + format_fixed(preset_.fitted->most, 0) + ")";
}

std::string missing_range_note(const Simulation& made) {
  if (!made.table.timed || made.planned.preset.fitted || made.table.rows.empty()) return {};
  return made.planned.preset.name + ": no fitted range is published; the longest request has " +
         counted(made.table.rows.front().longest_tokens, "token");
}

}  // namespace kvantage::cli
