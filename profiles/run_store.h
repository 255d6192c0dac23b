// Runs, their journal and their results in the database.
#pragma once

#include "core/ports/run_library.h"
#include "profiles/connections.h"
#include "profiles/run_owner.h"
#include "profiles/stores.h"

namespace kvantage::inline profiles {

class SqliteRunStore final : public RunStore {
 public:
  explicit SqliteRunStore(Connections& connections) : connections_(connections), owner_(connections.name()) {}

  /// As Stores::import_run, with progress in events; rolled back when aborted.
  Status import(const RunSummary& summary, const std::vector<Event>& events, const RunNotes& notes,
                const ShouldContinue& should_continue = {});
  /// As Stores::import_run, of a file, with progress in bytes.
  Expected<Stores::ImportedRun> import(const std::filesystem::path& file, const ShouldContinue& should_continue = {});
  /// As events(), with progress.
  Expected<std::vector<Event>> watched_events(const std::string& run_id, const std::vector<std::string>& types,
                                              const ShouldContinue& should_continue);
  Status begin_run(const std::string& run_id, const Json& settings) override;
  void append(const Event& event) override;
  Status flush() override;
  std::optional<Error> take_trouble() override;
  Status finish_run(const std::string& run_id, const std::string& outcome) override;
  Expected<std::vector<RunSummary>> runs() override;
  Expected<RunSummary> run(const std::string& run_id) override;
  Expected<std::vector<Event>> events(const std::string& run_id, const std::vector<std::string>& types) override;
  Status save_result(const std::string& run_id, const std::string& name, const Json& value) override;
  Expected<std::optional<Json>> load_result(const std::string& run_id, const std::string& name) override;

 private:
  Connections& connections_;
  RunOwner owner_;
  std::mutex mutex_;
  std::int64_t current_run_ = 0;  // row; 0: none yet
  std::vector<Event> early_;      // appended before the first run
};

}  // namespace kvantage::inline profiles
