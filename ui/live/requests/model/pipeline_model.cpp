#include "ui/live/requests/model/pipeline_model.h"

#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

using Kind = RequestSpan::Kind;

// In tables and files. A tier reads and writes, so its lane is named by the kind.
const char* lane_id(Kind kind) {
  switch (PipelineModel::lane_of(kind)) {
    case PipelineModel::waiting:
      return "waiting";
    case PipelineModel::tier:
      return to_string(kind);
    case PipelineModel::unpacking:
      return "unpack";
    default:
      return "compute";
  }
}

QString gigabytes_per_second(const RequestSpan& span) {
  return QStringLiteral("%1 GB/s").arg(
      number_text(static_cast<double>(span.bytes) / static_cast<double>(span.duration_ns)));
}

/// Packing is no speed of the tier.
bool has_rate(const RequestSpan& span) { return span.bytes > 0 && span.duration_ns > 0 && span.kind != Kind::write; }

/// Of spans that begin before `ns`: with decode_offload, tokens after the first one wait for bytes as well.
double seconds_before(const RequestSpans& spans, Kind kind, double ns) {
  std::int64_t sum = 0;
  for (const RequestSpan& span : spans.spans)
    if (span.kind == kind && static_cast<double>(span.start_ns) < ns) sum += span.duration_ns;
  return static_cast<double>(sum) * 1e-9;
}

}  // namespace

QString PipelineModel::lane_name(Lane lane) {
  switch (lane) {
    case waiting:
      return tr("waiting");
    case tier:
      return tr("tier");
    case unpacking:
      return tr("unpack");
    default:
      return tr("compute");
  }
}

QString PipelineModel::kind_name(Kind kind) {
  switch (kind) {
    case Kind::queue:
      return tr("queueing");
    case Kind::lookup:
      return tr("lookup");
    case Kind::wait:
      return tr("waiting for bytes");
    case Kind::read:
      return tr("tier read");
    case Kind::write:
      return tr("tier write");
    case Kind::unpack:
      return tr("unpack");
    case Kind::context_prefill:
      return tr("context prefill");
    case Kind::question_prefill:
      return tr("question prefill");
    case Kind::prompt_eviction:
      return tr("prompt eviction");
    case Kind::recompute:
      return tr("recompute");
    case Kind::decode:
      return tr("decode");
  }
  return {};
}

QString PipelineModel::lane_tip(Lane lane) {
  switch (lane) {
    case waiting:
      return tr("Queueing, lookup, and stalls in which the model waits for bytes");
    case tier:
      return tr(
          "Tier read of each layer, on a thread of its own. With decode offload the context is packed and written to "
          "the slower tier before that.");
    case unpacking:
      return tr("Unpacking of layers into blocks, dequantization included");
    default:
      return tr("Layers that the model computes: context chunks, question, answer tokens");
  }
}

