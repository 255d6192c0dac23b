// Every context with its placement, what the policy predicts for it, what was measured on it in that very placement,
// and why it is where it is.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/events.h"
#include "ui/models/statistics.h"

namespace kvantage {

class ContextsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    context,
    family,
    tokens,
    bytes,
    tier,
    method,
    frequency,
    quality_predicted,
    quality_measured,
    ttft_predicted,
    ttft_measured,
    why,
    column_count
  };
  enum Role { sort_role = Qt::UserRole + 1, context_role, predicted_role };

  struct Row {
    ContextState state;
    double predicted_quality = -1, predicted_ttft_seconds = -1;
    MeasuredMean quality, ttft;  // of requests served in the present configuration; n = 0: none yet
    bool shaped = false;
    bool quality_assumed = false;  // predicted without a profile point of exactly this configuration
    QString reason;
  };

  explicit ContextsModel(QObject* parent = nullptr);

  void set_quality_metric(const std::string& metric) { metric_ = metric; }
  void clear_measurements();
  /// Measurements and the reasons of past moves.
  void clear_history();
  /// Whether rows have intervals from the next snapshot on: they cost more than everything else, and a hand that moves
  /// through time sees none.
  void set_intervals(bool shown) { intervals_ = shown; }
  /// The same; rows follow with the next snapshot.
  void swap_history(ContextsModel& other);
  void set_snapshot(const std::shared_ptr<const Snapshot>& snapshot);
  void request_finished(const RequestRecord& record);
  void placement_committed(const events::PlacementCommitted& event);

  const Row* row(int index) const;
  int row_of(const QString& context_id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Measured {
    GrowingMean quality, ttft;
    bool shaped = false;
  };
  Row make_row(const ContextState& state, double fallback_quality) const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Row> rows_;
  std::unordered_map<Digest128, QString> reasons_;
  std::unordered_map<Digest128, std::map<std::string, Measured>> measured_;  // by "source|method|fraction"
  std::string metric_ = "token_f1";
  bool intervals_ = true, intervals_shown_ = true;
};

}  // namespace kvantage
