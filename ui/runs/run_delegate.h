// How cells of the list of runs look: the state in its color, tags as chips, and the color of a run that the Frontier
// holds before its start.
#pragma once

#include <QStyledItemDelegate>

#include "ui/look/theme.h"
#include "ui/runs/model/runs_model.h"

namespace kvantage {

class HeldRunsModel;

class RunDelegate : public QStyledItemDelegate {
 public:
  /// Both outlive it.
  RunDelegate(const Theme& theme, const RunsModel& model, QObject* parent)
      : QStyledItemDelegate(parent), theme_(theme), model_(model) {}
  void set_held(const HeldRunsModel* held) { held_ = held; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  const Theme& theme_;
  const RunsModel& model_;
  const HeldRunsModel* held_ = nullptr;
};

}  // namespace kvantage
