#include "core/sweep/sweep_results.h"

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/names.h"

namespace kvantage::inline sweep {

namespace fs = std::filesystem;

namespace {

Status check_run_id(const Json& result, const std::string& id) {
  if (!result.is_object() || !result.contains("run_id") || !result["run_id"].is_string()) return {};
  return check_name(result["run_id"].get<std::string>(), "result of cell " + id + ": run_id");
}

}  // namespace

Expected<SweepResults> SweepResults::open(const fs::path& folder, SweepPlan& plan, bool resume) {
  std::error_code error;
  const fs::path file = folder / "plan.json";
  if (fs::exists(file, error)) {
    if (!resume)
      return fail(ErrorCode::rejected_input,
                  folder.string() + ": holds a sweep; resume it with --resume, or give another --out");
    KV_ASSIGN(const auto json, read_json_file(file));
    KV_ASSIGN(const auto there, sweep_plan_from_json(json, file.string()));
    KV_TRY(check_same_sweep(there, plan, folder.string()));
    if (!there.group.empty()) plan.group = there.group;
  }
  KV_TRY(make_writable_folder(folder / "cells"));
  SweepResults results = look(folder, plan);
  // A sweep may gain cells.
  KV_TRY(write_text_file(file, dump_json(to_json(plan), 1) + "\n"));
  return results;
}

SweepResults SweepResults::look(const fs::path& folder, const SweepPlan& plan) {
  SweepResults results(folder);
  std::set<std::string> ids;
  const CellIds cell_ids(plan);
  for (const SweepCell& cell : plan.cells) ids.insert(cell_ids.of(cell));
  std::error_code ignored;
  for (const fs::path& entry : entries_of(folder / "cells", ignored)) {
    if (entry.extension() != ".json") continue;
    const std::string id = entry.stem().string();
    if (ids.contains(id)) results.held_.insert(id);
  }
  return results;
}

Expected<bool> SweepResults::add(const std::string& id, const Json& result) {
  if (held_.contains(id)) return false;
  KV_TRY(check_run_id(result, id));
  KV_TRY(write_text_file(file_of(id), dump_json(result, 1) + "\n"));
  held_.insert(id);
  return true;
}

Expected<std::map<std::string, Json>> SweepResults::read() const {
  constexpr std::uint64_t max_result_bytes = std::uint64_t{1} << 20;
  std::map<std::string, Json> all;
  JsonBudget budget;
  for (const std::string& id : held_) {
    const std::string name = file_of(id).string();
    KV_ASSIGN(const auto text, read_text_file(name, max_result_bytes));
    KV_TRY(budget.take(text, name));
    KV_ASSIGN(auto json, parse_json(text, name));
    KV_TRY(check_run_id(json, id));
    all[id] = std::move(json);
  }
  return all;
}

}  // namespace kvantage::inline sweep
