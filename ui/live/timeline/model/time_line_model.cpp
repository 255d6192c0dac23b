#include "ui/live/timeline/model/time_line_model.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr qsizetype annotation_letters = 30;
constexpr double annotation_told_seconds = 0.1;

QString annotation_label(const QString& text) {
  const QString line = text.section('\n', 0, 0);
  return line.size() <= annotation_letters ? line : line.left(annotation_letters - 1).trimmed() + QChar(0x2026);
}

bool is_setting_mark(RunMark::Kind kind) { return kind == RunMark::setting || kind == RunMark::policy; }

bool annotations_alike(const RunMark& one, const RunMark& other) {
  if (one.kind != other.kind) return false;
  return is_setting_mark(one.kind) ? one.name == other.name : one.kind == RunMark::fault && one.text == other.text;
}

/// Both as one; nothing where a setting is again what it was.
std::optional<TimeAnnotation> merged_annotation(const TimeAnnotation& before, RunMark mark, double seconds) {
  if (!is_setting_mark(mark.kind)) return TimeAnnotation{seconds, std::move(mark), before.count + 1};
  if (before.mark.before == mark.after) return std::nullopt;
  mark.before = before.mark.before;
  mark.text = QStringLiteral("%1: %2 → %3").arg(mark.name, mark.before, mark.after);
  return TimeAnnotation{seconds, std::move(mark), 1};
}

/// The older half of the kind that there is most of: faults by the thousand displace no setting change.
void thin_annotations(std::vector<TimeAnnotation>& annotations) {
  std::array<std::size_t, RunMark::kind_count> counts{};
  for (const TimeAnnotation& each : annotations) ++counts[each.mark.kind];
  const auto most = std::ranges::max_element(counts);
  const auto kind = static_cast<RunMark::Kind>(most - counts.begin());
  std::size_t left = (*most + 1) / 2;
  std::erase_if(annotations, [&](const TimeAnnotation& each) {
    if (each.mark.kind != kind || left == 0) return false;
    --left;
    return true;
  });
}

}  // namespace

QString TimeAnnotation::label() const {
  if (mark.name == QLatin1String("alpha"))
    return annotation_label(QStringLiteral("α %1 → %2").arg(mark.before, mark.after));
  if (mark.kind == RunMark::policy) return annotation_label(QStringLiteral("%1 → %2").arg(mark.before, mark.after));
  return count > 1 ? annotation_label(QStringLiteral("%1× %2").arg(count).arg(mark.text)) : annotation_label(mark.text);
}

QString TimeAnnotation::text() const {
  const QString what =
      mark.name == QLatin1String("alpha") ? QStringLiteral("α: %1 → %2").arg(mark.before, mark.after) : mark.text;
  const QString line =
      count > 1 ? TimeLineModel::tr("%1: %2 (%3 times)").arg(seconds_text(seconds), what, QString::number(count))
                : QStringLiteral("%1: %2").arg(seconds_text(seconds), what);
  return mark.detail.isEmpty() ? line : line + '\n' + mark.detail;
}

bool TimeLineModel::Content::add(const EventPayload& payload, double seconds) {
  now = std::max(now, seconds);
  std::optional<RunMark> mark = run_mark(payload);
  // Evictions are as many as requests; Occupancy shows them.
  if (!mark || mark->kind == RunMark::eviction) return false;
  add(*std::move(mark), seconds);
  return true;
}

void TimeLineModel::Content::add(RunMark mark, double seconds) {
  now = std::max(now, seconds);
  constexpr std::size_t most_looked_at = 64;  // in a file of others a million may be close together
  const std::size_t last = annotations.size() - std::min(annotations.size(), most_looked_at);
  for (std::size_t i = annotations.size(); i-- > last && annotations[i].seconds >= seconds - merge_seconds;) {
    if (!annotations_alike(annotations[i].mark, mark)) continue;
    const std::optional<TimeAnnotation> one = merged_annotation(annotations[i], std::move(mark), seconds);
    annotations.erase(annotations.begin() + static_cast<std::ptrdiff_t>(i));
    if (one) annotations.push_back(*one);
    return;
  }
  annotations.push_back({seconds, std::move(mark), 1});
  if (annotations.size() > annotation_limit) thin_annotations(annotations);
}

void TimeLineModel::apply(const Event& event, double seconds) {
  const bool noted = content_.add(event.payload, seconds);
  if (!noted && content_.now < told_ + annotation_told_seconds) return;
  told_ = content_.now;
  emit changed();
}

void TimeLineModel::state_changed(RunState state, double seconds) {
  const RunState before = std::exchange(state_, state);
  if (state == before) return;
  if (state == RunState::paused && before == RunState::running)
    content_.add(RunMark{RunMark::pause, tr("paused")}, seconds);
  else if (state == RunState::running && before == RunState::paused)
    content_.add(RunMark{RunMark::start, tr("resumed")}, seconds);
  else
    return;  // of the first start and of the end there are events
  told_ = content_.now;
  emit changed();
}

void TimeLineModel::clear() { set_content({}); }

void TimeLineModel::set_content(const Content& content) {
  content_ = content;
  told_ = content_.now;
  emit changed();
}

void TimeLineModel::swap_content(TimeLineModel& other) {
  std::swap(content_, other.content_);
  std::swap(state_, other.state_);
  told_ = content_.now;
  other.told_ = other.content_.now;
  emit changed();
}

TimeLineModel::Content annotations_of(const std::vector<Event>& events) {
  TimeLineModel::Content content;
  for (const Event& event : events)
    content.add(event.payload, static_cast<double>(event.monotonic_ns - events.front().monotonic_ns) * 1e-9);
  return content;
}

}  // namespace kvantage
