// Which runs are shown: those that hold every word in some column, of one workload and one policy where chosen.
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>

namespace kvantage {

class RunsFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit RunsFilter(QObject* parent = nullptr);
  /// Words as typed; "tag:NAME" is a tag that begins so.
  void set_text(const QString& text);
  /// Empty: all.
  void set_workload(const QString& workload);
  void set_policy(const QString& policy);
  /// While rows come in portions: an order that would scatter them, each with a signal, is made once all are there.
  void set_filling(bool in_flight);
  void sort(int column, Qt::SortOrder order) override;
  bool filters() const { return !words_.isEmpty() || !workload_.isEmpty() || !policy_.isEmpty(); }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  QString workload_, policy_;
  bool filling_ = false;
};

}  // namespace kvantage
