#include "ui/live/contexts/imported/model/what_if_model.h"

#include <algorithm>
#include <utility>

#include "core/imported/ttft_table.h"
#include "core/imported/use_imported.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct WhatIfMade {
  Expected<std::vector<WhatIfPoint>> points;
  std::string source;
};

/// With what is imported; the times' day is that of the curves.
WhatIfMade compute_what_if(WhatIf asked, const ImportedProfile& profile, const std::string& times,
                           const LatestJob::GivenUp& given_up) {
  const auto failed = [](Error error) { return WhatIfMade{tl::unexpected(std::move(error)), {}}; };
  if (const Status used = use_profile(asked.preset, profile); !used) return failed(used.error());
  if (!times.empty()) {
    const auto table = read_ttft_table(times, {}, profile.source.date);
    if (!table) return failed(table.error());
    if (const Status used = use_times(asked.preset, *table); !used) return failed(used.error());
  }
  auto points = what_if(asked, given_up);
  return {std::move(points), asked.preset.source};
}

}  // namespace

WhatIfModel::WhatIfModel(ImportedCurves& curves, QString presets, QObject* parent)
    : QObject(parent), curves_(curves), folder_(std::move(presets)) {
  connect(&curves_, &ImportedCurves::changed, this, &WhatIfModel::compute);
}

void WhatIfModel::open() {
  if (std::exchange(opened_, true)) return;
  if (!folder_.isEmpty()) {
    if (auto read = read_presets(from_q(folder_)))
      presets_ = *std::move(read);
    else
      unread_ = core_text(read.error().message);
  }
  // One with times of its own first: nothing else is needed.
  auto first = std::ranges::find_if(presets_, [](const SimulatorPreset& one) { return one.prefill.has_value(); });
  if (first == presets_.end()) first = presets_.begin();
  if (first != presets_.end()) preset_ = to_q(first->name);
  compute();
}

QStringList WhatIfModel::presets() const {
  QStringList names;
  for (const SimulatorPreset& one : presets_) names << to_q(one.name);
  return names;
}

void WhatIfModel::choose_preset(const QString& name) {
  if (std::exchange(preset_, name) != name) compute();
}

void WhatIfModel::set_trace(const QString& path) {
  trace_ = path;
  compute();
}

void WhatIfModel::set_times(const QString& path) {
  times_ = path;
  compute();
}

void WhatIfModel::set_share(std::size_t tier, double share) {
  if (std::exchange(shares_.at(tier), share) != share) compute();
}

void WhatIfModel::say(const QString& text) {
  busy_ = false;
  points_.clear();
  note_ = text;
  emit changed();
}

void WhatIfModel::compute() {
  if (!opened_) return;
  ++number_;
  job_.cancel();
  const auto preset = std::ranges::find(presets_, from_q(preset_), &SimulatorPreset::name);
  if (preset == presets_.end()) return say(unread_.isEmpty() ? tr("No published models are there.") : unread_);
  const ImportedProfile* profile = curves_.profile();
  if (profile == nullptr) return say(tr("Import quality curves first, on the page Imported."));
  if (trace_.isEmpty()) return say(tr("Choose a trace: recorded traffic of another system."));
  WhatIf asked;
  asked.preset = *preset;
  asked.dataset = from_q(curves_.dataset());
  asked.tier_shares.assign(shares_.begin(), shares_.end());
  asked.trace = from_q(trace_);
  points_.clear();
  note_ = tr("Simulating…");
  busy_ = true;
  emit changed();
  job_.start([this, number = number_, asked = std::move(asked), curves = *profile,
              times = from_q(times_)](const LatestJob::GivenUp& given_up) {
    WhatIfMade made = compute_what_if(asked, curves, times, given_up);
    if (given_up()) return;
    QMetaObject::invokeMethod(
        this, [this, number, made = std::move(made)] { take(number, made.points, to_q(made.source)); },
        Qt::QueuedConnection);
  });
}

void WhatIfModel::take(std::uint64_t number, const Expected<std::vector<WhatIfPoint>>& made, const QString& source) {
  if (number != number_) return;  // something has changed since
  if (!made) return say(core_text(made.error().message));
  busy_ = false;
  points_ = *made;
  note_ = tr("Simulated on imported curves: %1").arg(source);
  emit changed();
}

}  // namespace kvantage
