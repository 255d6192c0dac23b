// How fast a model is on this machine: as the running session measured it, and as it was measured the last time, kept
// in the window's settings by the digest of the model.
#pragma once

#include <QDate>
#include <QSettings>
#include <QString>
#include <optional>

namespace kvantage {

class RunModel;

struct ModelSpeed {
  static constexpr int prefill_tokens = 1024;  // of the context that the prefill rate is for

  double prefill_tokens_per_second = 0;  // by the fit of measured prefills; 0: not known
  double decode_tokens_per_second = 0;   // of one request: median over the latest answers; 0: not known
  int answers = 0;                       // behind the second
  QString device = {};                   // "CPU, AVX-512 bf16, 2 threads"
  QDate measured = {};                   // invalid: by the running session
  bool is_known() const { return prefill_tokens_per_second > 0 || decode_tokens_per_second > 0; }
};

/// Of the live session; nothing is known while a recorded run is shown, and of answers decoded with eviction, with an
/// offloaded cache, or in a simulation.
ModelSpeed speed_of(const RunModel& run);

class MeasuredSpeeds {
 public:
  static constexpr int limit = 40;  // models; the oldest goes

  explicit MeasuredSpeeds(QSettings& settings) : settings_(settings) {}
  /// Nothing: never measured here, or without a digest.
  std::optional<ModelSpeed> of(const QString& digest) const;
  /// Rates that are not known leave those of before. Without a digest nothing is kept.
  void keep(const QString& digest, const ModelSpeed& speed, const QDate& today);

 private:
  QSettings& settings_;
};

}  // namespace kvantage
