#include "ui/experiments/experiment_form_model.h"

#include <algorithm>
#include <utility>

#include "core/sweep/sweep_table.h"
#include "ui/experiments/experiment_axes.h"
#include "ui/papers/model/figure_job.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

const QString tier_line = QStringLiteral("budget:");

/// Elements as in a line of the form, each once.
template <class T, class TextOf>
QString list_text(const std::vector<T>& all, const TextOf& text_of) {
  QStringList texts;
  for (const T& one : all)
    if (const QString text = text_of(one); !text.isEmpty() && !texts.contains(text)) texts << text;
  return texts.join(QStringLiteral(", "));
}

QString full_number_text(double value) { return short_numbers(dump_json(Json(value))); }

}  // namespace

ExperimentFormModel::ExperimentFormModel(ReadMethod read_method, QObject* parent)
    : QObject(parent), read_method_(std::move(read_method)), plan_(SweepPlan{}) {
  set_tiers({});
}

void ExperimentFormModel::set_tiers(const QStringList& tiers) {
  QStringList present;
  for (const ExperimentLine& line : lines_)
    if (line.id.startsWith(tier_line)) present << line.id.mid(tier_line.size());
  if (!lines_.empty() && present == tiers) return;
  const std::vector<ExperimentLine> before = std::exchange(lines_, {});
  const auto add = [this](const char* id, const QString& title, const QString& tip, const QString& hint,
                          const QString& text = {}) {
    lines_.push_back({QString::fromLatin1(id), title, tip, hint, text, {}});
  };
  add("policies", tr("Policies"), tr("Placement and compression policies, separated by commas"),
      tr("lru, evicpress, …"), QStringLiteral("full_prefill,lru,evicpress"));
  add("alphas", tr("α"),
      tr("Values of quality in seconds: numbers, or grids like 0.01:10:7; policies that do not use α run once"),
      QStringLiteral("1"), QStringLiteral("0.1, 1, 10"));
  add("budgets", tr("Budgets"),
      tr("Of all tiers together: factors of the session's budgets, or shares of the uncompressed bytes like 20%; of "
         "single tiers like dram=10%+ssd=40%"),
      tr("1: those of the workload"));
  for (const QString& tier : tiers)
    lines_.push_back({tier_line + tier,
                      tr("Budgets of %1").arg(tier),
                      tr("Budgets of this tier alone, combined with those of the other tiers; factors or shares"),
                      tr("as in the line above"),
                      {},
                      {}});
  add("methods", tr("Methods"), tr("Candidate compression methods; sets separated by | are compared"),
      tr("those of the workload"));
  add("removed", tr("Removed fractions"), tr("Candidate shares of removed tokens, from 0 to below 1"),
      tr("those of the workload"));
  add("rates", tr("Rates (1/s)"), tr("Requests per second; 0 is a closed loop, back to back"), QStringLiteral("0"));
  add("decode", tr("Decode-time eviction"),
      tr("Methods with their budgets, like none, knorm(budget=25%); planned chooses for each request"),
      tr("those of the workload"));
  add("seeds", tr("Seeds"), tr("Numbers and ranges, like 0-4; from five seeds on there are 95 % intervals"),
      QStringLiteral("0"), QStringLiteral("0-2"));
  add("limit", tr("Requests a cell"), tr("Number of requests of each cell"), tr("all of the workload"));
  for (const ExperimentLine& old : before)
    for (ExperimentLine& line : lines_)
      if (line.id == old.id) line.text = old.text;
  emit linesChanged();
  read();
}

void ExperimentFormModel::set_base(SweepPlan base) {
  base_ = std::move(base);
  read();
}

void ExperimentFormModel::set_pace(std::optional<RequestPace> pace, std::uint64_t requests) {
  pace_ = pace;
  requests_ = requests;
  emit changed();
}

const ExperimentLine* ExperimentFormModel::line(const QString& id) const {
  const auto found = std::ranges::find(lines_, id, &ExperimentLine::id);
  return found != lines_.end() ? &*found : nullptr;
}

void ExperimentFormModel::set_text(const QString& id, const QString& text) {
  const auto found = std::ranges::find(lines_, id, &ExperimentLine::id);
  if (found == lines_.end() || found->text == text) return;
  found->text = text;
  read();
}

void ExperimentFormModel::read() {
  for (ExperimentLine& line : lines_) line.error.clear();
  plan_ = made();
  emit changed();
}

