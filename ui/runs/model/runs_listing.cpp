#include "ui/runs/model/runs_listing.h"

#include <algorithm>

#include "ui/runs/model/runs_row.h"

namespace kvantage {
namespace {

std::unique_ptr<RunsModel::Row> row_of(ListedRun run, const QString& present_run) {
  auto row = std::make_unique<RunsModel::Row>();
  row->run = std::move(run);
  read_settings(*row);
  if (auto metrics = RunMetrics::from_json(row->run.metrics); metrics && row->ended()) {
    row->metrics = std::move(metrics->first);
    row->place = metrics->second;
    row->counted_requests = row->run.summary.requests;
    row->moves = run_moves_from_json(row->run.metrics.value(moves_field, Json()));  // older runs have none: read again
  }
  row->run.metrics = Json();
  show_row(*row, present_run);
  return row;
}

}  // namespace

RunsListing::Told RunsListing::told_of(const ListedRun& run) {
  return {run.summary.requests, 0, run.summary.finished_utc_ns, run.summary.outcome, run.notes, false};
}

Expected<RunsListed> RunsListing::read(const QString& present_run) {
  KV_ASSIGN(auto runs, library_->list(last_row_));
  RunsListed listed;
  // Another run may have taken the place of a deleted one: then everything is read again.
  const auto unknown = [this](const ListedRun& run) {
    return run.summary.settings.is_null() && !told_.contains(run.summary.run_id);
  };
  if (last_row_ > 0 && std::ranges::any_of(runs, unknown)) {
    told_.clear();
    last_row_ = 0;
    KV_ASSIGN(runs, library_->list(0));
    listed.complete = true;
  }
  ++readings_;
  for (ListedRun& run : runs) {
    const auto [found, added] = told_.try_emplace(run.summary.run_id);
    Told& told = found->second;
    const bool same = !added && !told.doubted && told.requests == run.summary.requests &&
                      told.finished_utc_ns == run.summary.finished_utc_ns && told.outcome == run.summary.outcome &&
                      told.notes == run.notes;
    if (!same) told = told_of(run);
    told.reading = readings_;
    if (added)
      listed.added.push_back(row_of(std::move(run), present_run));
    else if (!same)
      listed.changed.push_back(std::move(run));
  }
  std::erase_if(told_, [&](const auto& each) {
    if (each.second.reading == readings_) return false;
    listed.gone.push_back(each.first);
    return true;
  });
  last_row_ = 0;
  if (!runs.empty()) last_row_ = std::ranges::max(runs, {}, &ListedRun::row).row;
  return listed;
}

void RunsListing::doubt(const std::string& run_id) {
  if (const auto found = told_.find(run_id); found != told_.end()) found->second.doubted = true;
}

}  // namespace kvantage
