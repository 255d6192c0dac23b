// Ports to the database: profiles and tier fits that outlive a run, and the record of runs. Implemented over SQLite in
// profiles/. Any thread may call them. One writer thread performs all writes: append() never waits for it; a function
// that returns a Status waits until its own change is committed. Reads always reflect earlier saves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/policy/types.h"
#include "core/ports/events.h"

namespace kvantage::inline ports {

/// The conditions a profile was measured under: profiles of another model, workload or metric are not used.
struct ProfileScope {
  Digest128 model;     // model, tokenizer, prompt form, longest answer
  Digest128 workload;  // digest of its texts and questions
  std::string quality_metric;
};

/// One cell of a quality curve, with every question's score so that intervals can be recomputed.
struct ProfileCell {
  Digest128 context;
  std::string context_id, family;
  ProfilePoint point;
  std::vector<double> scores;  // per profile question, in workload order
};

class ProfileStore {
 public:
  virtual ~ProfileStore() = default;
  virtual Expected<std::vector<ProfileCell>> load_profiles(const ProfileScope& scope) = 0;
  virtual Status save_profile(const ProfileScope& scope, const std::vector<ProfileCell>& cells) = 0;
  /// Fits by tier signature (name, path device, throttling, hardware), newest wins.
  struct TierFit {
    std::string signature;
    TierModel model;
    int samples = 0;
  };
  virtual Expected<std::optional<TierFit>> load_tier_fit(const std::string& signature) = 0;
  virtual Status save_tier_fit(const TierFit& fit) = 0;
  /// Small named values (prefill fit, reference answers) by scope; JSON.
  virtual Expected<std::optional<Json>> load_value(const std::string& key) = 0;
  virtual Status save_value(const std::string& key, const Json& value) = 0;
};

struct RunSummary {
  std::string run_id;
  std::int64_t started_utc_ns = 0, finished_utc_ns = 0;  // finished 0: still running or killed
  std::string policy, outcome;
  std::uint64_t requests = 0;
  Json settings;
};

class RunStore {
 public:
  virtual ~RunStore() = default;
  /// The run that append() writes to until the next begin_run. `settings` may contain the "policy" of RunSummary, at
  /// its top level or within "settings".
  virtual Status begin_run(const std::string& run_id, const Json& settings) = 0;
  /// Queues an event of the current run and returns immediately; written in order by the database writer, never
  /// dropped. Events before the first begin_run wait for it; events after finish_run still belong to the finished run.
  virtual void append(const Event& event) = 0;
  /// Everything appended so far is durable when this returns without error.
  virtual Status flush() = 0;
  virtual Status finish_run(const std::string& run_id, const std::string& outcome) = 0;
  /// What keeps appended events from lasting although nothing fails (a deleted file); reported once.
  virtual std::optional<Error> take_trouble() { return std::nullopt; }
  /// Oldest first. Where their settings take much memory, of all of them only `group` and `environment/workload`.
  virtual Expected<std::vector<RunSummary>> runs() = 0;
  /// With all of its settings. not_found for an unknown run.
  virtual Expected<RunSummary> run(const std::string& run_id) {
    KV_ASSIGN(auto all, runs());
    for (RunSummary& one : all)
      if (one.run_id == run_id) return std::move(one);
    return fail(ErrorCode::not_found, "no recorded run '" + run_id + "'; choose another run");
  }
  /// In the order of append(); only of these event types (names as in event_type()), all when `types` is empty.
  virtual Expected<std::vector<Event>> events(const std::string& run_id,
                                              const std::vector<std::string>& types = {}) = 0;
  /// Results of a run by name ("report"), replaced when saved again.
  virtual Status save_result(const std::string& run_id, const std::string& name, const Json& value) = 0;
  virtual Expected<std::optional<Json>> load_result(const std::string& run_id, const std::string& name) = 0;
};

}  // namespace kvantage::inline ports
