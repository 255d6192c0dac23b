#include "ui/text/words.h"

#include <QCoreApplication>
#include <cmath>

#include "core/base/units.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"

namespace kvantage {
Q_COREAPP_STARTUP_FUNCTION(install_plurals)

namespace {

struct WordsText {
  Q_DECLARE_TR_FUNCTIONS(WordsText)
};

const QString unknown = QStringLiteral("–");
}  // namespace

QString seconds_text(double seconds) {
  if (!(seconds >= 0)) return unknown;
  if (seconds >= 60) {
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole >= 3600) return WordsText::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
    return WordsText::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
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

QString provenance_text(Provenance provenance) { return core_text(std::string_view(display_name(provenance))); }

QString provenance_tip(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return WordsText::tr("measured: real model, real bytes, wall clock");
    case Provenance::throttled:
      return WordsText::tr("throttled: measured on a tier limited to the configured bandwidth and latency");
    case Provenance::simulated:
      return WordsText::tr("simulated: same policy code, fitted costs, virtual clock");
    case Provenance::predicted:
      return WordsText::tr("predicted: expected by the policy from profiles and fitted costs");
    case Provenance::imported:
      return WordsText::tr("imported: measured by others, elsewhere; its source says by whom");
  }
  return {};
}

QString decoding_text(const DecodingRecord& decoding) {
  if (decoding.peak_bytes == 0) return {};
  QStringList facts{WordsText::tr("KV cache: peak %1, %2 at the end")
                        .arg(bytes_text(static_cast<double>(decoding.peak_bytes)),
                             bytes_text(static_cast<double>(decoding.held_bytes)))};
  if (const auto& choice = decoding.choice)
    facts << (choice->options > 0
                  ? WordsText::tr("planned: %1, chosen from %2; predicted quality %3, %4 per token")
                        .arg(to_q(choice->option), QString::number(choice->options),
                             quality_text(choice->predicted_quality), seconds_text(choice->predicted_itl_seconds))
                  : WordsText::tr("planned: none, because the options are not profiled yet"));
  if (decoding.eviction.empty()) return facts.join('\n');
  if (!decoding.not_applied.empty()) {
    facts << WordsText::tr("%1 not applied: %2").arg(to_q(decoding.eviction), core_text(decoding.not_applied));
    return facts.join('\n');
  }
  facts
      << WordsText::tr("%1: budget %n token(s) per head", nullptr, decoding.budget_tokens).arg(to_q(decoding.eviction));
  if (decoding.read_fraction < 1)
    facts << WordsText::tr("%1 of the KV entries read").arg(percent_text(decoding.read_fraction));
  if (decoding.evicted_entries > 0)
    facts << WordsText::tr("%1 KV entries evicted; choosing them took %2")
                 .arg(decoding.evicted_entries)
                 .arg(seconds_text(decoding.deciding_seconds));
  if (decoding.compactions.passes > 0)
    facts << WordsText::tr("%n compaction pass(es)", nullptr, static_cast<int>(decoding.compactions.passes)) +
                 WordsText::tr(": %1 blocks freed, %2 entries moved, %3")
                     .arg(decoding.compactions.blocks_freed)
                     .arg(decoding.compactions.slot_copies)
                     .arg(seconds_text(decoding.compactions.seconds));
  return facts.join('\n');
}

QString offload_text(const OffloadRecord& offload) {
  const QString setting = to_q(offload.setting);
  if (!offload.used()) return WordsText::tr("%1 not applied: %2").arg(setting, core_text(offload.not_applied));
  const auto per_step = [&offload](double sum) { return offload.per_step(sum); };
  QString facts =
      WordsText::tr("decode offload %1, per answer token: %2 of %3 tokens recomputed, %4 read, %5 (predicted %6)")
          .arg(setting)
          .arg(std::lround(per_step(static_cast<double>(offload.recomputed_tokens))))
          .arg(std::lround(per_step(static_cast<double>(offload.streamed_tokens))))
          .arg(bytes_text(per_step(static_cast<double>(offload.read_bytes()))), seconds_text(per_step(offload.seconds)),
               seconds_text(per_step(offload.predicted_seconds)));
  if (offload.resident_bytes == 0) return facts;
  return WordsText::tr("%1; %2 of the context stayed in memory")
      .arg(facts, bytes_text(static_cast<double>(offload.resident_bytes)));
}

QString speculation_text(const SpeculationRecord& speculation) {
  const QString setting = to_q(speculation.setting);
  if (!speculation.used())
    return WordsText::tr("speculation %1 not applied: %2").arg(setting, core_text(speculation.not_applied));
  return WordsText::tr("speculation %1: %2 tokens per pass, %3 of %4 drafts accepted")
      .arg(setting, number_text(speculation.tokens_per_pass()))
      .arg(speculation.accepted)
      .arg(speculation.drafted);
}

QString recomputed_text(const ComputeOrLoadRecord& met) {
  return WordsText::tr("%n token(s) recomputed from layer inputs in %1 (our extension)", nullptr,
                       met.tokens_from_inputs)
      .arg(seconds_text(met.recompute_seconds));
}

QString state_text(RunState state) {
  switch (state) {
    case RunState::loading:
      return WordsText::tr("Loading");
    case RunState::ready:
      return WordsText::tr("Ready");
    case RunState::running:
      return WordsText::tr("Running");
    case RunState::paused:
      return WordsText::tr("Paused");
    case RunState::finished:
      return WordsText::tr("Finished");
    case RunState::failed:
      return WordsText::tr("Failed");
    case RunState::closed:
      return WordsText::tr("Closed");
  }
  return {};
}

QString configuration_text(const std::string& method, double removed_fraction) {
  if (method == "none" || method.empty()) return WordsText::tr("uncompressed");
  return WordsText::tr("%1, %2 removed").arg(to_q(method), percent_text(removed_fraction));
}

QString configuration_short(const std::string& method, double removed_fraction) {
  if (method == "none" || method.empty()) return WordsText::tr("uncompressed");
  return QStringLiteral("%1 %2").arg(to_q(method), percent_text(removed_fraction));
}

QString tier_text(const Snapshot& snapshot, int tier) {
  if (tier < 0 || tier >= static_cast<int>(snapshot.tiers.size())) return WordsText::tr("not stored");
  return to_q(snapshot.tiers[static_cast<std::size_t>(tier)].name);
}

}  // namespace kvantage
