#include "ui/models/pipeline_model.h"

#include <algorithm>

#include "ui/models/words.h"

namespace kvantage {
namespace {

using Kind = RequestSpan::Kind;

QString gigabytes_per_second(const RequestSpan& span) {
  return QStringLiteral("%1 GB/s").arg(
      number_text(static_cast<double>(span.bytes) / static_cast<double>(span.duration_ns)));
}

}  // namespace

QString PipelineModel::lane_name(Lane lane) {
  switch (lane) {
    case waiting:
      return QStringLiteral("waiting");
    case reading:
      return QStringLiteral("tier read");
    case unpacking:
      return QStringLiteral("unpack");
    default:
      return QStringLiteral("compute");
  }
}

QString PipelineModel::lane_tip(Lane lane) {
  switch (lane) {
    case waiting:
      return QStringLiteral(
          "Queueing until its service began, lookup, and time in which the model needed bytes that were not there");
    case reading:
      return QStringLiteral("The tier's own time for each layer, on its thread, beside everything else");
    case unpacking:
      return QStringLiteral("Layers taken out of their serial form into blocks; coded ones are decoded here");
    default:
      return QStringLiteral(
          "Layers that the model computed: of the context's chunks, of the question, of each answer token");
  }
}

PipelineModel::Lane PipelineModel::lane_of(Kind kind) {
  switch (kind) {
    case Kind::queue:
    case Kind::lookup:
    case Kind::wait:
      return waiting;
    case Kind::read:
      return reading;
    case Kind::unpack:
      return unpacking;
    default:
      return computing;
  }
}

PipelineModel::PipelineModel(RunModel& run, const SpanSource* source, QObject* parent)
    : QObject(parent), run_(run), source_(source) {
  refresh();
}

std::uint64_t PipelineModel::wanted() const {
  if (run_.selection.request() != 0) return run_.selection.request();
  const std::string context = from_q(run_.selection.context());
  for (int row = run_.requests.rowCount() - 1; row >= 0; --row) {
    const RequestsModel::Row* at = run_.requests.row(row);
    if (at != nullptr && !at->running && (context.empty() || at->record.context_id == context)) return at->record.id;
  }
  return 0;
}

void PipelineModel::refresh() {
  std::shared_ptr<const RequestSpans> found;
  QString empty;
  const std::uint64_t request = wanted();
  const RequestsModel::Row* row = request == 0 ? nullptr : run_.requests.find(request);
  if (run_.something_aside()) {
    empty = QStringLiteral(
        "A recorded run has no time lines of its requests: they are kept in memory while a run is live. Go back to the "
        "live run.");
  } else if (source_ == nullptr) {
    empty = QStringLiteral("This session records no time lines.");
  } else if (request == 0) {
    empty = run_.selection.context().isEmpty()
                ? QStringLiteral("The time line of a request appears here when the first one is answered. Press Start.")
                : QStringLiteral("No request about %1 has been answered yet.").arg(run_.selection.context());
  } else if (row == nullptr || row->running) {
    empty = QStringLiteral("Request #%1 is not answered yet.").arg(request);
  } else {
    found = source_->spans_of(request);
    if (found == nullptr)
      empty = QStringLiteral(
                  "The time line of request #%1 is not kept any more: only the newest are. Choose a newer request, or "
                  "none to follow the latest.")
                  .arg(request);
  }
  if (found == spans_ && empty == empty_) return;
  spans_ = std::move(found);
  record_ = spans_ ? row->record : RequestRecord{};
  empty_ = empty;
  emit changed();
}

double PipelineModel::end_ns() const {
  double end = first_token_ns();
  if (spans_)
    for (const RequestSpan& span : spans_->spans) end = std::max(end, static_cast<double>(span.end_ns()));
  return end;
}

QString PipelineModel::title() const {
  if (!spans_) return {};
  return QStringLiteral("#%1 %2, %3%4")
      .arg(record_.id)
      .arg(to_q(record_.context_id),
           record_.source == "prefill" ? QStringLiteral("prefilled") : QStringLiteral("from ") + to_q(record_.source),
           record_.source == "prefill" ? QString()
                                       : ", " + configuration_short(record_.method, record_.removed_fraction));
}

std::vector<PipelineModel::Part> PipelineModel::parts() const {
  std::vector<Part> parts;
  if (!spans_) return parts;
  double rest = record_.timing.ttft_seconds;
  for (const Kind kind :
       {Kind::queue, Kind::lookup, Kind::wait, Kind::unpack, Kind::context_prefill, Kind::question_prefill}) {
    const double seconds = span_seconds(*spans_, kind);
    rest -= seconds;
    if (seconds > 0) parts.push_back({kind, QString::fromLatin1(to_string(kind)), seconds});
  }
  parts.push_back({{}, QStringLiteral("rest"), rest});
  return parts;
}

std::optional<double> PipelineModel::hidden_reading() const {
  if (!spans_) return {};
  std::int64_t read = 0, waited = 0;
  for (const RequestSpan& span : spans_->spans) {
    if (span.kind != Kind::read) continue;
    read += span.duration_ns;
    for (const RequestSpan& other : spans_->spans)
      if (other.kind == Kind::wait)
        waited += std::max<std::int64_t>(
            0, std::min(span.end_ns(), other.end_ns()) - std::max(span.start_ns, other.start_ns));
  }
  if (read == 0) return {};
  return 1 - static_cast<double>(waited) / static_cast<double>(read);
}

QString PipelineModel::summary() const {
  if (!spans_) return {};
  QStringList parts;
  for (const Part& part : this->parts())
    parts << QStringLiteral("%1 %2").arg(part.name, seconds_text(std::max(0.0, part.seconds)));
  QString text = QStringLiteral("TTFT %1 (%2) = %3")
                     .arg(seconds_text(record_.timing.ttft_seconds), provenance_text(record_.provenance),
                          parts.join(QStringLiteral(" + ")));
  if (const auto hidden = hidden_reading())
    text += QStringLiteral("; the tier read for %1, %2 of it while other work was done")
                .arg(seconds_text(span_seconds(*spans_, Kind::read)), percent_text(std::max(0.0, *hidden)));
  if (const ComputeOrLoadRecord& met = record_.compute_or_load; met.used())
    text +=
        (met.loaded_tokens > 0
             ? QStringLiteral("; the context's first %1 tokens were computed while the other %2 were read")
                   .arg(met.computed_tokens)
                   .arg(met.loaded_tokens)
             : QStringLiteral("; all %1 tokens of the context were computed, though it is stored")
                   .arg(met.computed_tokens)) +
        QStringLiteral(": %1 to the first token, predicted %2, and %3 for reading alone")
            .arg(seconds_text(met.seconds), seconds_text(met.predicted_seconds), seconds_text(met.load_alone_seconds));
  if (const double decoding = span_seconds(*spans_, Kind::decode); decoding > 0)
    text += QStringLiteral("; then decoding took %1").arg(seconds_text(decoding));
  if (spans_->left_out > 0) text += QStringLiteral("; %1 later spans of decoding are not kept").arg(spans_->left_out);
  return text;
}

QString PipelineModel::span_text(const RequestSpan& span) const {
  QString text = span.layer >= 0
                     ? QStringLiteral("Layer %1 of %2, ").arg(span.layer + 1).arg(spans_ ? spans_->layers : 0)
                     : QString();
  text += QString::fromLatin1(to_string(span.kind));
  if (span.kind == Kind::context_prefill || span.kind == Kind::question_prefill)
    text += QStringLiteral(", chunk %1 of %2 tokens").arg(span.step + 1).arg(span.tokens);
  if (span.kind == Kind::decode) {
    text += QStringLiteral(", answer token %1").arg(span.step + 1);
    if (span.layer < 0) text += QStringLiteral(", all layers");
    if (span.tokens > 1) text += QStringLiteral(", together with %1 other requests").arg(span.tokens - 1);
  }
  if (span.kind == Kind::read && span.layer < 0) text += QStringLiteral(", header");
  if (record_.compute_or_load.used() && lane_of(span.kind) != computing && span.bytes > 0)
    text += QStringLiteral(", piece %1").arg(span.step + 1);
  text += QStringLiteral(": %1 from %2 on")
              .arg(seconds_text(static_cast<double>(span.duration_ns) * 1e-9),
                   seconds_text(static_cast<double>(span.start_ns) * 1e-9));
  if (span.bytes > 0) {
    text += QStringLiteral("; %1").arg(bytes_text(static_cast<double>(span.bytes)));
    if (span.duration_ns > 0) text += QStringLiteral(", ") + gigabytes_per_second(span);
  }
  if (span.kind == Kind::read) text += QStringLiteral(" (%1)").arg(provenance_text(record_.provenance));
  return text;
}

QStringList PipelineModel::table_header() const {
  return {QStringLiteral("lane"),           QStringLiteral("what"),          QStringLiteral("layer"),
          QStringLiteral("chunk or token"), QStringLiteral("start_seconds"), QStringLiteral("seconds"),
          QStringLiteral("tokens"),         QStringLiteral("bytes"),         QStringLiteral("bytes_per_second")};
}

std::vector<QStringList> PipelineModel::table_rows() const {
  std::vector<QStringList> rows;
  if (!spans_) return rows;
  const auto seconds = [](std::int64_t ns) { return QString::number(static_cast<double>(ns) * 1e-9, 'g', 9); };
  for (const RequestSpan& span : spans_->spans)
    rows.push_back(
        {lane_name(lane_of(span.kind)), QString::fromLatin1(to_string(span.kind)),
         span.layer >= 0 ? QString::number(span.layer + 1) : QString(),
         lane_of(span.kind) == computing ? QString::number(span.step + 1) : QString(), seconds(span.start_ns),
         seconds(span.duration_ns), span.tokens > 0 ? QString::number(span.tokens) : QString(),
         span.bytes > 0 ? QString::number(span.bytes) : QString(),
         span.bytes > 0 && span.duration_ns > 0
             ? QString::number(static_cast<double>(span.bytes) / (static_cast<double>(span.duration_ns) * 1e-9), 'g', 6)
             : QString()});
  return rows;
}

}  // namespace kvantage
