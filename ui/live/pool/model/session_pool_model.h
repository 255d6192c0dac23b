// The session's pool of KV blocks over time: how full it is, what running requests hold, what eviction and compaction
// did. Of a recorded run as its events report it.
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
  static constexpr std::size_t kept_samples = 600, kept_passes = 500;

  struct Sample {
    double seconds = 0;  // since the session or the recorded run started
    PoolReport pool;
  };
  struct Pass {
    double seconds = 0;
    events::CacheCompacted pass;
  };
  struct Content {
    std::optional<PoolReport> report;
    std::deque<Sample> samples;
    std::deque<Pass> passes;
    std::uint64_t passes_seen = 0;  // those that are no longer kept included
  };

  explicit SessionPoolModel(QObject* parent = nullptr) : QObject(parent) {}
  /// The newest state; nothing: what is shown has none. Samples stay for the session that comes back.
  void set_report(const std::optional<PoolReport>& report, double seconds = 0);
  void add_pass(const events::CacheCompacted& pass, double seconds);
  /// Another run begins: forgets samples and passes.
  void clear_history();
  const Content& content() const { return content_; }
  void set_content(const Content& content);
  void swap_content(SessionPoolModel& other);

  const std::optional<PoolReport>& report() const { return content_.report; }
  /// Reports that differed from the one before, oldest first.
  const std::deque<Sample>& samples() const { return content_.samples; }
  /// Compaction passes, oldest first.
  const std::deque<Pass>& passes() const { return content_.passes; }
  /// "37 of 2,048 blocks in use (1.2 of 64 MiB); …"; empty where nothing is known.
  QString text() const;
  QString tip() const;
  /// One row per sample, for export.
  std::vector<QStringList> rows() const;

 signals:
  void changed();
  /// Another session or another run is shown.
  void replaced();

 private:
  Content content_;
};

/// What eviction and compaction did in a run: in its answers, and in those that are decoded now.
DecodingTotals decoding_so_far(const PoolReport& pool);
/// KV entries of requests with a decode budget, as a share of what their budgets allow; nothing: there are none.
std::optional<double> budget_occupancy(const PoolReport& pool);

}  // namespace kvantage
