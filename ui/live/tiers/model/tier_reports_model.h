// What tiers say of themselves: loads beside what the fit says of them, counters, reasons of misses, notes; and the
// device that computes the model, where one does. Knows no widget; tables and charts read it.
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/ports/tier_report.h"
#include "ui/live/tiers/model/tier_roles.h"

namespace kvantage {

class TierReportsModel : public QObject {
  Q_OBJECT
 public:
  using Reports = std::shared_ptr<const std::vector<TierReport>>;
  /// Points are (MiB, milliseconds on the device).
  struct FitView {
    std::vector<QPointF> loads, timings;
    std::vector<QPointF> line;  // what the fit says, from no bytes to the largest load; empty: nothing is fitted
  };
  /// One line of what a tier counted; `reason` of misses and failed writes.
  struct Counter {
    QString tier, what, reason, value, meaning;
    std::uint64_t count = 0;
  };

  explicit TierReportsModel(QObject* parent = nullptr) : QObject(parent) {}
  void set_reports(const Reports& reports);
  void set_model_device(const std::optional<ModelDeviceGauges>& gauges);

  TierRoles& roles() { return roles_; }

  std::vector<QString> names() const;
  const TierReport* find(const QString& tier) const;
  FitView fit_view(const QString& tier) const;
  /// "812.0 MB/s, latency 0.31 ms"; what to do where nothing is fitted.
  QString fit_text(const QString& tier) const;
  /// "64 loads, off by 4.2 % (median), 18 % (p95)".
  QString residual_text(const QString& tier) const;
  /// "throttled; io_uring, O_DIRECT": what is special about how a tier reads and writes. Empty: nothing.
  QString badge(const QString& tier) const;
  /// Kind, note and misses by reason, several lines.
  QString badge_tip(const QString& tier) const;
  /// Sum over the reasons.
  std::uint64_t misses(const QString& tier) const;
  /// "Model on the GPU: caches 1.00 GiB of 4.00 GiB; copies to it 20.00 GB/s of 25.00 GB/s, ..."; empty where the
  /// processor computes.
  QString model_device_text() const;
  QString model_device_tip() const;
  /// Of all tiers, then of the model's device.
  std::vector<Counter> counters() const;

 signals:
  void changed();

 private:
  Reports reports_;
  TierRoles roles_;
  std::optional<ModelDeviceGauges> model_device_;
};

/// Why a read failed or a write was refused, in a sentence; the names are those of docs/metrics.md.
QString miss_meaning(const std::string& reason);
QString refusal_meaning(const std::string& reason);

}  // namespace kvantage
