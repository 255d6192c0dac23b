// What is known of one model, as rows of a fact and its value: the checkpoint, its KV caches, what it needs of the
// memory, and how fast it is here.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

#include "core/fits/model_memory.h"
#include "core/ports/model_catalog.h"
#include "ui/model_library/model/model_speed.h"

namespace kvantage {

struct ModelFactRow {
  QString fact, value;
  QString tip = {};
};

/// Whether a model fits, beside its facts.
struct ModelFit {
  std::optional<MemoryEstimate> memory = {};  // nothing: not known
  std::uint64_t total_bytes = 0;              // of the machine
  int context_tokens = 0;                     // that the estimate is for
};

class ModelFactsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// speed: nothing where it was never measured here.
  static std::vector<ModelFactRow> rows_of(const ModelFacts& facts, const ModelFit& fit,
                                           const std::optional<ModelSpeed>& speed);
  /// A line: whether it can be opened and fits, with the numbers that say why.
  static QString verdict(const ModelFacts& facts, const ModelFit& fit, bool is_loaded);

  /// The same rows again change nothing.
  void show_rows(std::vector<ModelFactRow> rows);
  /// Of the row of this fact; empty: there is none.
  QString value_of(const QString& fact) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ModelFactRow> rows_;
};

}  // namespace kvantage
