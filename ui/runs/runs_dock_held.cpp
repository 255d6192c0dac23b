// Runs that are pinned to the Frontier from the list.
#include <QAction>
#include <algorithm>
#include <functional>

#include "ui/runs/model/held_runs_model.h"
#include "ui/runs/run_delegate.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace kvantage {

void RunsDock::set_held(HeldRunsModel& held) {
  delegate_->set_held(&held);
  const auto pinned = [this, &held](bool wanted) {
    return std::ranges::any_of(chosen(), [&](const QString& id) { return held.is_pinned(id) == wanted; });
  };
  const QList<QAction*> known = table_->actions();
  const auto line = std::ranges::find_if(known, [](const QAction* action) { return action->isSeparator(); });
  QAction* const before = line == known.end() ? nullptr : *line;
  const auto add = [&](const QString& text, const QString& tip, const std::function<bool(qsizetype)>& possible,
                       auto act) {
    auto* made = new QAction(text, table_);
    made->setStatusTip(tip);
    connect(made, &QAction::triggered, this, act);
    table_->insertAction(before, made);
    actions_.emplace_back(made, possible);
  };
  const auto each = [this](auto act) {
    return [this, act] {
      const QStringList ids = chosen();
      for (const QString& id : ids) act(id);
    };
  };
  add(
      tr("Pin to Frontier"), tr("Show the points of the selected runs on the Frontier, beside the present run"),
      [&held, pinned](qsizetype) { return held.can_pin() && pinned(false); },
      each([&held](const QString& id) { held.pin(id); }));
  add(
      tr("Unpin from Frontier"), tr("Unpin the selected runs from the Frontier"),
      [pinned](qsizetype) { return pinned(true); }, each([&held](const QString& id) { held.unpin(id); }));
  add(
      tr("Show or hide on Frontier"), tr("Show or hide the selected pinned runs on the Frontier"),
      [pinned](qsizetype) { return pinned(true); }, each([&held](const QString& id) {
        const auto run = std::ranges::find(held.held(), id, &HeldRun::id);
        if (run != held.held().end() && !run->ghost) held.set_shown(id, !run->shown);
      }));
  connect(&held, &HeldRunsModel::heldChanged, this, [this] {
    show_buttons();
    table_->viewport()->update();
  });
  connect(&held, &HeldRunsModel::failed, this,
          [this](const QString& message) { emit said(QStringLiteral("warning"), message); });
  const auto hand_on = [this, &held](int first, int last) {
    for (int at = first; at <= last; ++at)
      if (const RunsModel::Row* row = model_.row(at)) held.set_notes(to_q(row->run.summary.run_id), row->run.notes);
  };
  connect(&model_, &QAbstractItemModel::dataChanged, &held,
          [hand_on](const QModelIndex& first, const QModelIndex& last) { hand_on(first.row(), last.row()); });
  connect(&model_, &QAbstractItemModel::rowsInserted, &held,
          [hand_on](const QModelIndex&, int first, int last) { hand_on(first, last); });
  // What is deleted is no longer held.
  connect(&model_, &QAbstractItemModel::rowsAboutToBeRemoved, &held,
          [this, &held](const QModelIndex&, int first, int last) {
            for (int at = first; at <= last; ++at)
              if (const RunsModel::Row* row = model_.row(at)) held.unpin(to_q(row->run.summary.run_id));
          });
  show_buttons();
}

}  // namespace kvantage
