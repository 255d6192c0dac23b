// Which tier served how much: of all requests, of their tokens or of their bytes; over a sliding window and since the
// start. Everything here is measured.
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>
#include <array>
#include <string>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

class HitRateModel : public QObject {
  Q_OBJECT
 public:
  enum Measure { by_requests, by_tokens, by_bytes, measure_count };
  static constexpr int point_limit = 600;

  explicit HitRateModel(QObject* parent = nullptr);
  void clear();
  void swap_content(HitRateModel& other);
  /// Sources in the order of drawing: tiers fastest first, then "prefill".
  void set_tiers(const std::vector<TierState>& tiers);
  /// `full_bytes` = uncompressed bytes of the context: what a prefill stands for when counted by bytes.
  void request_finished(const RequestRecord& record, std::uint64_t full_bytes);

  const std::vector<QString>& sources() const { return sources_; }
  std::uint64_t requests() const { return totals_.size() - 1; }
  /// Rates 0..1 against the request number; window = 0: cumulative. At most point_limit points.
  std::vector<QPointF> series(std::size_t source, Measure measure, int window) const;
  /// The latest value of the same; -1 before the first request.
  double latest(std::size_t source, Measure measure, int window) const;

 signals:
  void changed();

 private:
  using Weights = std::array<double, measure_count>;
  double rate(std::size_t source, Measure measure, std::size_t end, int window) const;

  std::vector<QString> sources_;
  std::vector<std::vector<Weights>> sums_;  // per source: prefix sums over requests, first element zero
  std::vector<Weights> totals_;
};

}  // namespace kvantage
