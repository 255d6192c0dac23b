// Lives of a database on a recorded disk: what is stored through the program's own interfaces, in which order, between
// which changes of the disk, and what the database must hold after each step.
#pragma once

#include <QtGlobal>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiles/run_library.h"
#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/recorded_disk.h"

namespace kvantage::test {

inline const std::vector<std::string>& stored_results() {
  static const std::vector<std::string> names{"moves", "notes", "report"};
  return names;
}
inline const std::vector<std::string>& stored_keys() {
  static const std::vector<std::string> names{"after", "large", "prefill"};
  return names;
}
inline constexpr const char* stored_signature = "ssd /data ext4";

/// What a database holds, as this test knows it.
struct StoredContent {
  struct Run {
    RunSummary summary;
    std::vector<std::string> events;
    std::map<std::string, std::string> results;
  };
  std::vector<Run> runs;
  std::map<std::tuple<std::string, std::string, double>, std::string> cells;
  std::string fit;
  std::map<std::string, std::string> values;

  Run& run(const std::string& id) {
    for (Run& one : runs)
      if (one.summary.run_id == id) return one;
    qFatal("no run %s", id.c_str());
  }
  void save(const ProfileCell& cell) {
    const ProfilePoint& point = cell.point;
    std::string text = cell.context.hex() + " " + cell.family;
    for (const double number : {point.quality, point.quality_low, point.quality_high}) text += " " + exact(number);
    for (const double score : cell.scores) text += " " + exact(score);
    text += " " + std::to_string(point.n) + " " + std::to_string(point.bytes) + " " + std::to_string(point.kept_tokens);
    cells[{cell.context_id, point.method, point.removed_fraction}] = text;
  }
  void save(const ProfileStore::TierFit& saved) {
    const TierModel& model = saved.model;
    fit = saved.signature + " " + std::to_string(saved.samples);
    for (const double number :
         {model.latency_seconds, model.bytes_per_second, model.decode_seconds_per_token, model.residual_seconds})
      fit += " " + exact(number);
  }
  std::string text() const {
    std::string all;
    for (const Run& one : runs) {
      const RunSummary& summary = one.summary;
      all += "run " + summary.run_id + " " + std::to_string(summary.started_utc_ns) + " " +
             std::to_string(summary.finished_utc_ns) + " " + summary.policy + " " + summary.outcome + " " +
             std::to_string(summary.requests) + " " + summary.settings.dump() + "\n";
      for (const std::string& event : one.events) all.append("  ").append(event).append("\n");
      for (const auto& [name, value] : one.results)
        all.append("  ").append(name).append(": ").append(value).append("\n");
    }
    for (const auto& [place, cell] : cells) {
      const auto& [context, method, removed] = place;
      all.append("cell ").append(context).append(" ").append(method).append(" ").append(exact(removed));
      all.append(": ").append(cell).append("\n");
    }
    all += "fit " + fit + "\n";
    for (const auto& [key, value] : values) all.append("value ").append(key).append(": ").append(value).append("\n");
    return all;
  }

 private:
  static std::string exact(double number) {
    char text[40];
    (void)std::snprintf(text, sizeof text, "%a", number);
    return text;
  }
};

/// All that `stores` returns of what lives store.
inline Expected<std::string> text_of(Stores& stores) {
  StoredContent content;
  KV_ASSIGN(auto runs, stores.runs().runs());
  for (RunSummary& summary : runs) {
    StoredContent::Run run;
    KV_ASSIGN(const auto events, stores.runs().events(summary.run_id, {}));
    for (const Event& event : events) run.events.push_back(to_json(event).dump());
    for (const std::string& name : stored_results()) {
      KV_ASSIGN(const auto value, stores.runs().load_result(summary.run_id, name));
      if (value) run.results[name] = value->dump();
    }
    run.summary = std::move(summary);
    content.runs.push_back(std::move(run));
  }
  KV_ASSIGN(const auto cells, stores.profiles().load_profiles(sample_scope()));
  for (const ProfileCell& cell : cells) content.save(cell);
  KV_ASSIGN(const auto fit, stores.profiles().load_tier_fit(stored_signature));
  if (fit) content.save(*fit);
  for (const std::string& key : stored_keys()) {
    KV_ASSIGN(const auto value, stores.profiles().load_value(key));
    if (value) content.values[key] = value->dump();
  }
  return content.text();
}

class DatabaseLife {
 public:
  struct Step {
    std::size_t begun = 0;                                               // changes of the disk before it
    std::size_t acknowledged = std::numeric_limits<std::size_t>::max();  // and before its success
    std::string text;                                                    // of the whole database after it
  };

