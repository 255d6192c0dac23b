// AdaptCache's tasks apart: each is scored by a metric of its own (by_task_metric), all of them from the answers of the
// same runs.
#pragma once

#include <string>
#include <vector>

#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline adaptcache_figures {

/// Requests of the families that one metric scores.
struct TaskOutcomes {
  std::string metric;                   // "rouge_l@prefill"
  std::vector<std::string> families;    // in the order of their names
  std::vector<PolicyOutcome> outcomes;  // parallel to those of all tasks
};
/// In the order of the metrics' names. One task: all families have the same metric.
std::vector<TaskOutcomes> tasks_of(const std::vector<PolicyOutcome>& outcomes);

/// Adds a table of TTFT (with queueing) and quality of each task and policy, and one of adaptcache by the paper's rule
/// against fixed configurations on each task; nothing for a single task. Claims are about all tasks together.
void add_tasks(FigureResult& result, const std::vector<PolicyOutcome>& outcomes);

}  // namespace kvantage::inline adaptcache_figures
