#include "app/cli/base/recorded_runs.h"

#include <algorithm>

#include "core/base/files.h"

namespace kvantage::cli {

std::filesystem::path default_database() { return cache_directory() / "stores" / "kvantage.db"; }

Expected<std::vector<RunSummary>> find_runs(const std::vector<RunSummary>& runs, const std::string& word) {
  if (word == "last") return select_runs(runs, "");
  if (word.empty()) return fail(ErrorCode::usage, "run: the name is empty; give a run, a unique prefix, or last");
  std::vector<RunSummary> begun;
  for (const RunSummary& run : runs) {
    if (run.run_id == word) return std::vector{run};
    if (run.run_id.starts_with(word)) begun.push_back(run);
  }
  if (begun.size() == 1) return begun;
  if (begun.size() < 2) return select_runs(runs, word);
  constexpr std::size_t listed = 5;
  std::string names;
  for (std::size_t i = begun.size() - std::min(begun.size(), listed); i < begun.size(); ++i)
    names += (names.empty() ? "" : ", ") + begun[i].run_id;
  return fail(ErrorCode::rejected_input, "run '" + word + "': " + std::to_string(begun.size()) +
                                             " runs match, the newest are " + names + "; give a longer prefix");
}

Expected<std::vector<RunSummary>> summaries_of(const std::filesystem::path& database) {
  KV_ASSIGN(const auto stores, open_stores(database, StoreAccess::read_only, machine_clock()));
  return stores->runs().runs();
}

Expected<std::vector<RecordedRun>> read_runs(const std::filesystem::path& database, const std::string& word,
                                             bool all_events) {
  KV_ASSIGN(const auto stores, open_stores(database, StoreAccess::read_only, machine_clock()));
  RunStore& store = stores->runs();
  KV_ASSIGN(const auto all, store.runs());
  const auto found = find_runs(all, word);
  if (!found) return fail(found.error().code, database.string() + ": " + found.error().message);
  std::vector<RecordedRun> recorded;
  for (const RunSummary& summary : *found) {
    KV_ASSIGN(auto events,
              store.events(summary.run_id, all_events ? std::vector<std::string>{} : report_event_types()));
    recorded.push_back({summary, std::move(events)});
  }
  return recorded;
}

Expected<RecordedRun> read_own_run(RunStore& runs, const std::string& run_id) {
  KV_TRY(runs.flush());
  KV_ASSIGN(const auto summaries, runs.runs());
  for (const RunSummary& summary : summaries) {
    if (summary.run_id != run_id) continue;
    KV_ASSIGN(auto journal, runs.events(run_id, report_event_types()));
    return RecordedRun{summary, std::move(journal)};
  }
  return fail(ErrorCode::internal, "run " + run_id + " was not recorded; see the messages above");
}

}  // namespace kvantage::cli