Expected<SweepPlan> ExperimentFormModel::made() {
  // Every line is read, so that each shows its own error; the first of them is the plan's.
  std::optional<Error> first;
  const auto take = [&first](ExperimentLine& line, auto&& result, auto& value) {
    if (result) {
      value = *std::forward<decltype(result)>(result);
      return;
    }
    line.error = core_text(result.error().message);
    if (!first) first = Error{ErrorCode::usage, from_q(tr("%1: %2").arg(line.title, line.error))};
  };
  SweepPlan plan = base_;
  SweepGrid grid;
  std::vector<std::vector<TierScale>> tiers;
  std::vector<double> removed;
  for (ExperimentLine& line : lines_) {
    const QString &id = line.id, &text = line.text;
    if (id == QLatin1String("policies")) take(line, read_policies(text), grid.policies);
    if (id == QLatin1String("alphas")) take(line, read_alphas(text), grid.alphas);
    if (id == QLatin1String("budgets")) take(line, read_budgets(text), grid.budgets);
    if (id == QLatin1String("methods")) take(line, read_method_sets(text, read_method_), grid.method_sets);
    if (id == QLatin1String("removed")) take(line, read_removed_fractions(text), removed);
    if (id == QLatin1String("rates")) take(line, read_rates(text), grid.rates);
    if (id == QLatin1String("decode")) take(line, read_decode_evictions(text), grid.decode_evictions);
    if (id == QLatin1String("seeds")) take(line, read_seeds(text), grid.seeds);
    if (id == QLatin1String("limit")) take(line, read_limit(text), plan.request_limit);
    if (id.startsWith(tier_line)) take(line, read_tier_budgets(id.mid(tier_line.size()), text), tiers.emplace_back());
  }
  if (first) return tl::unexpected(*std::move(first));
  for (BudgetScale& budget : combined_budgets(tiers)) grid.budgets.push_back(std::move(budget));
  if (grid.budgets.empty()) grid.budgets.emplace_back();
  if (!grid.method_sets.empty()) plan.methods = all_methods_of(grid.method_sets);
  if (!removed.empty()) plan.removed_fractions = std::move(removed);
  KV_ASSIGN(plan.cells, cells_of(grid));
  return plan;
}

void ExperimentFormModel::take(const SweepPlan& plan) {
  const auto of_cells = [&plan](const auto& text_of) { return list_text(plan.cells, text_of); };
  const auto set = [this](const char* id, const QString& text) {
    const auto found = std::ranges::find(lines_, QString::fromLatin1(id), &ExperimentLine::id);
    if (found != lines_.end()) found->text = text;
  };
  for (ExperimentLine& line : lines_)
    if (line.id.startsWith(tier_line)) line.text.clear();  // single tiers are in the line of budgets
  set("policies", of_cells([](const SweepCell& cell) { return to_q(cell.policy); }));
  set("alphas",
      of_cells([](const SweepCell& cell) { return cell.uses_alpha ? full_number_text(cell.alpha) : QString(); }));
  set("budgets", of_cells([](const SweepCell& cell) { return short_numbers(cell.budget.text()); }));
  QStringList sets;
  for (const SweepCell& cell : plan.cells)
    if (!cell.methods.empty())
      if (const QString methods = to_q(methods_text(cell)); !sets.contains(methods)) sets << methods;
  set("methods", sets.isEmpty() ? list_text(plan.methods, to_q) : sets.join(QStringLiteral(" | ")));
  set("removed", list_text(plan.removed_fractions, full_number_text));
  set("rates", of_cells([](const SweepCell& cell) { return full_number_text(cell.requests_per_second); }));
  set("decode", of_cells([](const SweepCell& cell) { return to_q(cell.decode_eviction); }));
  set("seeds", of_cells([](const SweepCell& cell) { return QString::number(cell.seed); }));
  set("limit", plan.request_limit > 0 ? QString::number(plan.request_limit) : QString());
  emit linesChanged();
  read();
}

std::optional<double> ExperimentFormModel::seconds() const {
  const std::uint64_t requests = plan_ && plan_->request_limit > 0 ? plan_->request_limit : requests_;
  if (!plan_ || !pace_ || requests == 0) return {};
  return seconds_of_cells(plan_->cells, *pace_, requests);
}

QString ExperimentFormModel::summary() const {
  if (!plan_) return core_text(plan_.error().message);
  const QString count = tr("%n cell(s)", nullptr, static_cast<int>(cells()));
  const auto all = seconds();
  if (!all) return tr("%1; time unknown until a cell is measured").arg(count);
  return pace_->measured_cells > 0
             ? tr("%1, about %2 (from %n measured cell(s))", nullptr, static_cast<int>(pace_->measured_cells))
                   .arg(count, duration_text(*all))
             : tr("%1, at most about %2 (from the session's fits, without decoding)").arg(count, duration_text(*all));
}

}  // namespace kvantage
