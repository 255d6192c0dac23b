// Puts a session together: workload, settings, tiers, database, engine. The window, `run` and `profile` all start here.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/wiring/remote_consent.h"
#include "core/engine/engine.h"
#include "profiles/stores.h"

namespace kvantage {

/// A recorded run that is made again: what it was made with, to start from and to hold the present against.
struct RepeatedRun {
  std::string run_id;
  SessionSettings settings;
  std::string model_digest, workload_digest;  // hexadecimal; empty: not recorded
  Json arrivals;                              // of its workload; null: not recorded
};

struct SessionOptions {
  std::filesystem::path model;     // Hugging Face folder
  std::filesystem::path workload;  // workload folder, text file or folder of texts; the session.json of a folder, if
                                   // any, gives the settings to start with
  std::filesystem::path store;     // tiers in folders live below it; empty: the cache folder
  std::filesystem::path database;  // empty: inside the store
  std::vector<std::string> tiers;  // as after --tier (tiers/kinds/tier_text.h); empty: as in session.json
  RemoteConsent remotes;
  std::optional<std::string> policy;
  std::optional<double> alpha;
  std::vector<std::string> methods;
  std::vector<double> removed_fractions;
  std::optional<double> requests_per_second;
  std::optional<std::uint64_t> request_limit;
  std::optional<int> max_batch;
  std::optional<bool> reprofile;
  std::optional<std::string> compute_or_load;  // "auto" or "off"
  bool attend_coded = false;                   // else as the session says
  std::optional<double> reprofile_threshold;
  std::optional<std::string> quality_metric;
  std::uint64_t seed = 0;
  int threads = 0;
  Executor* executor = nullptr;  // of engine and tiers, outlives the session; null: the machine's
  bool gpu = false;              // passes are computed on the first GPU (gpu_passes.h)
  std::uint64_t gpu_cache_bytes = std::uint64_t{4} << 30;  // for the KV caches of requests there
  /// Opens another device for them; empty: open_gpu_passes().
  std::function<Expected<std::shared_ptr<ModelDevice>>(const Transformer& model)> open_device = {};
  bool leave_core = false;          // to a window
  bool warm_every_context = false;  // ask every context once before the requests that count
  bool cold_start = false;
  bool endless = false;
  Json environment = Json::object();  // recorded with each run: command line, commit, hardware
  // What a user had set when this workload was served last: over session.json, below everything that is given here. Of
  // its tiers only budgets and shapes count, and only of those that there still are.
  std::optional<SessionSettings> last;
  std::optional<RepeatedRun> repeats;  // its settings stand in for session.json; another model or workload is refused
  bool frozen = false;                 // as in EngineConfig
  std::optional<events::SnapshotTaken> frozen_costs;
  std::string group;                  // runs of one command belong together
  std::size_t context_tokens = 0;     // longest context of own texts; 0: half of the model's positions
  std::size_t profile_questions = 0;  // of each context, the first ones: what its curve is measured on; 0: all
  std::size_t probes = 8;             // questions made per context and split where there are none
};

/// Members in the order in which they must outlive each other.
struct LiveSession {
  std::filesystem::path database;
  std::unique_ptr<Stores> stores;
  std::unique_ptr<Engine> engine;
  std::vector<std::string> notes;       // what was made of the texts that were given, a sentence each
  std::uint64_t warmup_requests = 0;    // that come first and do not count
  std::uint64_t workload_requests = 0;  // of a run without a limit
};

/// Reads and checks everything that can be checked before the model loads; the engine then loads on its own thread.
/// usage or rejected_input errors name what is wrong: also a server that a file names and nobody allowed.
Expected<LiveSession> open_session(const SessionOptions& options, std::vector<EventSink*> sinks);

/// Whether open_session would get as far as loading the model: workload, settings and tiers are read and checked.
Status check_openable(const SessionOptions& options);

/// The same of its model, too: configuration and tokenizer are read, weights are not.
Status check_loadable(const SessionOptions& options);

/// Servers that the session's files name and that are not allowed: to be asked for before open_session.
std::vector<std::string> remotes_to_ask(const SessionOptions& options);

/// Settings of a workload's session.json with the options' own values over them.
Expected<SessionSettings> session_settings(const SessionOptions& options);

/// As `--version` prints it: version and commit, and whether the tree differed from it.
std::string program_version();

/// Commit, hardware, threads: what a report says of where it ran.
Json environment_of_this_machine();

}  // namespace kvantage
