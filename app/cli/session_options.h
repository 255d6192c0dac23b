// Options shared by `run` and `profile`: model, workload, tiers, candidates, store, database.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/request_counter.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/wiring/session_setup.h"
#include "core/base/form_text.h"

namespace kvantage::cli {

struct SessionArguments {
  SessionOptions options;
  std::optional<std::string> methods;            // comma-separated text forms; absent: the workload's
  std::optional<std::string> removed_fractions;  // comma-separated numbers; absent: the workload's
  std::optional<std::string> decode_options;     // comma-separated text forms; absent: the workload's
  std::optional<std::string> quality_bound;      // "mean" or "lower"; absent: the session's
  std::optional<std::string> gpu_cache;          // bytes
  bool json = false, quiet = false;
};

/// Declares the shared options on a subcommand.
void add_session_options(CLI::App& command, SessionArguments& arguments);
/// After parsing: splits lists, fills in the environment. usage error for an invalid list.
Status finish_session_options(SessionArguments& arguments);

/// Of --removed: "0.2,0.5". usage error for one that is not from 0 to below 1.
Expected<std::vector<double>> removed_fractions_of(const std::string& text);

/// Where a session of these options records its runs.
std::filesystem::path database_of(const SessionOptions& options);

/// Prints one line to stderr and returns the exit code: 2 usage, 3 rejected input, 130 interrupted, 1 otherwise.
int report_error(const Error& error);
/// Prints the notes on own texts to stderr.
void say_notes(const LiveSession& session, bool quiet);

/// Shows loading, profiling and serving on a terminal as a progress line, and always warnings and errors. The caller
/// reports why loading failed.
class ConsoleSink final : public RequestCounter {
 public:
  /// `quiet`: warnings and errors alone. `progress` false: the caller has a progress line of its own.
  explicit ConsoleSink(bool quiet, bool progress = true) : quiet_(quiet), progress_(progress && !quiet) {}
  void publish(const Event& event) override;
  /// Errors shown so far.
  int errors() const { return errors_; }

 private:
  void show(const std::string& what, std::uint64_t done, std::uint64_t total, const std::string& pace = {});
  const bool quiet_, progress_;
  bool loaded_ = false;
  std::atomic<int> errors_ = 0;
  std::string begun_;  // not shown yet: if it fails immediately, only its error is shown
};

}  // namespace kvantage::cli
