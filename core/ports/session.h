// The control interface of a running engine, for the window, tests and the command line. Thread-safe and non-blocking:
// commands are posted, answers come as events, and the latest state is a shared immutable snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/policy/types.h"
#include "core/ports/events.h"
#include "core/ports/pool_report.h"
#include "core/ports/reprofile_rule.h"
#include "core/ports/serving_settings.h"
#include "core/ports/tier_config.h"
#include "core/ports/tier_report.h"

namespace kvantage::inline ports {

enum class RunState : std::uint8_t { loading, ready, running, paused, finished, failed, closed };
const char* to_string(RunState state);

/// What a policy decides by.
struct PlanSettings {
  std::string policy = "evicpress";
  double alpha = 1;                  // seconds per unit of quality
  std::vector<std::string> methods;  // candidates, text forms
  std::vector<double> removed_fractions;
  QualityBound quality_bound = QualityBound::mean;  // what plans take of a measured quality and its interval
  bool operator==(const PlanSettings&) const = default;
};

/// How curves are measured: every cell on every profile question, or anytime (docs/profiling.md): a coarse curve of
/// every context first, then the cells that can matter to a plan.
enum class ProfileGridKind : std::uint8_t { full, racing };

struct QualitySettings {
  std::string quality_metric = "token_f1";
  bool reprofile = true;  // re-profile a context on the questions it is asked when its quality falls short
  ReprofileRule reprofile_when = {};
  bool assume_loss = true;  // until then, its compressed forms are assumed to have lost what its answers lost
  // Maximum share of the engine's busy time; 0: never, 1: no limit. Above 0, a frozen run has no limit.
  double reprofile_share = 0.05;
  ProfileGridKind profile_grid = ProfileGridKind::full;
  double good_enough = 0.01;  // racing ends where measuring more could raise the plan's utility by no more than this
                              // share of it
  bool operator==(const QualitySettings&) const = default;
};

/// Everything a user can change while requests run. A value type, so undo means applying the previous value.
struct SessionSettings : PlanSettings, ServingSettings, QualitySettings {
  std::vector<TierConfig> tiers;  // fastest first; the last one may be unlimited
  /// For originals, unlimited: on that server with a url, else a folder of the store.
  TierConfig archive{.name = std::string(archive_name)};
  bool operator==(const SessionSettings&) const = default;
};
/// Limits of its lists: each tier has threads of its own, and each method is profiled at each removed fraction.
inline constexpr std::size_t max_tiers = 32, max_methods = 256, max_removed_fractions = 256, max_decode_options = 64;
Json to_json(const SessionSettings& settings);
/// A tier as serialized within the settings.
Json to_json(const TierConfig& config);
Expected<SessionSettings> session_settings_from_json(const Json& json, const std::string& name);
/// usage error naming the field of an invalid value (negative alpha, unknown policy or method, ...).
Status validate(const SessionSettings& settings);

struct SessionInfo {
  std::string model_name, workload_name, run_id;
  int layers = 0, kv_heads = 0, head_dim = 0;
  std::uint64_t parameters = 0;
  std::string device;  // "CPU, AVX-512 bf16, 2 threads"
  std::size_t contexts = 0, questions = 0;
  std::string split_refusal = {};  // why decode_offload cannot split on this model, with the sizes; empty: it can
  std::string layer_inputs_refusal = {};  // why entries cannot hold layer inputs; empty: they can
  std::string model_note = {};            // what a ranking of methods on this model must say; empty: nothing
};

/// Of anytime profiling.
struct ProfilingGauge {
  std::uint64_t answers = 0, full_answers = 0;  // asked so far; of the full grid
  std::uint64_t answers_left = 0;               // before has_coarse until then, and then estimated until nothing
                                                // worth it is left
  double seconds_left = -1;                     // the same at the pace of the latest batches; below 0: no pace yet
  double may_rise = 1;    // more measuring could raise the utility of the plan by this share of it (95 %)
  double half_width = 0;  // median over cells of half of the 95 % interval
  bool has_coarse = false, is_good_enough = false;
};

/// Whether Session::profile_all() is in progress, and whether requests are served meanwhile or paused.
enum class ProfilingAll : std::uint8_t { no, alone, beside_a_run };

struct SessionGauges {
  std::optional<ModelDeviceGauges> model_device;  // of the device that computes the model; nothing where the CPU does
  std::optional<PoolReport> pool;                 // of KV blocks; nothing before `ready`, and for recorded runs
  std::optional<ProfilingGauge> profiling = {};   // nothing where whole curves are measured
  ProfilingAll profiling_all = ProfilingAll::no;
};

class Session {
 public:
  virtual ~Session() = default;
  virtual RunState state() const = 0;
  virtual SessionInfo info() const = 0;

  virtual void start() = 0;
  virtual void pause() = 0;
  /// Serves one request, then pauses.
  virtual void step() = 0;
  /// Ends the run; the request in flight is canceled at its next layer.
  virtual void stop() = 0;
  /// Profiles every context without a complete profile, or until it is good enough; progress as events. While no run is
  /// in progress the state is `running`, then `ready` again. Nothing where nothing can be measured.
  virtual void profile_all() {}
  /// Ends profile_all(), not the run; what is measured is kept.
  virtual void stop_profiling() {}
  /// Validates and posts new settings; they take effect between requests, placements follow. Error: nothing changed.
  virtual Status apply(const SessionSettings& settings) = 0;
  virtual SessionSettings settings() const = 0;

  /// The engine's latest state: profiles, placements, frequencies, fitted models. Never null after `ready`.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
  /// Counters and fits of the tiers, in settings order and as recent as snapshot(). May be null.
  virtual std::shared_ptr<const std::vector<TierReport>> tier_reports() const { return nullptr; }
  /// As recent as snapshot().
  virtual SessionGauges gauges() const { return {}; }
  /// Takes up to `limit` events for display, oldest first. TokenEmitted, TierOccupancy and Progress may have been
  /// coalesced; all others arrive.
  virtual std::vector<Event> drain(std::size_t limit) = 0;
};

}  // namespace kvantage::inline ports
