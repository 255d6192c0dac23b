// What one paper reports, a row a number: the paper's span, ours from the newest result of the figure that measures it,
// and the verdict.
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <string>
#include <vector>

#include "core/experiments/claims.h"
#include "ui/papers/model/figure_results.h"

namespace kvantage {

class ClaimsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { says, paper, here, interval, verdict, figure, column_count };

  /// `claims`: of all papers. `results` outlives the model.
  ClaimsModel(std::vector<PaperClaim> claims, const FigureResults& results, QObject* parent = nullptr);
  /// Of the paper with this id; none where it is unknown.
  void show_paper(const QString& paper);
  /// Name of the figure that measures a row's number; empty: out of scope.
  QString figure_of(int row) const { return QString::fromStdString(shown_[static_cast<std::size_t>(row)]->figure); }
  /// "139 claims: agrees 20, contradicts 5, not reproduced yet 114"
  QString summary() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Measured {
    QString here, interval, verdict;
  };
  Measured measured(const PaperClaim& claim) const;
  void read_results();

  const std::vector<PaperClaim> claims_;
  const FigureResults& results_;
  std::vector<const PaperClaim*> shown_;
  std::vector<Measured> measured_;  // parallel
};

}  // namespace kvantage
