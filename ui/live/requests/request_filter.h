// The rows of Requests that contain a text, or that a box in a chart selected; those of what is selected stand out.
#pragma once

#include <QBrush>
#include <QColor>
#include <QString>
#include <cstdint>
#include <set>
#include <utility>

#include "ui/live/requests/model/requests_model.h"
#include "ui/widgets/chosen_rows.h"

namespace kvantage {

class RequestFilter : public ChosenRows {
 public:
  explicit RequestFilter(QObject* parent) : ChosenRows(RequestsModel::context_role, parent) {}
  void set_text(const QString& text) {
    text_ = text;
    invalidateFilter();
  }
  /// Rows of these stand out; of a set_chosen() after it.
  void set_brushed(std::set<std::uint64_t> requests, const QColor& ground) {
    brushed_ground_ = ground;
    if (requests == brushed_) return;
    brushed_ = std::move(requests);
    if (brushed_only_) invalidateFilter();
  }
  void show_brushed_only(bool on) {
    brushed_only_ = on;
    invalidateFilter();
  }
  /// `row`: of the source.
  bool is_brushed(int row) const {
    return brushed_.contains(sourceModel()->index(row, RequestsModel::number).data().toULongLong());
  }
  QVariant data(const QModelIndex& at, int role) const override {
    if (role == Qt::BackgroundRole && !brushed_.empty() && is_brushed(mapToSource(at).row()))
      return QBrush(brushed_ground_);
    return ChosenRows::data(at, role);
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    if (brushed_only_ && !is_brushed(row)) return false;
    if (text_.isEmpty()) return true;
    for (const int column : {RequestsModel::context, RequestsModel::family, RequestsModel::source, RequestsModel::way,
                             RequestsModel::method, RequestsModel::question, RequestsModel::answer})
      if (sourceModel()->index(row, column, parent).data().toString().contains(text_, Qt::CaseInsensitive)) return true;
    return false;
  }

 private:
  QString text_;
  std::set<std::uint64_t> brushed_;
  QColor brushed_ground_;
  bool brushed_only_ = false;
};

}  // namespace kvantage
