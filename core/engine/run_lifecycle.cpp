#include "core/engine/run_lifecycle.h"

#include <utility>

#include "core/model/transformer.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline engine {

void RunLifecycle::begin(const RunSettings& settings) {
  id_ = new_run_id(services_.clock.utc_ns());
  // Each run reseeds its faults; none is injected while its tiers are cleared.
  parts_.inject_all_faults(settings.tiers, false);
  forget_runs_before();
  parts_.begin_requests(options_.cold_start);
  // A run that is stopped meanwhile keeps the costs it has.
  if (options_.time_each_run && !options_.frozen) (void)parts_.time_model();
  if (options_.calibration != nullptr) options_.calibration->before_run();
  parts_.begin_arrivals(settings.request_limit, settings.requests_per_second);
  parts_.inject_all_faults(settings.tiers, true);
  parts_.start_arrival_clock();
  parts_.open_record(id_, facts_of(id_, settings.recorded));
  published_.set_run_id(id_);  // visible only once the store has the run
  parts_.begin_record();
  parts_.dispatch_event({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
}

void RunLifecycle::forget_runs_before() {
  if (options_.cold_start) {
    parts_.forget_actions();
    services_.store.clear();
    parts_.forget_popularity();
    services_.catalog.policy_state().memory = nullptr;  // it describes stores that are empty now
  }
  spans_.clear();  // request ids restart
  parts_.drop_drift_assumptions();
  if (options_.cold_start) parts_.restore_first_curves();
  parts_.forget_answers();
  parts_.reset_counters();
  parts_.recheck_curves();
  // Originals archived by earlier runs would change what can be placed at once: a cold frozen run starts without them.
  if (options_.frozen && options_.cold_start)
    for (std::size_t c = 0; c < services_.catalog.size(); ++c) services_.catalog.residency(c).archived = false;
}

Json RunLifecycle::facts_of(const std::string& id, const Json& settings) const {
  const ModelRuntime& runtime = services_.runtime;
  Json facts{{"settings", settings},
             {"warmup", parts_.warmup_requests()},
             {"cold_start", options_.cold_start},
             {"device", runtime.model->path_description()},
             {"prefill_chunk_tokens", runtime.chunk_tokens()},
             {"kv_bytes_per_token", runtime.model->kv_shape().bytes_per_token()}};
  if (options_.endless) facts["endless"] = true;
  if (options_.frozen) facts["frozen"] = true;
  if (options_.leave_out_idle) facts["idle_time_left_out"] = true;
  facts.update(options_.facts);
  Json& environment = facts["environment"];
  environment["model"] = runtime.name;
  if (!runtime.note.empty()) environment["model_note"] = runtime.note;
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
  parts_.take_failed_writes();
  warn("reference answers are", parts_.save_references(scope));
  warn("request frequencies are", parts_.save_popularity());
  parts_.finish_record(outcome);
  // Who closes the session does not wait for it.
  if (options_.calibration == nullptr || outcome == "closed") return;
  warn("the calibration is", parts_.save_calibration(id_, options_.calibration->after_run()));
}

}  // namespace kvantage::inline engine
