// What a window (or a test, or the command line) may ask of a running engine. Thread-safe; nothing here waits for the
// engine: commands are posted, answers come as events, the latest state is a shared immutable snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/policy/types.h"
#include "core/ports/events.h"
#include "core/ports/tier_config.h"
#include "core/ports/tier_report.h"

namespace kvantage {

enum class RunState : std::uint8_t { loading, ready, running, paused, finished, failed, closed };
const char* to_string(RunState state);

/// Everything a user can move while requests run. Whole values, so that undo is "apply the one before".
struct SessionSettings {
  std::string policy = "evicpress";
  double alpha = 1;               // seconds per unit of quality
  std::vector<TierConfig> tiers;  // fastest first; the last one may be unlimited
  /// Of originals, unlimited: with a url on that server, else a folder of the store.
  TierConfig archive{.name = std::string(archive_name)};
  std::vector<std::string> methods;  // candidates, text forms
  std::vector<double> removed_fractions;
  double requests_per_second = 0;  // 0 = as fast as they can be served, one after the other
  double reprofile_threshold = 0.3;
  std::string quality_metric = "token_f1";
  std::uint64_t request_limit = 0;  // 0 = the whole workload, again and again in the window
  int max_batch = 1;                // requests under way at most; fewer than that is idle, and then profiling goes on
  bool reprofile = true;            // measure a context anew on the questions it is asked when its quality falls short
  // "auto": the front of a stored context is computed while its back is read, where the fits say that this is sooner;
  // "off": never.
  std::string compute_or_load = "auto";
  bool attend_coded =
      false;  // loaded caches whose codec reads ranges (KIVI) stay coded: less memory, each pass decodes them anew
  bool operator==(const SessionSettings&) const = default;
};
Json to_json(const SessionSettings& settings);
/// A tier as it is among these.
Json to_json(const TierConfig& config);
Expected<SessionSettings> session_settings_from_json(const Json& json, const std::string& name);
/// usage error naming the field when a value makes no sense (negative alpha, unknown policy or method, ...).
Status validate(const SessionSettings& settings);

inline constexpr int most_batch = 64;

struct SessionInfo {
  std::string model_name, workload_name, run_id;
  int layers = 0, kv_heads = 0, head_dim = 0;
  std::uint64_t parameters = 0;
  std::string device;  // "CPU, AVX-512 bf16, 2 threads"
  std::size_t contexts = 0, questions = 0;
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
  /// Ends the run; the request under way is cancelled at its next layer.
  virtual void stop() = 0;
  /// Checks and posts new settings; takes effect between requests, placements follow. Error: nothing changed.
  virtual Status apply(const SessionSettings& settings) = 0;
  virtual SessionSettings settings() const = 0;

  /// The engine's latest state: profiles, placements, frequencies, fitted models. Never null after `ready`.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
  /// Counters and fits of the tiers, in the order of the settings and as old as snapshot(). May be null.
  virtual std::shared_ptr<const std::vector<TierReport>> tier_reports() const { return nullptr; }
  /// Of the device that computes the model, as old as snapshot(). Nothing where the processor does.
  virtual std::optional<ModelDeviceGauges> model_device() const { return std::nullopt; }
  /// Takes up to `limit` events for display, oldest first. TokenEmitted, TierOccupancy and Progress may have been
  /// coalesced; all others arrive.
  virtual std::vector<Event> drain(std::size_t limit) = 0;
};

}  // namespace kvantage
