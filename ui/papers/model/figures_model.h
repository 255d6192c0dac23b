// The papers and their figures as a tree of two levels, with the state of each: running, or when it was last made and
// how long that took.
#pragma once

#include <QAbstractItemModel>

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_job.h"
#include "ui/papers/model/figure_results.h"

namespace kvantage {

class FiguresModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { name, state, column_count };
  enum Role { figure_role = Qt::UserRole + 1 };  // of a figure: its name; of a paper: empty

  FiguresModel(const FigureResults& results, const FigureJob& job, QObject* parent = nullptr);
  /// Of a figure by its name; invalid when there is none.
  QModelIndex index_of(const QString& figure, int column = name) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  QString state_of(const PaperFigure& figure) const;
  void tell(const QString& figure);

  const FigureResults& results_;
  const FigureJob& job_;
  std::vector<std::vector<const PaperFigure*>> figures_;  // by paper
  QString told_;                                          // figure being made when the last change was reported
};

}  // namespace kvantage
