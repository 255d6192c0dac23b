#include "ui/experiments/experiment_tables.h"

#include <atomic>

#include "ui/experiments/experiment_figure.h"

namespace kvantage {

void ExperimentTables::show(const Experiment& experiment) {
  held_ = std::make_shared<Held>(Held{experiment.name, experiment.plan, experiment.results});
  added_.clear();
  changed_ = true;
}

void ExperimentTables::clear() {
  held_.reset();
  added_.clear();
  changed_ = false;
}

void ExperimentTables::add(const std::string& cell, const Json& result) {
  if (held_ == nullptr) return;
  added_.emplace_back(cell, result);
  changed_ = true;
}

void ExperimentTables::make() {
  if (making_ || !changed_ || held_ == nullptr) return;
  making_ = true;
  changed_ = false;
  worker_.run(
      [held = held_, added = std::exchange(added_, {})](const std::atomic<bool>&) {
        for (const auto& [cell, result] : added) held->results.insert_or_assign(cell, result);
        auto made = std::make_shared<ExperimentTable>();
        made->table = make_sweep_table(held->plan, held->results);
        made->figure = experiment_figure(held->name, made->table);
        return std::shared_ptr<const ExperimentTable>(std::move(made));
      },
      [this, held = held_](const std::shared_ptr<const ExperimentTable>& table) { take(held, table); });
}

void ExperimentTables::take(const std::shared_ptr<Held>& of, const std::shared_ptr<const ExperimentTable>& table) {
  making_ = false;
  if (of == held_) emit made(table);
  make();
}

}  // namespace kvantage
