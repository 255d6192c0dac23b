#include "core/engine/session_parts.h"

namespace kvantage::inline engine {

SessionParts::SessionParts(const EngineServices& services, const PartsSetup& setup, TierMonitor::Inject inject)
    : recorder(services, setup.journal, setup.runs),
      costs(services),
      planner(services, costs, setup.config.frozen),
      tiers(services, costs, recorder, std::move(inject)),
      arrivals(setup.config.workload, services.catalog, setup.serving_clock,
               {.seed = setup.config.seed, .warmup = setup.config.warmup, .endless = setup.config.endless}),
      placement(
          services, recorder.counters(), [this] { return !requests.any() && arrivals.rate() <= 0; },
          setup.config.frozen),
      quality(services, setup.serving_clock, setup.meter, setup.profiles, setup.config.max_answer_tokens),
      curves(services, quality),
      drift(services, curves, recorder.counters(), setup.config.frozen),
      inspector(services, setup.serving_clock, setup.inspections, setup.config.max_answer_tokens),
      outcomes(services,
               {.costs = costs,
                .planner = planner,
                .quality = quality,
                .drift = drift,
                .profiler = profiler,
                .inspector = inspector,
                .placement = placement,
                .tiers = tiers,
                .recorder = recorder,
                .spans = setup.spans},
               setup.settings.tiers),
      requests(services, setup.serving_clock, arrivals, planner, outcomes, recorder.counters(),
               {.max_answer_tokens = setup.config.max_answer_tokens, .frozen = setup.config.frozen}),
      profiler(services, setup.serving_clock, {curves, drift, quality, setup.meter}, requests.beside_profiling(),
               recorder, setup.progress,
               {.store = setup.profiles, .max_answer_tokens = setup.config.max_answer_tokens}),
      popularity(services, setup.profiles, setup.config.workload.digest()) {
  use(setup.settings);
  arrivals.change_rate(setup.settings.requests_per_second);
}

void SessionParts::use(const SessionSettings& settings) {
  requests.use({.policy = settings.policy,
                .max_batch = settings.max_batch,
                .attend_quantized = settings.attend_quantized,
                .decode_eviction = settings.decode_eviction});
  planner.use(settings.compute_or_load);
  drift.use_rule({.reprofile = settings.reprofile,
                  .threshold = settings.reprofile_threshold,
                  .quality_metric = settings.quality_metric});
  curves.use_candidates({settings.methods, settings.removed_fractions});
}

}  // namespace kvantage::inline engine
