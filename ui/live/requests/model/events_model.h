// The event log as people read it: what the engine did and why. Bounded; the journal of the run has everything.
#pragma once

#include <QAbstractTableModel>
#include <deque>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

class EventsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { time, kind, text, column_count };
  enum class Severity { plain, warning, error };
  enum Role { severity_role = Qt::UserRole + 1, context_role, after_drift_role };

  explicit EventsModel(QObject* parent = nullptr);
  void clear();
  /// Everything added between is one reset of the model.
  void begin_fill();
  void end_fill();
  void swap_content(EventsModel& other);
  /// What comes between is reported to the views at once.
  void begin_batch() { batching_ = true; }
  void end_batch();
  /// Whether add() makes a line of such an event.
  static bool shows(const EventPayload& payload);
  /// Adds what is worth a line; tokens, occupancy and progress are shown elsewhere.
  void add(const Event& event, double seconds);

  /// Text of the newest error; empty: none.
  QString last_error() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    double seconds = 0;
    QString kind, text, context;
    Severity severity = Severity::plain;
    bool after_drift = false;  // re-profiled because its questions drifted
  };
  class RowWriter;
  void tell();
  std::deque<Row> rows_;
  std::vector<Row> arriving_;  // of this batch
  bool filling_ = false, batching_ = false;
};

}  // namespace kvantage
