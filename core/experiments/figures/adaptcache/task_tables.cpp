#include "core/experiments/figures/adaptcache/task_tables.h"

#include <map>
#include <set>
#include <utility>

#include "core/experiments/figure_text.h"
#include "core/experiments/load_figures.h"
#include "core/text/quality.h"

namespace kvantage::inline adaptcache_figures {
namespace {

constexpr const char* papers_policy = "adaptcache(pool=paper)";

std::string metric_of(const std::string& family) {
  return metric_for_family(*find_quality_metric(by_task_metric), family).name;
}

std::string families_text(const TaskOutcomes& task) {
  std::string text;
  for (const std::string& family : task.families) text += (text.empty() ? "" : ", ") + family;
  return text;
}

FigureTable points_of(const std::vector<TaskOutcomes>& tasks) {
  FigureTable table{
      "By task, each by its own metric: TTFT (with queueing) against quality, 95 % intervals over contexts",
      {"metric", "families", "budget %", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high", "n",
       "quality by chance"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::scatter,
                          .x = "TTFT s",
                          .y = {"quality"},
                          .y_title = "quality, by the task's metric",
                          .by = {"metric", "policy", "budget %", "alpha s"}};
  for (const TaskOutcomes& task : tasks)
    for (const PolicyOutcome& outcome : task.outcomes) {
      std::vector<Json> row{task.metric, families_text(task), 100 * outcome.budget_fraction, outcome.policy,
                            alpha_of(outcome)};
      add_cells(row, mean_ttft_with_queue(outcome));
      add_cells(row, mean_quality(outcome));
      row.emplace_back(outcome.samples.size());
      row.push_back(chance_of(outcome));
      table.rows.push_back(std::move(row));
    }
  return table;
}

/// One task under one budget.
std::vector<Json> comparison_row(const TaskOutcomes& task, double budget) {
  const Outcomes ours = with_prefix(task.outcomes, papers_policy, budget),
                 fixed = with_prefix(task.outcomes, "fixed(", budget);
  const Speedups speed = speedups_at_equal_quality(ours, fixed, equal_quality);
  const Speedups rise = quality_rises_at_equal_ttft(ours, fixed, equal_ttft);
  std::vector<Json> row{task.metric, 100 * budget};
  add_comparison(row, speed, rise);
  return row;
}

FigureTable comparisons_of(const std::vector<TaskOutcomes>& tasks) {
  FigureTable table{"adaptcache against fixed configurations by task, TTFT with queueing, 95 % intervals over contexts",
                    comparison_columns({"metric", "budget %"}),
                    {}};
  table.plot = comparison_plot("metric", {"budget %"});
  for (const TaskOutcomes& task : tasks)
    for (const double budget : budgets_of(task.outcomes)) table.rows.push_back(comparison_row(task, budget));
  return table;
}

}  // namespace

std::vector<TaskOutcomes> tasks_of(const std::vector<PolicyOutcome>& outcomes) {
  std::map<std::string, std::set<std::string>> families;  // by metric
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples) families[metric_of(sample.family)].insert(sample.family);
  std::vector<TaskOutcomes> tasks;
  tasks.reserve(families.size());
  for (const auto& [metric, of_metric] : families) {
    TaskOutcomes& task = tasks.emplace_back(TaskOutcomes{metric, {of_metric.begin(), of_metric.end()}, outcomes});
    for (PolicyOutcome& outcome : task.outcomes)
      std::erase_if(outcome.samples, [&](const PolicySample& sample) { return !of_metric.contains(sample.family); });
  }
  return tasks;
}

void add_tasks(FigureResult& result, const std::vector<PolicyOutcome>& outcomes) {
  const auto tasks = tasks_of(timed_from_arrival(outcomes));
  if (tasks.size() < 2) return;
  result.tables.push_back(points_of(tasks));
  result.tables.push_back(comparisons_of(tasks));
  std::string text;
  for (const TaskOutcomes& task : tasks)
    text += (text.empty() ? "" : "; ") + task.metric + " scores " + families_text(task);
  result.findings.push_back("each task has its own metric, from the answers of the same runs: " + text);
}

}  // namespace kvantage::inline adaptcache_figures
