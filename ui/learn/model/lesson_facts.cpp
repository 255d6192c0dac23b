#include "ui/learn/model/lesson_facts.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/learn/model/lesson_metrics.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct LessonFactsText {
  Q_DECLARE_TR_FUNCTIONS(LessonFactsText)
};

QString measured(RunModel& run) {
  const auto ttft = lesson_metric(QStringLiteral("measured_ttft"), run);
  const auto point = present_measured(run);
  if (!ttft || !point) return LessonFactsText::tr("no answers with this setting yet");
  return LessonFactsText::tr("quality %1, TTFT %2 (%3, n = %4)")
      .arg(quality_text(point->quality.mean), seconds_text(ttft->value), provenance_text(ttft->provenance))
      .arg(ttft->n);
}

QString predicted(RunModel& run) {
  const auto present = run.frontier.present();
  return present ? LessonFactsText::tr("quality %1, TTFT %2 (predicted)")
                       .arg(quality_text(present->quality), seconds_text(present->ttft_seconds))
                 : LessonFactsText::tr("no prediction yet");
}

QString sources(RunModel& run) {
  QStringList parts;
  for (std::size_t source = 0; source < run.hit_rates.sources().size(); ++source)
    if (const double rate = run.hit_rates.latest(source, HitRateModel::by_requests, 25); rate > 0)
      parts << QStringLiteral("%1 %2").arg(run.hit_rates.sources()[source], percent_text(rate));
  return parts.isEmpty() ? LessonFactsText::tr("no answers yet") : parts.join(QStringLiteral(", "));
}

QString drifted(RunModel& run) {
  int found = 0, again = 0;
  for (int row = 0; row < run.log.rowCount(); ++row) {
    const QString kind = run.log.index(row, EventsModel::kind).data().toString();
    found += kind == QStringLiteral("drift.detected");
    again += kind == QStringLiteral("context.profiled") &&
             run.log.index(row, EventsModel::text).data(EventsModel::after_drift_role).toBool();
  }
  return LessonFactsText::tr("%1 drifted, %2 re-profiled").arg(found).arg(again);
}

// Of the context of median length, uncompressed, from the slowest tier.
QString split(RunModel& run) {
  const auto found = median_split(run);
  if (!found) return LessonFactsText::tr("no tier is fitted yet");
  const ContextState& context = *found->context;
  const TierState& tier = *found->tier;
  const OverlapSplit& both = found->both;
  const QString form = both.recomputed_tokens < 1 ? LessonFactsText::tr("loading everything is fastest")
                       : both.recomputed_tokens >= context.tokens
                           ? LessonFactsText::tr("recomputing everything is fastest")
                           : LessonFactsText::tr("recompute the first %1 tokens while loading the other %2")
                                 .arg(std::lround(both.recomputed_tokens))
                                 .arg(std::lround(context.tokens - both.recomputed_tokens));
  return (tier.throttled ? LessonFactsText::tr("%1 (%2 tokens, %3) from %4 at %5:\nload all: %6; recompute all: "
                                               "%7\nsplit: %8\noverlapped: %9 (predicted from "
                                               "measured fits; the tier is throttled)")
                         : LessonFactsText::tr("%1 (%2 tokens, %3) from %4 at %5:\nload all: %6; recompute all: "
                                               "%7\nsplit: %8\noverlapped: %9 (predicted from "
                                               "measured fits)"))
      .arg(to_q(context.id))
      .arg(context.tokens)
      .arg(bytes_text(static_cast<double>(context.full_bytes)), to_q(tier.name), rate_text(tier.model.bytes_per_second),
           seconds_text(both.load_seconds), seconds_text(both.prefill_seconds), form, seconds_text(both.seconds));
}

QString met(RunModel& run) {
  const RequestRecord* record = met_request(run);
  if (record == nullptr) return LessonFactsText::tr("no answer with a partly recomputed context yet");
  const ComputeOrLoadRecord& both = record->compute_or_load;
  return LessonFactsText::tr(
             "#%1 %2: first %3 tokens recomputed while the other %4 loaded from %5; TTFT %6 (%7), predicted %8, or "
             "%9 with loading only")
      .arg(record->id)
      .arg(to_q(record->context_id))
      .arg(both.computed_tokens)
      .arg(both.loaded_tokens)
      .arg(core_text(record->source), seconds_text(both.seconds), provenance_text(record->provenance),
           seconds_text(both.predicted_seconds), seconds_text(both.load_alone_seconds));
}

/// With and without decode-time eviction.
QString decoding(RunModel& run) {
  const ComparedDecoding means_of = decoding_means(run);
  QStringList lines;
  const auto add = [&lines](const QString& name, const DecodingMeans& means) {
    if (means.answers == 0) return;
    lines << LessonFactsText::tr(
                 "%1: KV cache %2 at the end of an answer, inter-token latency %3 (means of %4, measured)")
                 .arg(name, bytes_text(means.held_bytes), seconds_text(means.itl_seconds))
                 .arg(means.answers);
  };
  add(LessonFactsText::tr("without eviction"), means_of.without);
  add(LessonFactsText::tr("with eviction"), means_of.with);
  return lines.isEmpty() ? LessonFactsText::tr("no answer of two or more tokens yet") : lines.join('\n');
}

