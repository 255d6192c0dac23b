#include "app/cli/simulate/beyond_fit.h"

#include "core/base/counted.h"
#include "core/base/units.h"

namespace kvantage::cli {

BeyondFit::BeyondFit(const SimulateArguments& arguments, const Simulation& made)
    : preset_(made.planned.preset), timed_(made.table.timed), refuses_(arguments.beyond_fit == "refuse") {}

Status BeyondFit::take(const TraceRequest& request) {
  if (!timed_ || !preset_.is_beyond_fit(static_cast<double>(request.input_tokens))) return {};
  ++count_;
  if (!refuses_) return {};
  return fail(ErrorCode::rejected_input, "row " + std::to_string(request.row) + " has " +
                                             std::to_string(request.input_tokens) + " tokens, beyond " + range() +
                                             "; leave --beyond-fit out to extrapolate its time");
}

void BeyondFit::add_note(SimulatedRow& row) const {
  if (count_ > 0)
    row.notes.push_back(counted(count_, "request") + " beyond " + range() + ": their times are extrapolated");
}

std::string BeyondFit::range() const {
  if (!preset_.fitted) return "the tokens where the published times of " + preset_.name + " are above 0";
  return "the tokens that the times of " + preset_.name + " were fitted to (" + format_fixed(preset_.fitted->least, 0) +
         " to " + format_fixed(preset_.fitted->most, 0) + ")";
}

}  // namespace kvantage::cli
