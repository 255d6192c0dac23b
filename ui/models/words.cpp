#include "ui/models/words.h"

#include <cmath>

#include "core/base/units.h"

namespace kvantage {
namespace {
const QString unknown = QStringLiteral("–");
}

QString seconds_text(double seconds) {
  if (!(seconds >= 0)) return unknown;
  if (seconds >= 60) {
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole >= 3600) return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
    return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
  }
  return to_q(format_seconds(seconds));
}

QString bytes_text(double bytes) {
  return bytes < 0 ? unknown : to_q(format_bytes(static_cast<std::uint64_t>(std::llround(bytes))));
}

QString budget_text(const TierBudget& budget) {
  const bool is_bytes = !budget.is_unlimited() && !budget.is_percent();
  return is_bytes ? bytes_text(static_cast<double>(budget.bytes())) : to_q(to_string(budget));
}

QString rate_text(double bytes_per_second) {
  if (bytes_per_second <= 0) return unknown;
  const bool giga = bytes_per_second >= 1e9, mega = giga || bytes_per_second >= 1e6;
  return to_q(format_fixed(bytes_per_second / (giga   ? 1e9
                                               : mega ? 1e6
                                                      : 1e3),
                           giga ? 2 : 1)) +
         (giga   ? QStringLiteral(" GB/s")
          : mega ? QStringLiteral(" MB/s")
                 : QStringLiteral(" kB/s"));
}

QString quality_text(double quality) { return quality < 0 ? unknown : to_q(format_fixed(quality, 3)); }

QString percent_text(double fraction) {
  const double percent = fraction * 100;
  const bool whole = std::abs(percent - std::round(percent)) < 0.05;
  return to_q(format_fixed(percent, whole ? 0 : 1)) + QStringLiteral(" %");
}

QString number_text(double value) {
  if (value == 0) return QStringLiteral("0");
  const double magnitude = std::abs(value);
  if (magnitude >= 1e5 || magnitude < 1e-4) return QString::number(value, 'g', 3);
  const int decimals = std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
  return to_q(format_fixed(value, std::min(decimals, 6)));
}

QString provenance_text(Provenance provenance) { return QString::fromLatin1(to_string(provenance)); }

QString provenance_tip(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return QStringLiteral("measured: real model, real bytes, wall clock");
    case Provenance::shaped:
      return QStringLiteral("shaped: measured, with a tier made slower on purpose");
    case Provenance::modelled:
      return QStringLiteral("modelled: the same policy code on fitted costs and a virtual clock");
    case Provenance::predicted:
      return QStringLiteral("predicted: what the policy expects from profiles and fitted costs");
  }
  return {};
}

QString state_text(RunState state) {
  switch (state) {
    case RunState::loading:
      return QStringLiteral("Loading");
    case RunState::ready:
      return QStringLiteral("Ready");
    case RunState::running:
      return QStringLiteral("Running");
    case RunState::paused:
      return QStringLiteral("Paused");
    case RunState::finished:
      return QStringLiteral("Finished");
    case RunState::failed:
      return QStringLiteral("Failed");
    case RunState::closed:
      return QStringLiteral("Closed");
  }
  return {};
}

QString configuration_text(const std::string& method, double removed_fraction) {
  if (method == "none" || method.empty()) return QStringLiteral("uncompressed");
  return QStringLiteral("%1, %2 removed").arg(to_q(method), percent_text(removed_fraction));
}

QString configuration_short(const std::string& method, double removed_fraction) {
  if (method == "none" || method.empty()) return QStringLiteral("uncompressed");
  return QStringLiteral("%1 %2").arg(to_q(method), percent_text(removed_fraction));
}

QString tier_text(const Snapshot& snapshot, int tier) {
  if (tier < 0 || tier >= static_cast<int>(snapshot.tiers.size())) return QStringLiteral("not stored");
  return to_q(snapshot.tiers[static_cast<std::size_t>(tier)].name);
}

}  // namespace kvantage
