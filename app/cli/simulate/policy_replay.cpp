#include "app/cli/simulate/policy_replay.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/base/interrupts.h"
#include "app/cli/simulate/beyond_fit.h"
#include "app/cli/trace_counts.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "core/engine/settings_check.h"
#include "core/policy/exact_search.h"
#include "core/policy/policies.h"
#include "core/policy/utility.h"

namespace kvantage::cli {
namespace {

/// Requests of the trace, with Poisson arrivals instead of its own if a rate is given.
template <class Take>
Expected<TraceCounts> replay_trace(const SimulateArguments& arguments, Take take) {
  KV_ASSIGN(auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  Random gaps(derive_seed(arguments.seed, 1));
  double arrival = 0;
  for (;;) {
    KV_ASSIGN(auto request, trace->next());
    if (!request) {
      KV_TRY(check_any_request(arguments.trace, trace->counts()));
      return trace->counts();
    }
    if (arguments.rate > 0) request->arrival_seconds = arrival += gaps.exponential(1 / arguments.rate);
    KV_TRY(take(*request));
  }
}

/// Of a queue without a steady state, the mean is one of this number of requests.
void note_instability(SimulatedRow& row) {
  constexpr std::uint64_t few = 10;
  if (row.totals.requests < few || row.totals.offered_load < 1) return;
  row.unstable = true;
  row.notes.push_back("unstable: requests arrive " + format_fixed(row.totals.offered_load, 2) +
                      " times as fast as they are served, so queue and TTFT grow with their number");
}

/// An eviction order over arrays: of uncompressed contexts or blocks, or of contexts in one form.
Expected<SimulatedRow> run_order(const SimulateArguments& arguments, const Simulation& made,
                                 const SimulatorSetup& setup, SimulatedRow row) {
  KV_ASSIGN(auto simulator, TraceSimulator::make(setup));
  KV_TRY(simulator->use_blocks(made.trace_block, made.cache_block));
  if (simulator->needs_future())
    KV_TRY(replay_trace(arguments, [&](const TraceRequest& request) { return simulator->expect(request); }));
  BeyondFit beyond(arguments, made);
  KV_ASSIGN(auto counts, replay_trace(arguments, [&](const TraceRequest& request) -> Status {
              KV_TRY(beyond.take(request));
              if (const Status room = simulator->check_room(request); !room)
                return fail(room.error().code, arguments.trace + ": " + room.error().message);
              simulator->request(request);
              return {};
            }));
  row.counts = std::move(counts);
  row.totals = simulator->totals();
  beyond.add_notes(row);
  note_instability(row);
  return row;
}

/// Every context in one form, as `fixed(...)` stores it.
Expected<SimulatedRow> run_fixed(const SimulateArguments& arguments, const Simulation& made, const FixedText& fixed,
                                 SimulatedRow row) {
  const PlannedSetup& planned = made.planned;
  const auto form = stored_form(planned.preset, planned.dataset, fixed.method, fixed.removed_fraction);
  if (!form) return fail(form.error().code, "policy '" + row.policy + "': " + form.error().message);
  if (form->between)
    row.notes.emplace_back("its quality and bytes are interpolated linearly between measured fractions");
  SimulatorSetup setup = made.compact;
  setup.order = fixed.eviction;
  const auto& forms = planned.preset.candidates;
  const auto own = std::ranges::find_if(forms, [&](const PresetCandidate& one) {
    return one.method == fixed.method && same_fraction(one.removed_fraction, fixed.removed_fraction);
  });
  setup.costs =
      costs_of(planned.preset, planned.tiers,
               own != forms.end() ? *own : PresetCandidate{fixed.method, fixed.removed_fraction, form->kept_bytes, {}});
  setup.costs.seconds_per_output_token = planned.seconds_per_output_token;
  setup.quality = form->quality;
  setup.uncompressed_quality = form->uncompressed_quality;
  setup.quality_spread = planned.quality_spread;
  setup.seed = planned.seed;
  row.has_quality = !planned.preset.quality.empty();
  return run_order(arguments, made, setup, std::move(row));
}

}  // namespace

Expected<SimulatedRow> run_policy(const SimulateArguments& arguments, const Simulation& made,
                                  const std::string& policy) {
  SimulatedRow row{.policy = policy};
  if (is_order(policy)) {
    SimulatorSetup setup = made.compact;
    setup.order = policy;
    return run_order(arguments, made, setup, std::move(row));
  }
  const auto parsed = make_servable_policy(policy);
  // For an existing method, the preset itself lists its known forms.
  if (const auto fixed = read_fixed(policy);
      fixed && (parsed || make_servable_policy("fixed(" + fixed->method + ",0)")))
    return run_fixed(arguments, made, *fixed, std::move(row));
  if (!parsed) return tl::unexpected(parsed.error());
  row.planned = true;
  row.has_quality = !made.planned.preset.quality.empty();
  KV_ASSIGN(auto first, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  const auto scan = contexts_of(*first, max_contexts_of(**parsed));
  if (!scan) return fail(scan.error().code, "policy '" + policy + "': " + scan.error().message);
  KV_ASSIGN(auto simulation, PlannedSimulation::make(made.planned, *scan, *parsed));
  if (simulation->quality_between())
    row.notes.emplace_back("its quality and bytes are interpolated linearly between measured fractions");
  if (const auto every = simulation->planned_every(); every > 1) {
    row.planned_every = every;
    row.notes.push_back("re-planned every " + std::to_string(every) + " requests for " +
                        std::to_string(scan->contexts.size()) +
                        " contexts; those computed in between are stored at the next plan");
  }
  BeyondFit beyond(arguments, made);
  const SearchCancel cancel(interrupted);  // of plans that take long
  KV_ASSIGN(auto counts, replay_trace(arguments, [&](const TraceRequest& request) -> Status {
              KV_TRY(beyond.take(request));
              simulation->request(request);
              return {};
            }));
  row.counts = std::move(counts);
  row.totals = simulation->totals();
  row.lp_gap = simulation->lp_gap();
  beyond.add_notes(row);
  note_instability(row);
  return row;
}

}  // namespace kvantage::cli
