// The session's pool of KV blocks over time: how full it is, what running requests hold, what eviction and compaction
// did.
#pragma once

#include <QObject>
#include <QString>
#include <deque>
#include <optional>
#include <vector>

#include "core/ports/pool_report.h"

namespace kvantage {

class SessionPoolModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kept_samples = 600;

  explicit SessionPoolModel(QObject* parent = nullptr) : QObject(parent) {}
  /// The newest state; nothing: what is shown has none (a recorded run). Samples stay for the session that comes back.
  void set_report(const std::optional<PoolReport>& report);
  const std::optional<PoolReport>& report() const { return report_; }
  /// Reports that differed from the one before, oldest first.
  const std::deque<PoolReport>& samples() const { return samples_; }
  /// "37 of 2,048 blocks in use (1.2 of 64 MiB); …"; empty where nothing is known.
  QString text() const;
  QString tip() const;
  /// A row a sample, for export.
  std::vector<QStringList> rows() const;

 signals:
  void changed();

 private:
  std::optional<PoolReport> report_;
  std::deque<PoolReport> samples_;
};

}  // namespace kvantage