/// Means over the newest answers with their cache on a tier, by setting, the newest setting last.
QString offload(RunModel& run) {
  constexpr int newest = 12;
  constexpr std::size_t settings = 4;
  struct Means {
    std::string setting;
    int answers = 0;
    double seconds = 0, bytes = 0, recomputed = 0, resident = 0;
  };
  std::vector<Means> all;
  for (int row = run.requests.rowCount() - 1; row >= 0; --row) {
    const RequestsModel::Row* at = run.requests.row(row);
    if (at == nullptr || at->running || at->record.cancelled || !at->record.decoding.offload) continue;
    const OffloadRecord& offload = *at->record.decoding.offload;
    if (!offload.decoded()) continue;
    auto means = std::ranges::find(all, offload.setting, &Means::setting);
    if (means == all.end() && all.size() == settings) break;
    if (means == all.end()) means = all.insert(all.end(), Means{.setting = offload.setting});
    if (means->answers == newest) continue;
    ++means->answers;
    means->seconds += offload.per_step(offload.seconds);
    means->bytes += offload.per_step(static_cast<double>(offload.read_bytes()));
    means->recomputed += offload.per_step(static_cast<double>(offload.recomputed_tokens));
    means->resident += static_cast<double>(offload.resident_bytes);
  }
  QStringList lines;
  for (const Means& means : all) {
    const double n = means.answers;
    lines.prepend(
        LessonFactsText::tr("%1: %2 per answer token, %3 read, %4 tokens recomputed, %5 in memory (means of %6)")
            .arg(to_q(means.setting), seconds_text(means.seconds / n), bytes_text(means.bytes / n))
            .arg(std::lround(means.recomputed / n))
            .arg(bytes_text(means.resident / n))
            .arg(means.answers));
  }
  return lines.isEmpty() ? LessonFactsText::tr("no answer with its cache on a tier yet") : lines.join('\n');
}

/// Of the samples of the session's pool: how many slots eviction left dead, and what compaction did about it.
QString compaction(RunModel& run) {
  if (!run.pool.report() || run.pool.samples().empty()) return LessonFactsText::tr("the pool is not known yet");
  constexpr std::size_t newest = 40;
  const auto& samples = run.pool.samples();
  std::uint64_t dead = 0;
  for (std::size_t i = samples.size() - std::min(newest, samples.size()); i < samples.size(); ++i)
    dead = std::max(dead, samples[i].pool.dead_slots);
  const PoolReport& now = *run.pool.report();
  const CompactionCounts done = decoding_so_far(now).compactions;
  QStringList lines{
      LessonFactsText::tr("up to %n dead slot(s) in the newest samples", nullptr, static_cast<int>(dead))};
  if (now.step_seconds > 0) lines << LessonFactsText::tr("%1 per decoding step").arg(seconds_text(now.step_seconds));
  if (done.passes > 0)
    lines << LessonFactsText::tr("%n compaction pass(es): %1 blocks freed, %2 KV entries moved, %3 in all (measured)",
                                 nullptr, static_cast<int>(done.passes))
                 .arg(done.blocks_freed)
                 .arg(done.slot_copies)
                 .arg(seconds_text(done.seconds));
  else
    lines << LessonFactsText::tr("no compaction pass yet");
  return lines.join('\n');
}

using Fact = QString (*)(RunModel&);
const std::vector<std::pair<QString, Fact>>& facts() {
  static const std::vector<std::pair<QString, Fact>> all = {
      {QStringLiteral("measured"), measured}, {QStringLiteral("predicted"), predicted},
      {QStringLiteral("sources"), sources},   {QStringLiteral("drifted"), drifted},
      {QStringLiteral("split"), split},       {QStringLiteral("met"), met},
      {QStringLiteral("decoding"), decoding}, {QStringLiteral("compaction"), compaction},
      {QStringLiteral("offload"), offload}};
  return all;
}

}  // namespace

const QStringList& lesson_fact_names() {
  static const QStringList names = [] {
    QStringList list;
    for (const auto& [name, fact] : facts()) list << name;
    return list;
  }();
  return names;
}

QString lesson_fact(const QString& name, RunModel& run) {
  for (const auto& [known, fact] : facts())
    if (known == name) return fact(run);
  return {};
}

// Its context was partly computed while the rest was read.
const RequestRecord* met_request(const RunModel& run) {
  for (int row = run.requests.rowCount() - 1; row >= 0; --row) {
    const RequestsModel::Row* at = run.requests.row(row);
    if (at == nullptr || at->running) continue;
    const ComputeOrLoadRecord& both = at->record.compute_or_load;
    if (both.computed_tokens > 0 && both.loaded_tokens > 0) return &at->record;
  }
  return nullptr;
}

std::optional<double> balanced_bandwidth(const RunModel& run) {
  const auto snapshot = run.snapshot();
  if (!snapshot || snapshot->contexts.empty()) return std::nullopt;
  const ContextState& context = median_context(*snapshot);
  const double seconds = snapshot->prefill.seconds(context.tokens);
  if (!(seconds > 0) || context.full_bytes == 0) return std::nullopt;
  return std::round(std::max(1.0, static_cast<double>(context.full_bytes) / seconds / 1e6)) * 1e6;
}

QString with_facts(QString text, RunModel& run) {
  for (const auto& [name, fact] : facts()) {
    const QString place = QStringLiteral("{%1}").arg(name);
    if (text.contains(place)) text.replace(place, fact(run));
  }
  return text;
}

}  // namespace kvantage
