// Every context with its placement, what the policy predicts for it, what was measured on it in that very placement,
// and why it is where it is.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/events.h"
#include "ui/session/statistics.h"

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
    MeasuredMean quality, ttft;  // of requests served in the present configuration, without intervals; n = 0: none yet
    bool throttled = false;
    bool quality_assumed = false;  // predicted without a profile point of exactly this configuration
    QString reason;
  };

  struct Measured {
    GrowingMean quality, ttft;
    bool throttled = false;
  };
  /// What requests and moves left: everything that snapshots do not have.
  struct History {
    std::unordered_map<Digest128, QString> reasons;
    std::unordered_map<Digest128, std::map<std::string, Measured>> measured;  // by "source|method|fraction"
  };

  explicit ContextsModel(QObject* parent = nullptr);

  void set_quality_metric(const std::string& metric) { metric_ = metric; }
  void clear_measurements();
  /// Rows follow with the next snapshot.
  void swap_history(ContextsModel& other) { std::swap(history_, other.history_); }
  const History& history() const { return history_; }
  void set_history(const History& history) { history_ = history; }
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
  Row make_row(const ContextState& state) const;
  /// Of what was served in the present configuration; null: nothing.
  const Measured* measured_of(const ContextState& state) const;
  QString interval_tip(const ContextState& state, Column column) const;
  QVariant tool_tip(const Row& row, int column) const;
  /// Invalid: by what the column shows.
  static QVariant sort_value(const Row& row, int column);
  QVariant shown_value(const Row& row, int column) const;

  std::shared_ptr<const Snapshot> snapshot_;
  mutable std::optional<double> fallback_quality_;  // once a row needs it
  // A row is made when somebody asks for it: of a thousand contexts a table shows some twenty.
  struct MadeRow {
    Row row;
    std::uint64_t made_of = 0;  // snapshot number; 0: of none
  };
  mutable std::vector<MadeRow> rows_;
  std::uint64_t snapshots_ = 0;
  History history_;
  std::string metric_ = "token_f1";
};

}  // namespace kvantage
