#include "ui/runs/model/runs_row.h"

#include <QCoreApplication>
#include <QDateTime>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct RunsRowText {
  Q_DECLARE_TR_FUNCTIONS(RunsRowText)
};

QString text_at(const Json& settings, const char* pointer) {
  const Json::json_pointer place(pointer);
  return settings.is_object() && settings.contains(place) && settings.at(place).is_string()
             ? to_q(settings.at(place).get<std::string>())
             : QString();
}

QString tags_text(const std::vector<std::string>& tags) {
  QStringList list;
  for (const std::string& tag : tags) list << to_q(tag);
  return list.join(", ");
}

QString state_text(const RunsModel::Row& row, const QString& present_run) {
  if (row.ended()) return core_text(row.run.summary.outcome);
  if (to_q(row.run.summary.run_id) == present_run) return RunsRowText::tr("running");
  return row.being_recorded() ? RunsRowText::tr("running in another window") : RunsRowText::tr("aborted");
}

}  // namespace

void read_settings(RunsModel::Row& row) {
  const Json& settings = row.run.summary.settings;
  row.workload = text_at(settings, "/environment/workload");
  row.model = text_at(settings, "/environment/model");
  row.quality_metric = from_q(text_at(settings, "/settings/quality_metric"));
  const Json::json_pointer alpha("/settings/alpha"), tiers("/settings/tiers");
  if (settings.contains(alpha) && settings.at(alpha).is_number()) {
    row.alpha_value = settings.at(alpha).get<double>();
    row.alpha = number_text(row.alpha_value);
  }
  QStringList budgets;
  if (settings.contains(tiers) && settings.at(tiers).is_array())
    for (const Json& tier : settings.at(tiers)) {
      const Json bytes = tier.is_object() ? tier.value("budget_bytes", Json()) : Json();
      if (!bytes.is_number()) continue;
      budgets << text_at(tier, "/name") + ' ' +
                     (bytes.get<double>() > 0 ? bytes_text(bytes.get<double>()) : RunsRowText::tr("unlimited"));
    }
  row.budgets = budgets.join(", ");
}

const RunMetrics::Mean* quality_of(const RunsModel::Row& row) {
  if (!row.metrics || row.metrics->quality().empty()) return nullptr;
  const auto found = row.metrics->quality().find(row.quality_metric);
  return found != row.metrics->quality().end() ? &found->second : &row.metrics->quality().begin()->second;
}

void show_row(RunsModel::Row& row, const QString& present_run) {
  const RunSummary& run = row.run.summary;
  const RunMetrics::Mean* quality = quality_of(row);
  row.ttft_seconds = row.metrics && row.metrics->answered() > 0 ? row.metrics->ttft_service_seconds().mean() : -1;
  row.mean_quality = quality ? quality->mean() : -1;
  auto& cells = row.cells;
  cells[RunsModel::started] =
      QDateTime::fromMSecsSinceEpoch(run.started_utc_ns / 1'000'000).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
  cells[RunsModel::workload] = row.workload;
  cells[RunsModel::model] = row.model;
  cells[RunsModel::policy] = to_q(run.policy);
  cells[RunsModel::alpha] = row.alpha;
  cells[RunsModel::budgets] = row.budgets;
  cells[RunsModel::moved] = row.moves ? run_moves_names(*row.moves) : QString();
  cells[RunsModel::requests] = QString::number(run.requests);
  cells[RunsModel::ttft] = row.ttft_seconds >= 0 ? seconds_text(row.ttft_seconds) : QStringLiteral("–");
  cells[RunsModel::quality] = quality && quality->n > 0 ? quality_text(quality->mean()) : QStringLiteral("–");
  cells[RunsModel::state] = state_text(row, present_run);
  cells[RunsModel::tags] = tags_text(row.run.notes.tags);
  cells[RunsModel::notes] = to_q(row.run.notes.text);
  row.words = to_q(run.run_id);
  for (const QString& cell : cells) row.words += '\n' + cell;
  row.words = row.words.toLower();
}

}  // namespace kvantage