  DatabaseLife(const RecordedDisk& disk, std::filesystem::path path) : disk_(disk), path_(std::move(path)) {}
  /// In the order in which they must take effect.
  const std::vector<Step>& steps() const { return steps_; }
  Stores& stores() { return *stores_; }

  void open() {
    auto opened = open_stores(path_, StoreAccess::read_write, clock_);
    if (!opened) qFatal("%s", opened.error().message.c_str());
    stores_ = std::move(*opened);
  }
  /// Writes what is queued.
  void close() {
    stores_.reset();
    library_.reset();
    acknowledge();
  }
  void begin_run(const std::string& id, const Json& settings) {
    StoredContent::Run run;
    run.summary = {id, begin(), 0, settings.value("policy", ""), "", 0, settings};
    running_ = id;
    content_.runs.push_back(run);
    done(stores_->runs().begin_run(id, settings));
    for (const Event& event : std::exchange(early_, {})) queued(event);
  }
  void append(const Event& event) {
    (void)begin();
    stores_->runs().append(event);
    if (running_.empty()) return early_.push_back(event);
    queued(event);
  }
  void flush() { succeeded(stores_->runs().flush()); }
  void finish_run(const std::string& id, const std::string& outcome) {
    RunSummary& summary = content_.run(id).summary;
    summary.finished_utc_ns = begin();
    summary.outcome = outcome;
    done(stores_->runs().finish_run(id, outcome));
  }
  void import_run(const std::string& id, const std::vector<Event>& events, const RunNotes& notes) {
    StoredContent::Run run;
    run.summary = {id, 5, 7, "lru", "finished", 0, Json{{"note", "from elsewhere"}}};
    const RunSummary summary = run.summary;
    for (const Event& event : events) add(run, event);
    run.results["notes"] = Json{{"text", notes.text}, {"tags", notes.tags}}.dump();
    content_.runs.push_back(run);
    (void)begin();
    done(stores_->import_run(summary, events, notes));
  }
  /// As the window does, beside whoever records.
  void remove_run(const std::string& id) {
    (void)begin();
    if (!library_) {
      auto opened = open_run_library(path_, clock_);
      if (!opened) qFatal("%s", opened.error().message.c_str());
      library_ = std::move(*opened);
    }
    std::erase_if(content_.runs, [&](const StoredContent::Run& run) { return run.summary.run_id == id; });
    done(library_->remove(id));
  }
  void save_result(const std::string& id, const std::string& name, const Json& value) {
    (void)begin();
    content_.run(id).results[name] = value.dump();
    done(stores_->runs().save_result(id, name, value));
  }
  void save_cells(const std::vector<ProfileCell>& cells) {
    (void)begin();
    for (const ProfileCell& cell : cells) content_.save(cell);
    done(stores_->profiles().save_profile(sample_scope(), cells));
  }
  void save_fit(const TierModel& model, int samples) {
    (void)begin();
    content_.save({stored_signature, model, samples});
    done(stores_->profiles().save_tier_fit({stored_signature, model, samples}));
  }
  void save_value(const std::string& key, const Json& value) {
    (void)begin();
    content_.values[key] = value.dump();
    done(stores_->profiles().save_value(key, value));
  }

 private:
  std::int64_t begin() {
    begun_ = disk_.changes();
    clock_->advance_seconds(1);
    return clock_->utc_ns();
  }
  static void add(StoredContent::Run& run, const Event& event) {
    run.events.push_back(to_json(event).dump());
    if (std::holds_alternative<events::RequestFinished>(event.payload)) ++run.summary.requests;
  }
  void queued(const Event& event) {
    add(content_.run(running_), event);
    steps_.push_back({.begun = begun_, .text = content_.text()});
  }
  void done(const Status& status) {
    steps_.push_back({.begun = begun_, .text = content_.text()});
    succeeded(status);
  }
  /// The writer makes changes in order, so one that is acknowledged speaks for those before it.
  void succeeded(const Status& status) {
    if (!status) qFatal("%s", status.error().message.c_str());
    acknowledge();
  }
  void acknowledge() {
    for (Step& step : steps_) step.acknowledged = std::min(step.acknowledged, disk_.changes());
  }

  const RecordedDisk& disk_;
  std::filesystem::path path_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::unique_ptr<Stores> stores_;
  std::unique_ptr<RunLibrary> library_;
  std::string running_;
  std::vector<Event> early_;
  StoredContent content_;
  std::size_t begun_ = 0;
  std::vector<Step> steps_{{.begun = 0, .acknowledged = 0, .text = StoredContent().text()}};
};

}  // namespace kvantage::test
