// What one request did when, for the Pipeline dock: the chosen request, else the newest of the chosen context, else the
// newest of all. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/ports/request_spans.h"
#include "ui/session/run_model.h"

namespace kvantage {

class PipelineModel : public QObject {
  Q_OBJECT
 public:
  enum Lane { waiting, tier, unpacking, computing, lane_count };
  static QString lane_name(Lane lane);
  static QString lane_tip(Lane lane);
  static QString kind_name(RequestSpan::Kind kind);
  static Lane lane_of(RequestSpan::Kind kind);

  /// `source` null: nothing is known of spans here.
  PipelineModel(RunModel& run, const SpanSource* source, QObject* parent = nullptr);

  /// Checks again which request it is; changed() follows where it is another one.
  void refresh();
  /// Null: none is shown, and empty_text() says why and what to do.
  const RequestSpans* spans() const { return spans_.get(); }
  const RequestRecord& record() const { return record_; }
  QString empty_text() const { return empty_; }
  /// "#3306 registry-2 from dram, keydiff 60 %"
  QString title() const;
  /// From the arrival, in nanoseconds.
  double first_token_ns() const { return record_.timing.ttft_seconds * 1e9; }
  double service_start_ns() const { return record_.timing.queue_seconds * 1e9; }
  double end_ns() const;

  /// TTFT breakdown: the seconds add up to it. What the request did nothing in stands as `rest`: turns of other
  /// requests, and bookkeeping between two steps.
  struct Part {
    std::optional<RequestSpan::Kind> kind;  // none: the rest
    QString name;
    double seconds = 0;
  };
  std::vector<Part> parts() const;
  /// Of the time that the tier read, the part that passed while something else was done for the request, 0 to 1; none
  /// where nothing was read.
  std::optional<double> hidden_reading() const;
  QString summary() const;
  /// "Layer 3 of 6, tier read: 0.84 ms from 1.20 ms on; 402.1 KiB, 0.47 GB/s (throttled)".
  QString span_text(const RequestSpan& span) const;
  QStringList table_header() const;
  std::vector<QStringList> table_rows() const;

 signals:
  void changed();

 private:
  std::uint64_t wanted() const;

  RunModel& run_;
  const SpanSource* source_;
  std::shared_ptr<const RequestSpans> spans_;
  RequestRecord record_;
  QString empty_;
};

}  // namespace kvantage
