#include "app/cli/base/recorded_runs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/files.h"
#include "core/ports/run_calibration.h"
#include "core/report/report_bounds.h"

namespace kvantage::cli {
namespace {

/// Of a run that has none, or something else: behind all others.
Expected<std::size_t> place_of(RunStore& store, const std::string& run_id) {
  KV_ASSIGN(const auto found, store.load_result(run_id, place_result));
  return found && found->is_number_unsigned() ? found->get<std::size_t>() : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::filesystem::path default_database() { return cache_directory() / "stores" / "kvantage.db"; }

Expected<std::vector<RunSummary>> find_runs(std::vector<RunSummary> runs, const std::string& word) {
  if (word == "last") return select_runs(std::move(runs), "");
  if (word.empty())
    return fail(ErrorCode::usage, "run: the name is empty; give a run, a unique prefix or suffix, or last");
  std::vector<std::size_t> begun, ended;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].run_id == word) return std::vector{std::move(runs[i])};
    if (runs[i].run_id.starts_with(word)) begun.push_back(i);
    if (runs[i].run_id.ends_with(word)) ended.push_back(i);
  }
  // Ids begin with their time: of runs of one day the ends differ.
  if (begun.empty()) begun = std::move(ended);
  if (begun.size() == 1) return std::vector{std::move(runs[begun.front()])};
  if (begun.empty()) return select_runs(std::move(runs), word);
  constexpr std::size_t listed = 5;
  std::string names;
  for (std::size_t i = begun.size() - std::min(begun.size(), listed); i < begun.size(); ++i)
    names += (names.empty() ? "" : ", ") + runs[begun[i]].run_id;
  return fail(ErrorCode::rejected_input, "run '" + word + "': " + std::to_string(begun.size()) +
                                             " runs match, the newest are " + names + "; give more of its id");
}

Expected<std::vector<RunSummary>> summaries_of(const std::filesystem::path& database) {
  KV_ASSIGN(const auto stores, open_stores(database, StoreAccess::read_only, machine_clock()));
  return stores->runs().runs();
}

Expected<std::vector<RecordedRun>> read_runs(const std::filesystem::path& database, const std::string& word,
                                             bool all_events) {
  KV_ASSIGN(const auto stores, open_stores(database, StoreAccess::read_only, machine_clock()));
  RunStore& store = stores->runs();
  KV_ASSIGN(auto all, store.runs());
  auto found = find_runs(std::move(all), word);
  if (!found) return fail(found.error().code, database.string() + ": " + found.error().message);
  if (found->size() > max_report_runs)
    return fail(ErrorCode::rejected_input, database.string() + ": " + word + " names " + std::to_string(found->size()) +
                                               " runs, more than the " + std::to_string(max_report_runs) +
                                               " that are shown; name fewer");
  std::vector<std::pair<std::size_t, RunSummary>> placed;
  placed.reserve(found->size());
  for (RunSummary& listed : *found) {
    KV_ASSIGN(const auto place, place_of(store, listed.run_id));
    placed.emplace_back(place, std::move(listed));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, RunSummary>::first);
  std::vector<RecordedRun> recorded;
  recorded.reserve(placed.size());
  for (const auto& [place, listed] : placed) {
    KV_ASSIGN(auto summary, store.run(listed.run_id));
    KV_ASSIGN(auto events, store.events(listed.run_id, all_events ? std::vector<std::string>{} : report_event_types()));
    KV_ASSIGN(auto calibration, read_calibration(store, listed.run_id));
    recorded.push_back({std::move(summary), std::move(events), std::move(calibration)});
  }
  if (const Status readable = check_report_bounds(recorded); !readable)
    return fail(readable.error().code, database.string() + ": " + readable.error().message);
  return recorded;
}

Expected<RecordedRun> read_own_run(RunStore& runs, const std::string& run_id) {
  KV_TRY(runs.flush());
  auto summary = runs.run(run_id);
  if (!summary && summary.error().code == ErrorCode::not_found)
    return fail(ErrorCode::internal, "run " + run_id + " was not recorded; see the messages above");
  if (!summary) return tl::unexpected(std::move(summary).error());
  KV_ASSIGN(auto journal, runs.events(run_id, report_event_types()));
  KV_ASSIGN(auto calibration, read_calibration(runs, run_id));
  return RecordedRun{*std::move(summary), std::move(journal), std::move(calibration)};
}

}  // namespace kvantage::cli
