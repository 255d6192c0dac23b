// Text for people: the one place where the window turns values into words, so that a unit or a provenance reads
// the same in a table, a tooltip, a chart and an export.
#pragma once

#include <QString>
#include <string>

#include "core/policy/types.h"
#include "core/ports/events.h"
#include "core/ports/session.h"

namespace kvantage {

inline QString to_q(const std::string& text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string from_q(const QString& text) { return text.toStdString(); }

/// "12.3 ms"; an en dash for a negative value, which means "not known".
QString seconds_text(double seconds);
/// "6.0 MiB".
QString bytes_text(double bytes);
/// "6.0 MiB", "40%" or "unlimited".
QString budget_text(const TierBudget& budget);
/// "1.9 GiB/s".
QString rate_text(double bytes_per_second);
/// 0..1 as "0.873"; an en dash for a negative value.
QString quality_text(double quality);
/// 0..1 as "50 %".
QString percent_text(double fraction);
/// Three significant digits without an exponent where that stays short: alpha and other free numbers.
QString number_text(double value);
/// "measured", or what else a metric is; `provenance_tip` says in a sentence what that means.
QString provenance_text(Provenance provenance);
QString provenance_tip(Provenance provenance);
/// What decode-time eviction did to an answer, one line per fact, and the memory of its cache.
QString decoding_text(const DecodingRecord& decoding);
/// Recomputed tokens, bytes and seconds of a decoded token: "decode offload ssd, per answer token: 256 of 600 tokens
/// recomputed, …".
QString offload_text(const OffloadRecord& offload);
/// "speculation lookup: 2.4 tokens per pass, 31 of 48 drafts accepted".
QString speculation_text(const SpeculationRecord& speculation);
/// Tokens of a loaded entry that were recomputed from its layer inputs.
QString recomputed_text(const ComputeOrLoadRecord& met);
QString state_text(RunState state);
/// "snapkv, 50 % removed" or "uncompressed".
QString configuration_text(const std::string& method, double removed_fraction);
/// The same for a narrow column: "snapkv 50 %", "uncompressed".
QString configuration_short(const std::string& method, double removed_fraction);
/// Name of the tier of a configuration, "not stored" when there is none.
QString tier_text(const Snapshot& snapshot, int tier);

}  // namespace kvantage
