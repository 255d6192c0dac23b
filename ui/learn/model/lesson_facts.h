// Metrics that the words of a lesson may hold, {like this}: read from what the window shows at that moment, each with
// what it is (measured, simulated, predicted).
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "ui/session/run_model.h"

namespace kvantage {

/// measured: the present measured point. predicted: what is predicted of the present setting. sources: where the latest
/// answers came from. drifted: contexts found drifted and re-profiled. split: load and recomputation of one context
/// from the slowest tier, alone and overlapped (core/policy/overlap_split.h). met: the answer of met_request().
/// decoding: answers with and without decode-time eviction. compaction: dead slots of the pool, and what compaction
/// did. offload: answers with their cache on a tier, by setting.
const QStringList& lesson_fact_names();
/// Never empty: says what is waited for while the metric is not known.
QString lesson_fact(const QString& name, RunModel& run);
/// Bytes per second, in whole MB, at which an uncompressed context of median length loads in the time that its prefill
/// takes here; none before both are known. A lesson's "bandwidth = balanced".
std::optional<double> balanced_bandwidth(const RunModel& run);
/// The newest answer with a partly recomputed context, which the fact "met" describes; null while there is none.
const RequestRecord* met_request(const RunModel& run);
/// The text with its facts.
QString with_facts(QString text, RunModel& run);

}  // namespace kvantage
