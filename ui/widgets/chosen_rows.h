// A filter in which the rows about one chosen context, or several, stand out.
#pragma once

#include <QBrush>
#include <QColor>
#include <QSortFilterProxyModel>
#include <QString>
#include <set>
#include <utility>

namespace kvantage {

class ChosenRows : public QSortFilterProxyModel {
 public:
  /// context_role: what the source's rows give their context by.
  ChosenRows(int context_role, QObject* parent) : QSortFilterProxyModel(parent), context_role_(context_role) {}

  void set_chosen(const QString& context, std::set<QString> others, const QColor& ground) {
    chosen_ = context;
    others_ = std::move(others);
    ground_ = ground;
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::BackgroundRole});
  }
  QVariant data(const QModelIndex& at, int role) const override {
    if (role == Qt::BackgroundRole && !(chosen_.isEmpty() && others_.empty()))
      if (const QString context = QSortFilterProxyModel::data(at, context_role_).toString();
          !context.isEmpty() && (context == chosen_ || others_.contains(context)))
        return QBrush(ground_);
    return QSortFilterProxyModel::data(at, role);
  }

 private:
  int context_role_;
  QString chosen_;
  std::set<QString> others_;
  QColor ground_;
};

}  // namespace kvantage
