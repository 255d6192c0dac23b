#include "ui/live/requests/requests_table.h"

#include "core/report/serving_ways.h"
#include "ui/text/words.h"

namespace kvantage {
ChartTable requests_table(const RequestsModel& model, const QAbstractProxyModel& shown) {
  ChartTable table{{"request", "context", "family", "source", "method", "removed_fraction", "context_tokens",
                    "kept_tokens", "bytes_loaded", "way", "tokens_from_inputs", "recompute_seconds",
                    "predicted_seconds", "ttft_service_seconds", "queue_seconds"},
                   {}};
  for (int i = 0; i < RequestsModel::segment_count; ++i)
    table.header << RequestsModel::segment_column(static_cast<RequestsModel::Segment>(i));
  table.header << QStringLiteral("mean_itl_seconds") << QStringLiteral("decode_eviction")
               << QStringLiteral("evicted_entries") << QStringLiteral("peak_kv_bytes")
               << QStringLiteral("decode_offload") << QStringLiteral("recomputed_tokens_per_token")
               << QStringLiteral("read_bytes_per_token") << QStringLiteral("step_seconds")
               << QStringLiteral("predicted_step_seconds") << QStringLiteral("speculation")
               << QStringLiteral("drafted_tokens") << QStringLiteral("accepted_tokens")
               << QStringLiteral("tokens_per_pass") << QStringLiteral("provenance")
               << model.headerData(RequestsModel::quality, Qt::Horizontal, Qt::DisplayRole).toString()
               << QStringLiteral("question") << QStringLiteral("answer");
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  for (int r = 0; r < shown.rowCount(); ++r) {
    const QModelIndex at = shown.mapToSource(shown.index(r, 0));
    const RequestsModel::Row* row = model.row(at.row());
    if (!row) continue;
    const RequestRecord& record = row->record;
    QStringList cells{QString::number(record.id), to_q(record.context_id), to_q(record.family)};
    if (row->running || record.cancelled) {
      cells << (row->running ? QStringLiteral("running") : QStringLiteral("cancelled"));
      while (cells.size() < table.header.size() - 2) cells << QString();
    } else {
      const bool compressed = record.source != "prefill" && (record.removed_fraction > 0 || record.method != "none");
      cells << to_q(record.source) << (compressed ? to_q(record.method) : QStringLiteral("none"))
            << number(compressed ? record.removed_fraction : 0) << QString::number(record.context_tokens)
            << QString::number(record.kept_tokens) << QString::number(record.bytes_loaded)
            << to_q(std::string(serving_way(record))) << QString::number(record.compute_or_load.tokens_from_inputs)
            << number(record.compute_or_load.recompute_seconds)
            << (predicted_service_seconds(record) < 0 ? QString() : number(predicted_service_seconds(record)))
            << number(record.timing.ttft_service_seconds) << number(record.timing.queue_seconds);
      for (const QVariant& part : at.data(RequestsModel::segments_role).toList()) cells << number(part.toDouble());
      const double quality = at.siblingAtColumn(RequestsModel::quality).data(RequestsModel::sort_role).toDouble();
      cells << (record.answer_tokens > 1 ? number(record.timing.mean_itl_seconds) : QString())
            << to_q(record.decoding.eviction) << QString::number(record.decoding.evicted_entries)
            << QString::number(record.decoding.peak_bytes);
      const auto& offload = record.decoding.offload;
      cells << (offload ? to_q(offload->setting) : QString());
      if (offload && offload->decoded())
        cells << number(offload->per_step(static_cast<double>(offload->recomputed_tokens)))
              << number(offload->per_step(static_cast<double>(offload->read_bytes())))
              << number(offload->per_step(offload->seconds)) << number(offload->per_step(offload->predicted_seconds));
      else
        cells << QString() << QString() << QString() << QString();
      const auto& speculation = record.decoding.speculation;
      cells << (speculation ? to_q(speculation->setting) : QString());
      if (speculation && speculation->decoded())
        cells << QString::number(speculation->drafted) << QString::number(speculation->accepted)
              << number(speculation->tokens_per_pass());
      else
        cells << QString() << QString() << QString();
      cells << QString::fromLatin1(to_string(record.provenance)) << (quality < 0 ? QString() : number(quality));
    }
    cells << to_q(record.question) << to_q(record.answer);
    table.rows.append(cells);
  }
  return table;
}

}  // namespace kvantage
