// Results of a sweep in a folder: one file a cell, named by the cell's id, written whole or not at all, and never
// twice. The plan lies beside them, so that a sweep goes on only with itself.
#pragma once

#include <filesystem>
#include <map>
#include <set>

#include "core/sweep/sweep_plan.h"

namespace kvantage {

class SweepResults {
 public:
  /// Makes the folder, or takes one of the same plan up, whose group of runs `plan` then has. rejected_input when it
  /// holds another sweep (another model, workload, ...), or, without `resume`, any.
  static Expected<SweepResults> open(const std::filesystem::path& folder, SweepPlan& plan, bool resume);

  bool holds(const std::string& id) const { return held_.contains(id); }
  std::size_t size() const { return held_.size(); }
  /// False when the cell had a result already, which stays.
  Expected<bool> add(const std::string& id, const Json& result);
  /// All of them, by id.
  Expected<std::map<std::string, Json>> read() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit SweepResults(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& id) const { return folder_ / "cells" / (id + ".json"); }

  std::filesystem::path folder_;
  std::set<std::string> held_;
};

}  // namespace kvantage
