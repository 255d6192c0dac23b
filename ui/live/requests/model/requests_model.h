// The live log of requests: one row each, the newest last. A running request's answer grows token by token.
#pragma once

#include <QAbstractTableModel>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

class RequestsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    number,
    context,
    source,
    way,
    method,
    ttft,
    inter_token,
    peak_kv,
    predicted,
    where_time_went,
    quality,
    family,
    question,
    answer,
    column_count
  };
  enum Role { segments_role = Qt::UserRole + 1, bar_role, sort_role, context_role, running_role };

  /// Parts of the TTFT service time in the order of `segments_role` (a list of seconds).
  enum Segment { lookup, load, unpack, context_prefill, question_prefill, segment_count };
  static QString segment_name(Segment segment);
  /// Its column in a file: "context_prefill_seconds".
  static QString segment_column(Segment segment);

  struct Row {
    RequestRecord record;
    bool running = true;
  };

  explicit RequestsModel(QObject* parent = nullptr);

  void set_quality_metric(const std::string& metric);
  void clear();
  /// Everything between is one reset of the model: rows of a whole run are added at once. `finished_before`: requests
  /// that finished earlier and are not listed.
  void begin_fill(std::uint64_t finished_before);
  void end_fill();
  void swap_content(RequestsModel& other);
  /// What comes between is reported to the views at once, however many rows and tokens it was; until then rows that are
  /// new are not there.
  void begin_batch() { batching_ = true; }
  void end_batch();
  void request_started(const events::RequestStarted& event);
  void token_emitted(const events::TokenEmitted& event);
  void request_finished(const RequestRecord& record);

  const Row* row(int index) const;
  const Row* find(std::uint64_t request) const;
  std::uint64_t finished_count() const { return finished_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  /// A row's answer or record changed.
  void rowChanged(int row);
  /// The full length of the small bars changed: repaint the visible ones.
  void barScaleChanged();

 private:
  QVariant sort_value(const RequestRecord& record, const QModelIndex& at) const;
  int index_of(std::uint64_t request) const;
  Row& row_at(int row);
  void append(Row row);
  void touch(int row, bool whole);
  void tell();
  void update_bar_scale(double seconds);

  std::deque<Row> rows_;
  std::vector<Row> arriving_;                                  // of this batch, behind rows_
  std::map<std::uint64_t, bool> touched_;                      // position -> the whole row, or its answer alone
  std::unordered_map<std::uint64_t, std::uint64_t> position_;  // request -> position since the beginning
  std::uint64_t removed_ = 0;                                  // rows dropped at the front
  std::uint64_t finished_ = 0;
  std::string metric_ = "token_f1";
  std::deque<double> recent_seconds_;
  /// 95th percentile of the recent TTFT service times: the full length of the small bars, in seconds.
  double bar_seconds_ = 0.1;
  bool filling_ = false, batching_ = false;
};

}  // namespace kvantage
