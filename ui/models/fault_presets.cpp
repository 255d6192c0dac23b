#include "ui/models/fault_presets.h"

#include "ui/models/words.h"

namespace kvantage {
namespace {
constexpr double slow_disk_seconds = 0.02;
}  // namespace

const std::vector<FaultPreset>& fault_presets() {
  static const std::vector<FaultPreset> presets{
      {QStringLiteral("Flipped bits"),
       QStringLiteral("One bit of what is read or written is wrong. Checksums find it: the read is a miss."), 0.05,
       [](double p) { return FaultPlan{.flip_on_read = p, .flip_on_write = p}; }},
      {QStringLiteral("Torn writes"),
       QStringLiteral(
           "Only the first blocks of 4 KiB of a write arrive, and the device says that all did. The next read "
           "finds it."),
       0.05, [](double p) { return FaultPlan{.torn_write = p}; }},
      {QStringLiteral("Failing disk"),
       QStringLiteral("Reads, writes and flushes are refused (EIO), reads end early. Reads are misses, writes are not "
                      "placed."),
       0.05, [](double p) { return FaultPlan{.short_read = p, .read_error = p, .write_error = p, .sync_error = p}; }},
      {QStringLiteral("Full disk"),
       QStringLiteral("Writes find no room (ENOSPC). Nothing new is placed here; what is stored still serves."), 1,
       [](double p) { return FaultPlan{.no_space = p}; }},
      {QStringLiteral("Slow disk"),
       QStringLiteral(
           "Reads, writes and flushes are held up by %1 ms each. Answers are right and late; times are shaped.")
           .arg(slow_disk_seconds * 1e3),
       0.2, [](double p) {
         return FaultPlan{.delay_on_read = {p, slow_disk_seconds}, .delay_on_write = {p, slow_disk_seconds}};
       }}};
  return presets;
}

std::optional<PresetFaults> recognised(const FaultPlan& plan) {
  for (std::size_t i = 0; i < fault_presets().size(); ++i)
    for (const double p :
         {plan.flip_on_read, plan.torn_write, plan.read_error, plan.no_space, plan.delay_on_read.probability})
      if (p > 0 && plan == fault_presets()[i].plan(p)) return PresetFaults{i, p};
  return std::nullopt;
}

QString faults_words(const std::string& text) {
  const auto faults = parse_faults(text);
  if (!faults || !faults->plan.any()) return {};
  const auto preset = recognised(faults->plan);
  if (!preset) return to_q(text);
  return QStringLiteral("%1 at %2, seed %3")
      .arg(fault_presets()[preset->preset].name, percent_text(preset->probability))
      .arg(faults->seed);
}

}  // namespace kvantage