PipelineModel::Lane PipelineModel::lane_of(Kind kind) {
  switch (kind) {
    case Kind::queue:
    case Kind::lookup:
    case Kind::wait:
      return waiting;
    case Kind::read:
    case Kind::write:
      return tier;
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
  if (run_.has_stash()) {
    empty = tr("Recorded runs have no request timelines. Go back to the live run.");
  } else if (source_ == nullptr) {
    empty = tr("This session records no request timelines.");
  } else if (request == 0) {
    empty = run_.selection.context().isEmpty() ? tr("No request timeline yet. It appears once you press Start.")
                                               : tr("No request on %1 is answered yet.").arg(run_.selection.context());
  } else if (row == nullptr || row->running) {
    empty = tr("Request #%1 is not answered yet.").arg(request);
  } else {
    found = source_->spans_of(request);
    if (found == nullptr)
      empty = tr("The timeline of request #%1 is no longer in memory. Select a newer request, or clear the selection "
                 "to follow the latest.")
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
  if (record_.source == "prefill") return tr("#%1 %2, prefilled").arg(record_.id).arg(to_q(record_.context_id));
  return tr("#%1 %2, from %3, %4")
      .arg(record_.id)
      .arg(to_q(record_.context_id), core_text(record_.source),
           configuration_short(record_.method, record_.removed_fraction));
}

std::vector<PipelineModel::Part> PipelineModel::parts() const {
  std::vector<Part> parts;
  if (!spans_) return parts;
  double rest = record_.timing.ttft_seconds;
  for (const Kind kind : {Kind::queue, Kind::lookup, Kind::wait, Kind::unpack, Kind::context_prefill, Kind::write,
                          Kind::recompute, Kind::question_prefill}) {
    const double seconds = seconds_before(*spans_, kind, first_token_ns());
    rest -= seconds;
    if (seconds > 0) parts.push_back({kind, kind_name(kind), seconds});
  }
  parts.push_back({{}, tr("other"), rest});
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
  QStringList sentences{tr("TTFT %1 (%2) = %3")
                            .arg(seconds_text(record_.timing.ttft_seconds), provenance_text(record_.provenance),
                                 parts.join(QStringLiteral(" + ")))};
  if (const auto hidden = hidden_reading())
    sentences << tr("tier read %1, %2 of it overlapped")
                     .arg(seconds_text(span_seconds(*spans_, Kind::read)), percent_text(std::max(0.0, *hidden)));
  if (const ComputeOrLoadRecord& met = record_.compute_or_load; met.used())
    sentences << (met.loaded_tokens > 0
                      ? tr("first %1 tokens of the context recomputed while the other %2 loaded")
                            .arg(met.computed_tokens)
                            .arg(met.loaded_tokens)
                      : tr("all %1 tokens of the context recomputed, although it is stored").arg(met.computed_tokens))
              << tr("%1 to the first token, predicted %2, or %3 with loading only")
                     .arg(seconds_text(met.seconds), seconds_text(met.predicted_seconds),
                          seconds_text(met.load_alone_seconds));
  if (record_.compute_or_load.tokens_from_inputs > 0) sentences << recomputed_text(record_.compute_or_load);
  if (const double decoding = span_seconds(*spans_, Kind::decode); decoding > 0)
    sentences << tr("decoding %1").arg(seconds_text(decoding));
  if (const DecodingRecord& decoding = record_.decoding; decoding.used())
    sentences << tr("decode eviction %1: %2 KV entries evicted, peak %3")
                     .arg(to_q(decoding.eviction))
                     .arg(decoding.evicted_entries)
                     .arg(bytes_text(static_cast<double>(decoding.peak_bytes)));
  if (const auto& offload = record_.decoding.offload) {
    if (offload->used() && offload->stored_bytes > 0)
      sentences << tr("context written to the tier in %1 (%2)")
                       .arg(seconds_text(offload->write_seconds),
                            bytes_text(static_cast<double>(offload->stored_bytes)));
    sentences << offload_text(*offload);
  }
  if (spans_->left_out > 0)
    sentences << tr("%n later decoding span(s) not recorded", nullptr, static_cast<int>(spans_->left_out));
  return sentences.join(QStringLiteral("; "));
}

QString PipelineModel::span_text(const RequestSpan& span) const {
  QStringList what;
  if (span.layer >= 0) what << tr("Layer %1 of %2").arg(span.layer + 1).arg(spans_ ? spans_->layers : 0);
  what << kind_name(span.kind);
  if (span.kind == Kind::context_prefill || span.kind == Kind::question_prefill)
    what << tr("chunk %1 of %n token(s)", nullptr, static_cast<int>(span.tokens)).arg(span.step + 1);
  if (span.batch_tokens > span.tokens)
    what << tr("together with tokens of other requests: %1").arg(span.batch_tokens - span.tokens);
  if (span.kind == Kind::decode) {
    what << tr("answer token %1").arg(span.step + 1);
    if (span.layer < 0) what << tr("all layers");
    if (span.tokens > 1) what << tr("batched with %n other request(s)", nullptr, static_cast<int>(span.tokens) - 1);
  }
  if (span.kind == Kind::read && span.layer < 0) what << tr("header");
  if (span.kind == Kind::write) what << (span.layer < 0 ? tr("waiting until it is written") : tr("packing"));
  if (record_.compute_or_load.used() && lane_of(span.kind) != computing && span.bytes > 0)
    what << tr("segment %1").arg(span.step + 1);
  QString text = tr("%1: %2, starting at %3")
                     .arg(what.join(QStringLiteral(", ")), seconds_text(static_cast<double>(span.duration_ns) * 1e-9),
                          seconds_text(static_cast<double>(span.start_ns) * 1e-9));
  if (span.bytes > 0) {
    text += QStringLiteral("; %1").arg(bytes_text(static_cast<double>(span.bytes)));
    if (has_rate(span)) text += QStringLiteral(", ") + gigabytes_per_second(span);
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
        {QString::fromLatin1(lane_id(span.kind)), QString::fromLatin1(to_string(span.kind)),
         span.layer >= 0 ? QString::number(span.layer + 1) : QString(),
         lane_of(span.kind) == computing ? QString::number(span.step + 1) : QString(), seconds(span.start_ns),
         seconds(span.duration_ns), span.tokens > 0 ? QString::number(span.tokens) : QString(),
         span.bytes > 0 ? QString::number(span.bytes) : QString(),
         has_rate(span)
             ? QString::number(static_cast<double>(span.bytes) / (static_cast<double>(span.duration_ns) * 1e-9), 'g', 6)
             : QString()});
  return rows;
}

}  // namespace kvantage
