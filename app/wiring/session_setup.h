// Assembles a session: workload, settings, tiers, database, engine. The window, `run` and `profile` all start here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/wiring/remote_consent.h"
#include "core/engine/engine.h"
#include "profiles/stores.h"

namespace kvantage::inline wiring {

/// A recorded run to re-execute: its settings as the starting point, and its digests for comparison.
struct RepeatedRun {
  std::string run_id;
  SessionSettings settings;
  std::string model_digest, workload_digest;  // hexadecimal; empty: not recorded
  Json arrivals;                              // of its workload; null: not recorded
};

struct SessionOptions {
  std::filesystem::path model;     // Hugging Face folder
  std::filesystem::path workload;  // workload folder, text file or folder of texts; the session.json of a folder, if
                                   // any, gives the initial settings
                                   // of the session
  std::filesystem::path store;     // tier folders are below it; empty: the cache folder
  bool separate_store_if_busy = false;  // where another process has the store: one beside it, with a note
  std::function<void(const std::string& note)> on_separate_store = {};  // called then, on the engine's thread
  std::filesystem::path database;                                       // empty: inside the store
  std::vector<std::string> tiers;  // --tier texts (tiers/kinds/tier_text.h); empty: from session.json
  RemoteConsent remotes;
  std::optional<std::string> policy;
  std::optional<double> alpha;
  std::vector<std::string> methods;
  std::vector<std::string> added_methods = {};  // candidates besides those of the settings
  std::vector<double> removed_fractions;
  std::optional<double> requests_per_second;
  std::optional<std::uint64_t> request_limit;
  std::optional<int> max_batch, prefill_batch_tokens;
  std::optional<bool> reprofile;
  std::optional<std::string> compute_or_load;  // "auto" or "off"
  std::optional<std::string> decode_eviction;  // text form, "none" or "planned"
  std::optional<std::vector<std::string>> decode_options;
  std::optional<std::string> decode_offload;  // text form, or "none"
  std::optional<std::string> speculation;     // text form
  std::optional<std::string> products;        // ServingSettings
  bool attend_quantized = false;              // false: the session's setting
  std::optional<ReprofileRule> reprofile_when;
  std::optional<bool> assume_loss;        // QualitySettings
  std::optional<double> reprofile_share;  // QualitySettings
  std::optional<std::string> quality_metric;
  std::optional<QualityBound> quality_bound;
  std::optional<ProfileGridKind> profile_grid;
  std::optional<double> good_enough;     // share of the plan's utility at which racing ends
  bool whole_curves_by_default = false;  // full, whatever text and model, where nobody chooses a profile_grid
  std::uint64_t seed = 0;
  int threads = 0;
  Executor* executor = nullptr;  // of engine and tiers, must outlive the session; null: the system's
  bool gpu = false;              // compute passes on the first GPU (gpu_passes.h)
  std::uint64_t gpu_cache_bytes = std::uint64_t{4} << 30;  // for the KV caches of requests there
  /// Opens another device for passes; empty: open_gpu_passes().
  std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer& model)> open_device = {};
  bool leave_core = false;          // keep a core free for a window
  bool displayed = false;           // as in EngineConfig
  bool calibrate_runs = false;      // time a fixed load around each run; for sessions whose caller does not
  bool warm_every_context = false;  // request every context once before the counted requests
  bool cold_start = false;
  bool endless = false;
  bool leave_out_idle = false;        // as in EngineConfig
  Json environment = Json::object();  // recorded with each run: command line, commit, hardware
  // The user's last settings for this workload: they override session.json and are overridden by everything given here.
  // Of its tiers only budgets and throttles apply, and only for tiers that still exist.
  std::optional<SessionSettings> last;
  std::optional<RepeatedRun> repeats;  // its settings replace session.json; another model or workload is rejected
  // Fields of session.json that a serving system's file sets (core/imported/serving): they replace those of the
  // workload's and of `last`, and everything given here overrides them. Null: no such file.
  Json imported_settings = nullptr;
  std::filesystem::path imported_from = {};  // that file, for messages
  bool frozen = false;                       // as in EngineConfig
  std::optional<events::SnapshotTaken> frozen_costs;
  std::string group;                            // shared by the runs of one command
  std::optional<std::string> prompt_form = {};  // instead of the model's chat template (core/text/chat)
  int max_model_len = 0;                        // LoadOptions
  std::size_t context_tokens = 0;               // maximum length of own-text contexts; 0: half of the model's positions
  std::size_t profile_questions = 0;            // per context, the first ones: the questions of its profile; 0: all
  std::size_t probes = 8;                       // generated per context and split where there are no questions
};

/// Members in order of required lifetime.
struct LiveSession {
  std::filesystem::path database;
  std::unique_ptr<Stores> stores;
  std::unique_ptr<Engine> engine;
  std::vector<std::string> notes;       // on the conversion of the given texts, one sentence each
  std::uint64_t warmup_requests = 0;    // served first and not counted
  std::uint64_t workload_requests = 0;  // per run without a limit
  bool own_text_defaults = false;       // own texts, for which nobody has chosen settings yet
};

/// Checks everything possible before the model loads; the engine then loads on its own thread. usage or rejected_input
/// errors name the problem, including a server in a file without consent.
Expected<LiveSession> open_session(const SessionOptions& options, std::vector<EventSink*> sinks);

/// Whether open_session would get as far as loading the model: checks workload, settings and tiers.
Status check_openable(const SessionOptions& options);

/// The same including its model: reads configuration and tokenizer, but not weights.
Status check_loadable(const SessionOptions& options);

/// Servers in the session's files without consent: ask before open_session.
std::vector<std::string> remotes_to_ask(const SessionOptions& options);

/// Settings of a workload's session.json, overridden by the options.
Expected<SessionSettings> session_settings(const SessionOptions& options);

}  // namespace kvantage::inline wiring
