#include "ui/live/contexts/contexts_table.h"

#include "ui/text/words.h"

namespace kvantage {
ChartTable contexts_table(const ContextsModel& model, const QAbstractProxyModel& shown) {
  ChartTable table{{"context", "family", "tokens", "stored_bytes", "tier", "method", "removed_fraction", "frequency",
                    "quality_predicted", "quality_assumed", "quality_measured", "quality_measured_n",
                    "ttft_predicted_seconds", "ttft_measured_seconds", "ttft_measured_n", "ttft_provenance", "reason"},
                   {}};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  const auto mean = [&](const MeasuredMean& of) { return of.n == 0 ? QString() : number(of.mean); };
  for (int r = 0; r < shown.rowCount(); ++r) {
    const QModelIndex at = shown.mapToSource(shown.index(r, 0));
    const ContextsModel::Row* row = model.row(at.row());
    if (!row) continue;
    const ContextState& state = row->state;
    const bool stored = state.placement.stored();
    const bool compressed = stored && state.placement.removed_fraction > 0;
    table.rows.append({to_q(state.id), to_q(state.family), QString::number(state.tokens),
                       stored ? QString::number(state.stored_bytes) : QStringLiteral("0"),
                       at.siblingAtColumn(ContextsModel::tier).data().toString(),
                       compressed ? to_q(state.placement.method) : QStringLiteral("none"),
                       number(stored ? state.placement.removed_fraction : 0), number(state.frequency),
                       number(row->predicted_quality), row->quality_assumed ? QStringLiteral("1") : QStringLiteral("0"),
                       mean(row->quality), QString::number(row->quality.n), number(row->predicted_ttft_seconds),
                       mean(row->ttft), QString::number(row->ttft.n),
                       row->ttft.n == 0 ? QString()
                       : row->throttled ? QStringLiteral("shaped")
                                        : QStringLiteral("measured"),
                       row->reason});
  }
  return table;
}

}  // namespace kvantage
