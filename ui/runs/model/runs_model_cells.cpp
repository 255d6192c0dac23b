// What the columns of the list of runs show, say in tips, and are sorted by.
#include <utility>

#include "ui/runs/model/runs_model.h"
#include "ui/runs/model/runs_row.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr qsizetype max_moves_told = 15;  // in a tip

std::string quality_name(const RunsModel::Row& row) {
  if (!row.metrics || row.metrics->quality().empty() || row.metrics->quality().contains(row.quality_metric))
    return row.quality_metric;
  return row.metrics->quality().begin()->first;
}

}  // namespace

bool RunsModel::less(const Row& a, const Row& b, int column) {
  switch (column) {
    case started:
      return a.run.summary.started_utc_ns < b.run.summary.started_utc_ns;
    case alpha:
      return a.alpha_value < b.alpha_value;
    case requests:
      return a.run.summary.requests < b.run.summary.requests;
    case ttft:
      return a.ttft_seconds < b.ttft_seconds;
    case quality:
      return a.mean_quality < b.mean_quality;
    default: {
      const QString &first = a.cells[static_cast<std::size_t>(column)],
                    &second = b.cells[static_cast<std::size_t>(column)];
      return first != second && QString::compare(first, second, Qt::CaseInsensitive) < 0;  // most are equal
    }
  }
}

QVariant RunsModel::tip(const Row& row, int column) const {
  const RunSummary& run = row.run.summary;
  switch (column) {
    case started:
      return row.ended() ? tr("%1\nduration %2")
                               .arg(to_q(run.run_id),
                                    seconds_text(static_cast<double>(run.finished_utc_ns - run.started_utc_ns) * 1e-9))
                         : to_q(run.run_id);
    case ttft:
      if (!row.metrics || row.metrics->answered() == 0) return tr("No answered requests yet");
      return tr("Mean TTFT over %n answered request(s) (%1); %2 with queueing", nullptr,
                static_cast<int>(row.metrics->answered()))
          .arg(provenance_text(row.metrics->provenance()), seconds_text(row.metrics->ttft_seconds().mean()));
    case quality: {
      const RunMetrics::Mean* mean = quality_of(row);
      if (!mean) return tr("No scored answers yet");
      return tr("Mean %1 over %n held-out answer(s) (measured)", nullptr, static_cast<int>(mean->n))
          .arg(core_text(row.metrics->quality_name(quality_name(row))));
    }
    case moved:
      if (!row.moves) return tr("Not read yet");
      return row.moves->empty() ? tr("No settings changed during the run")
                                : run_moves_lines(*row.moves, max_moves_told).join('\n');
    case state:
      if (row.ended() || to_q(run.run_id) == present_run_) return row.cells[state];
      return row.being_recorded() ? tr("Being recorded by another window or command")
                                  : tr("No end is recorded, so the recording program was killed");
    case requests:
      return tr("%n finished request(s), including warm-up and canceled ones", nullptr, static_cast<int>(run.requests));
    case tags:
      return row.run.notes.tags.empty() ? QVariant(tr("Double-click or press F2 to add tags, separated by commas"))
                                        : QVariant(row.cells[static_cast<std::size_t>(column)]);
    case notes:
      return row.run.notes.text.empty() ? QVariant(tr("Double-click or press F2 to add a note"))
                                        : QVariant(row.cells[static_cast<std::size_t>(column)]);
    default:
      return row.cells[static_cast<std::size_t>(column)];
  }
}

QVariant RunsModel::data(const QModelIndex& at, int role) const {
  const Row* row = at.isValid() ? this->row(at.row()) : nullptr;
  if (!row) return {};
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return row->cells[static_cast<std::size_t>(at.column())];
    case Qt::ToolTipRole:
      return tip(*row, at.column());
    case run_id_role:
      return to_q(row->run.summary.run_id);
    case moves_role:
      return row->moves
                 ? run_moves_lines(*row->moves, static_cast<qsizetype>(row->moves->size())).join(QStringLiteral("; "))
                 : QString();
    case Qt::TextAlignmentRole: {
      const bool metric =
          at.column() == alpha || at.column() == requests || at.column() == ttft || at.column() == quality;
      return static_cast<int>((metric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  static const char* const titles[] = {
      QT_TR_NOOP("Started"),  QT_TR_NOOP("Policy"), QT_TR_NOOP("Workload"), QT_TR_NOOP("α"),     QT_TR_NOOP("Changed"),
      QT_TR_NOOP("Requests"), QT_TR_NOOP("TTFT"),   QT_TR_NOOP("Quality"),  QT_TR_NOOP("State"), QT_TR_NOOP("Tags"),
      QT_TR_NOOP("Budgets"),  QT_TR_NOOP("Model"),  QT_TR_NOOP("Notes")};
  static const char* const tips[] = {
      QT_TR_NOOP("Local time at the start of the run"),
      QT_TR_NOOP("Policy at the start of the run"),
      QT_TR_NOOP("Name of the served workload"),
      QT_TR_NOOP("α at the start of the run, in s per unit of quality"),
      QT_TR_NOOP("Settings that changed during the run. Hover over a row for the times."),
      QT_TR_NOOP("Finished requests"),
      QT_TR_NOOP("Mean TTFT without queueing over answered requests after warm-up"),
      QT_TR_NOOP("Mean of the run's quality metric over held-out answers, 0 to 1"),
      QT_TR_NOOP("How the run ended. Aborted: no end is recorded, and no program is recording it."),
      QT_TR_NOOP("Your tags, separated by commas"),
      QT_TR_NOOP("Tier budgets at the start of the run, fastest first"),
      QT_TR_NOOP("Name of the model"),
      QT_TR_NOOP("Your note on the run")};
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return role == Qt::DisplayRole ? QVariant(tr(titles[section])) : QVariant();
}

}  // namespace kvantage
