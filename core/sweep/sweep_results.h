// Results of a sweep in a folder: one file per cell, named by the cell's id, written atomically and never twice. The
// plan is stored with them, so that a sweep resumes only its own results.
#pragma once

#include <filesystem>
#include <map>
#include <set>

#include "core/sweep/sweep_plan.h"

namespace kvantage::inline sweep {

class SweepResults {
 public:
  /// Creates the folder, or resumes one of the same plan, whose run group `plan` then gets. rejected_input when it
  /// holds another sweep (another model, workload, ...), or, without `resume`, any.
  static Expected<SweepResults> open(const std::filesystem::path& folder, SweepPlan& plan, bool resume);

  /// Of a folder that is only read: those of the plan that are there; none where there is no such folder.
  static SweepResults look(const std::filesystem::path& folder, const SweepPlan& plan);

  bool holds(const std::string& id) const { return held_.contains(id); }
  const std::set<std::string>& ids() const { return held_; }
  std::size_t size() const { return held_.size(); }
  /// False when the cell already had a result, which is kept. rejected_input where its run has no valid name: results
  /// come from a server, and names become paths.
  Expected<bool> add(const std::string& id, const Json& result);
  /// All results, by id.
  Expected<std::map<std::string, Json>> read() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit SweepResults(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& id) const { return folder_ / "cells" / (id + ".json"); }

  std::filesystem::path folder_;
  std::set<std::string> held_;
};

}  // namespace kvantage::inline sweep
