#include "ui/live/controls/model/fault_presets.h"

#include <QCoreApplication>

#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FaultPresetsText {
  Q_DECLARE_TR_FUNCTIONS(FaultPresetsText)
};

constexpr double slow_disk_seconds = 0.02;
}  // namespace

const std::vector<FaultPreset>& fault_presets() {
  static const std::vector<FaultPreset> presets{
      {FaultPresetsText::tr("Bit flips"),
       FaultPresetsText::tr("Flips one bit of a read or write. Checksums detect it, and the read is a miss."), 0.05,
       [](double p) { return FaultPlan{.flip_on_read = p, .flip_on_write = p}; }},
      {FaultPresetsText::tr("Torn writes"),
       FaultPresetsText::tr("Writes only the first 4 KiB blocks but reports success. The next read detects it."), 0.05,
       [](double p) { return FaultPlan{.torn_write = p}; }},
      {FaultPresetsText::tr("Failing disk"),
       FaultPresetsText::tr(
           "Reads, writes and flushes fail (EIO), and reads are cut short. Reads are misses; writes are not placed."),
       0.05, [](double p) { return FaultPlan{.short_read = p, .read_error = p, .write_error = p, .sync_error = p}; }},
      {FaultPresetsText::tr("Full disk"),
       FaultPresetsText::tr("Writes fail (ENOSPC). Nothing new is placed here; stored caches are still served."), 1,
       [](double p) { return FaultPlan{.no_space = p}; }},
      {FaultPresetsText::tr("Slow disk"),
       FaultPresetsText::tr(
           "Delays each read, write and flush by %1 ms. Answers are correct but late; times count as throttled.")
           .arg(slow_disk_seconds * 1e3),
       0.2, [](double p) {
         return FaultPlan{.delay_on_read = {p, slow_disk_seconds}, .delay_on_write = {p, slow_disk_seconds}};
       }}};
  return presets;
}

std::optional<PresetFaults> recognized(const FaultPlan& plan) {
  for (std::size_t i = 0; i < fault_presets().size(); ++i)
    for (const double p :
         {plan.flip_on_read, plan.torn_write, plan.read_error, plan.no_space, plan.delay_on_read.probability})
      if (p > 0 && plan == fault_presets()[i].plan(p)) return PresetFaults{i, p};
  return std::nullopt;
}

QString faults_text(const std::string& text) {
  const auto faults = parse_faults(text);
  if (!faults || !faults->plan.any()) return {};
  const auto preset = recognized(faults->plan);
  if (!preset) return to_q(text);
  return FaultPresetsText::tr("%1 at %2, seed %3")
      .arg(fault_presets()[preset->preset].name, percent_text(preset->probability))
      .arg(faults->seed);
}

}  // namespace kvantage
