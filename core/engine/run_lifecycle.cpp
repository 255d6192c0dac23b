#include "core/engine/run_lifecycle.h"

namespace kvantage::inline engine {

void RunLifecycle::begin(const Settings& settings) {
  const std::string id = new_run_id(services_.clock.utc_ns());
  // Each run reseeds its faults; none is injected while its tiers are cleared.
  parts_.tiers.inject_all_faults(settings.tiers, false);
  forget_runs_before();
  parts_.requests.begin_run(options_.cold_start);
  parts_.arrivals.begin(settings.request_limit, settings.requests_per_second);
  parts_.tiers.inject_all_faults(settings.tiers);
  parts_.arrivals.start_clock();
  parts_.recorder.open(id, facts_of(id, settings.recorded));
  board_.set_run_id(id);  // visible only once the store has the run
  parts_.recorder.begin();
  parts_.placement.dispatch_event({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
}

void RunLifecycle::forget_runs_before() {
  if (options_.cold_start) {
    parts_.placement.forget_actions();
    services_.store.clear();
    parts_.popularity.forget();
    services_.catalog.policy_state().memory = nullptr;  // it describes stores that are empty now
  }
  spans_.clear();  // request ids restart
  parts_.drift.drop_assumptions();
  if (options_.cold_start) parts_.profiler.restore_first_curves();
  parts_.drift.forget_answers();
  parts_.recorder.counters().reset();
  parts_.profiler.recheck_curves();
  // Originals archived by earlier runs would change what can be placed at once: a cold frozen run starts without them.
  if (options_.frozen && options_.cold_start)
    for (std::size_t c = 0; c < services_.catalog.size(); ++c) services_.catalog.state(c).archived = false;
}

Json RunLifecycle::facts_of(const std::string& id, const Json& settings) const {
  const ModelRuntime& runtime = services_.runtime;
  Json facts{{"settings", settings},
             {"warmup", parts_.arrivals.warmup_requests()},
             {"cold_start", options_.cold_start},
             {"device", runtime.model->path_description()},
             {"prefill_chunk_tokens", runtime.chunk_tokens()},
             {"kv_bytes_per_token", runtime.model->kv_shape().bytes_per_token()}};
  if (options_.endless) facts["endless"] = true;
  if (options_.frozen) facts["frozen"] = true;
  facts.update(options_.facts);
  Json& environment = facts["environment"];
  environment["model"] = runtime.name;
  environment["model_digest"] = runtime.digest().hex();
  environment["workload"] = options_.workload;
  environment["workload_digest"] = options_.workload_digest.hex();
  environment["threads"] = compute_threads();
  environment["seed"] = options_.seed;
  environment["run_id"] = id;
  return facts;
}

void RunLifecycle::warn(const std::string& what, const Status& saved) {
  if (!saved) services_.events.publish(events::Message{"warning", what + " not saved: " + saved.error().message});
}

void RunLifecycle::finish(const std::string& outcome, const ProfileScope& scope) {
  services_.store.finish_writes(outcome != "finished");
  parts_.placement.take_failed_writes();
  warn("reference answers are", parts_.quality.save(scope));
  warn("request frequencies are", parts_.popularity.save());
  parts_.recorder.finish(outcome);
}

}  // namespace kvantage::inline engine
