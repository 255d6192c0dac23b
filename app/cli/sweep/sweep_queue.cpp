#include "app/cli/sweep/sweep_queue.h"

namespace kvantage::cli {

Json failure_of(const SweepCell& cell, const std::string& worker, const std::string& why) {
  return {{"failed", why},
          {"worker", worker},
          {"attempts", SweepQueue::max_attempts},
          {"cell", Json::parse(dump_json(to_json(cell)))}};
}

}  // namespace kvantage::cli
