// Keeps what parts add to the record of a run.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_journal.h"

namespace kvantage::test {

struct RecordedJournal final : RunJournal {
  bool in_run() const override { return runs; }
  void publish_snapshot(const std::string& reason) override {
    if (runs) reasons.push_back(reason);
  }
  bool runs = false;
  std::vector<std::string> reasons;
};

}  // namespace kvantage::test
