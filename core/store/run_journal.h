// The record of the run in progress, as parts that add to it see it.
#pragma once

#include <string>

namespace kvantage::inline store {

class RunJournal {
 public:
  virtual ~RunJournal() = default;
  virtual bool in_run() const = 0;
  /// Publishes all inputs of decisions, where more of them changed at once than other events report. Only during a run.
  virtual void publish_snapshot(const std::string& reason) = 0;
};

}  // namespace kvantage::inline store
