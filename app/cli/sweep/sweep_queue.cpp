#include "app/cli/sweep/sweep_queue.h"

#include <algorithm>

namespace kvantage::cli {

Expected<std::set<std::string>> SweepQueue::forgettable(const std::set<std::string>& held) {
  KV_ASSIGN(const auto finished_ids, finished());
  std::set<std::string> ids;
  for (const std::string& id : finished_ids) {
    KV_ASSIGN(const auto found, result(id));
    if (found && found->is_object() && (found->contains("failed") || (found->contains("held") && !held.contains(id))))
      ids.insert(id);
  }
  return ids;
}

std::string failure_line(const std::string& worker, const std::string& why) {
  std::string line = worker + ": " + why;
  std::ranges::replace(line, '\n', ' ');
  return line;
}

Json failure_of(const SweepCell& cell, const std::string& worker, const std::string& why) {
  return {{"failed", why},
          {"worker", worker},
          {"attempts", SweepQueue::max_attempts},
          {"cell", Json::parse(dump_json(to_json(cell)))}};
}

}  // namespace kvantage::cli
