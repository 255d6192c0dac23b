// The ports to the database, kept in memory: what was saved is there to look at, and each function can be made to fail.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/stores.h"

namespace kvantage::test {

class MemoryProfileStore final : public ProfileStore {
 public:
  std::map<std::string, std::vector<ProfileCell>> profiles;  // by scope
  std::map<std::string, Json> values;
  std::set<std::string> broken;  // names of functions that fail
  int profiles_saved = 0;

  static std::string key_of(const ProfileScope& scope) {
    return scope.model.hex() + "/" + scope.workload.hex() + "/" + scope.quality_metric;
  }
  Expected<std::vector<ProfileCell>> load_profiles(const ProfileScope& scope) override {
    KV_TRY(works("load_profiles"));
    return profiles[key_of(scope)];
  }
  Status save_profile(const ProfileScope& scope, const std::vector<ProfileCell>& cells) override {
    KV_TRY(works("save_profile"));
    ++profiles_saved;
    auto& kept = profiles[key_of(scope)];
    kept.insert(kept.end(), cells.begin(), cells.end());
    return {};
  }
  Expected<std::optional<TierFit>> load_tier_fit(const std::string&) override { return std::nullopt; }
  Status save_tier_fit(const TierFit&) override { return {}; }
  Expected<std::optional<Json>> load_value(const std::string& key) override {
    KV_TRY(works("load_value"));
    const auto found = values.find(key);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  Status save_value(const std::string& key, const Json& value) override {
    KV_TRY(works("save_value"));
    values[key] = value;
    return {};
  }

 private:
  Status works(const std::string& function) const {
    if (broken.contains(function)) return fail(ErrorCode::io, function + ": the database is locked");
    return {};
  }
};

class MemoryRunStore final : public RunStore {
 public:
  struct Run {
    std::string id;
    Json settings;
    std::string outcome;
  };
  std::vector<Run> begun;
  std::vector<Event> appended;
  bool refuses = false;                              // to begin and to finish
  std::optional<Error> trouble;                      // reported once
  std::function<void()> on_begin;                    // before anything else is done
  std::function<void(const Event&)> on_append = {};  // likewise

  Status begin_run(const std::string& run_id, const Json& settings) override {
    if (on_begin) on_begin();
    if (refuses) return fail(ErrorCode::io, "the database is locked");
    begun.push_back({run_id, settings, {}});
    return {};
  }
  void append(const Event& event) override {
    if (on_append) on_append(event);
    appended.push_back(event);
  }
  Status flush() override { return {}; }
  std::optional<Error> take_trouble() override { return std::exchange(trouble, std::nullopt); }
  Status finish_run(const std::string&, const std::string& outcome) override {
    if (refuses) return fail(ErrorCode::io, "the database is locked");
    begun.back().outcome = outcome;
    return {};
  }
  Expected<std::vector<RunSummary>> runs() override { return std::vector<RunSummary>{}; }
  Expected<std::vector<Event>> events(const std::string&, const std::vector<std::string>&) override { return appended; }
  Status save_result(const std::string& run_id, const std::string& name, const Json& value) override {
    results[run_id + "/" + name] = value;
    return {};
  }
  Expected<std::optional<Json>> load_result(const std::string& run_id, const std::string& name) override {
    const auto found = results.find(run_id + "/" + name);
    return found == results.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, Json> results;
};

}  // namespace kvantage::test
