#include "ui/experiments/experiment_store.h"

#include <QCoreApplication>
#include <QDir>
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/names.h"
#include "core/sweep/sweep_results.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ExperimentStoreText {
  Q_DECLARE_TR_FUNCTIONS(ExperimentStoreText)
};

constexpr int file_version = 1;
constexpr std::array<const char*, 6> state_names{"queued", "running", "paused", "canceled", "failed", "done"};

bool is_failure(const Json& result) { return result.is_object() && result.contains("failed"); }

std::filesystem::path path_of(const QString& folder) { return from_q(folder); }

/// Plan and results; failures as in `experiment`. Another program may have served cells.
Status read_cells(const std::filesystem::path& folder, Experiment& experiment) {
  const std::string file = (folder / "plan.json").string();
  KV_ASSIGN(const auto json, read_json_file(file));
  KV_ASSIGN(auto plan, sweep_plan_from_json(json, file));
  KV_ASSIGN(auto results, SweepResults::look(folder, plan).read());
  for (const auto& [cell, result] : experiment.results)
    if (is_failure(result)) results.try_emplace(cell, result);
  experiment.plan = std::move(plan);
  experiment.results = std::move(results);
  if (experiment.complete() && experiment.failed() == 0) experiment.state = ExperimentState::done;
  return {};
}

}  // namespace

QString experiment_state_text(ExperimentState state) {
  switch (state) {
    case ExperimentState::queued:
      return ExperimentStoreText::tr("queued");
    case ExperimentState::running:
      return ExperimentStoreText::tr("running");
    case ExperimentState::paused:
      return ExperimentStoreText::tr("paused");
    case ExperimentState::canceled:
      return ExperimentStoreText::tr("canceled");
    case ExperimentState::failed:
      return ExperimentStoreText::tr("failed");
    case ExperimentState::done:
      break;
  }
  return ExperimentStoreText::tr("done");
}

std::size_t Experiment::failed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(results, [](const auto& one) { return is_failure(one.second); }));
}

QString ExperimentStore::folder_of(const QString& id) const { return QDir(folder_).filePath(id); }

LoadedExperiments ExperimentStore::load() const {
  LoadedExperiments loaded;
  if (folder_.isEmpty()) return loaded;
  const QStringList ids = QDir(folder_).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
  loaded.experiments.reserve(static_cast<std::size_t>(ids.size()));
  for (const QString& id : ids) {
    auto one = read(id);
    if (one)
      loaded.experiments.push_back(*std::move(one));
    else
      loaded.problems.push_back(std::move(one).error());
  }
  std::ranges::stable_sort(loaded.experiments, {}, &Experiment::created);
  return loaded;
}

Expected<Experiment> ExperimentStore::read(const QString& id) const {
  const std::filesystem::path file = path_of(folder_of(id)) / "experiment.json";
  const std::string where = file.string();
  KV_ASSIGN(const auto json, read_json_file(file));
  KV_ASSIGN(const auto version, json_field<int>(json, "kvantage_experiment", where));
  if (version != file_version)
    return fail(
        ErrorCode::rejected_input,
        where + ": " +
            from_q(ExperimentStoreText::tr(
                       "has version %1, but this program reads version %2; open it with the program that saved it")
                       .arg(version)
                       .arg(file_version)));
  Experiment one;
  one.id = id;
  KV_ASSIGN(const auto name, json_field<std::string>(json, "name", where));
  KV_ASSIGN(const auto created, json_field<std::string>(json, "created", where));
  KV_ASSIGN(const auto state, json_field<std::string>(json, "state", where));
  KV_ASSIGN(const auto trouble, json_field_or<std::string>(json, "trouble", where, {}));
  one.name = to_q(name);
  one.created = QDateTime::fromString(to_q(created), Qt::ISODateWithMs);
  one.trouble = to_q(trouble);
  const auto known = std::ranges::find(state_names, state);
  one.state =
      known != state_names.end() ? static_cast<ExperimentState>(known - state_names.begin()) : ExperimentState::paused;
  if (one.state == ExperimentState::running) one.state = ExperimentState::paused;  // its window ended
  if (const auto failures = json.find("failures"); failures != json.end() && failures->is_object())
    for (const auto& [cell, failure] : failures->items())
      if (is_failure(failure)) one.results[cell] = failure;
  KV_TRY(read_cells(path_of(folder_of(id)), one));
  return one;
}

Expected<Experiment> ExperimentStore::add(const QString& name, const SweepPlan& plan, const QDateTime& now) const {
  if (folder_.isEmpty())
    return fail(
        ErrorCode::usage,
        from_q(ExperimentStoreText::tr("This window keeps no experiments. Use kvantage-cli sweep in a terminal.")));
  Experiment one;
  one.name = name.trimmed();
  one.created = now.toUTC();
  one.plan = plan;
  const QString begin = one.created.toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
  one.id = begin;
  for (int n = 2; QDir(folder_).exists(one.id); ++n) one.id = QStringLiteral("%1-%2").arg(begin).arg(n);
  const std::filesystem::path folder = path_of(folder_of(one.id));
  KV_TRY(make_writable_folder(folder));
  KV_TRY(write_text_file(folder / "plan.json", dump_json(to_json(plan), 1) + "\n"));
  KV_TRY(write_state(one));
  return one;
}

Status ExperimentStore::write_state(const Experiment& experiment) const {
  OrderedJson failures = OrderedJson::object();
  for (const auto& [cell, result] : experiment.results)
    if (is_failure(result)) failures[cell] = result;
  const OrderedJson json{{"kvantage_experiment", file_version},
                         {"name", from_q(experiment.name)},
                         {"created", from_q(experiment.created.toUTC().toString(Qt::ISODateWithMs))},
                         {"state", state_names[static_cast<std::size_t>(experiment.state)]},
                         {"trouble", from_q(experiment.trouble)},
                         {"failures", std::move(failures)}};
  return write_text_file(path_of(folder_of(experiment.id)) / "experiment.json", dump_json(json, 1) + "\n");
}

Status ExperimentStore::remove(const QString& id) const {
  KV_TRY(check_name(from_q(id), "experiment"));
  std::error_code error;
  std::filesystem::remove_all(path_of(folder_of(id)), error);
  if (error)
    return fail(ErrorCode::io, from_q(ExperimentStoreText::tr("%1 cannot be removed: %2. Remove it by hand.")
                                          .arg(folder_of(id), to_q(error.message()))));
  return {};
}

}  // namespace kvantage
