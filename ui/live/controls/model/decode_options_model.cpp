#include "ui/live/controls/model/decode_options_model.h"

#include <QFont>
#include <algorithm>

#include "core/ports/decode_eviction.h"
#include "ui/text/words.h"

namespace kvantage {

DecodeOptionsModel::DecodeOptionsModel(RunModel& run, SettingsController& settings, QObject* parent)
    : QAbstractTableModel(parent), run_(run), settings_(settings) {
  connect(&run_.selection, &Selection::contextChanged, this, &DecodeOptionsModel::read);
  connect(&settings_, &SettingsController::shownChanged, this, &DecodeOptionsModel::read);
  read();
}

void DecodeOptionsModel::read() {
  std::vector<DecodeOption> options;
  const std::string id = from_q(run_.selection.context());
  if (const auto snapshot = run_.snapshot(); snapshot && !id.empty()) {
    const auto found = std::ranges::find(snapshot->contexts, id, &ContextState::id);
    if (found != snapshot->contexts.end() && found->profile) options = found->profile->decode_options;
  }
  const DecodeOption* best = best_decode_option(options, settings_.shown().alpha);
  const int chosen = best != nullptr ? static_cast<int>(best - options.data()) : -1;
  if (options == options_ && chosen == chosen_) {
    emit changed();  // the note may be another one
    return;
  }
  beginResetModel();
  options_ = std::move(options);
  chosen_ = chosen;
  endResetModel();
  emit changed();
}

QString DecodeOptionsModel::note() const {
  const SessionSettings& shown = settings_.shown();
  if (chosen_ >= 0)
    return shown.decode_eviction == planned_decode_eviction
               ? tr("bold: chosen for this context at the current α")
               : tr("bold: what “planned” would choose at the current α (Controls > Decoding > Eviction)");
  if (run_.selection.context().isEmpty()) return tr("Select a context to see its decode options.");
  if (shown.decode_options.empty())
    return tr(
        "No decode options. List some under Controls > Decoding > Options, e.g. paged_eviction(budget=25%), "
        "or with --decode-options.");
  return tr(
      "The decode options of this context are not profiled yet. They are profiled beside its quality curve, under "
      "a policy that plans.");
}

int DecodeOptionsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(options_.size());
}
int DecodeOptionsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int{column_count};
}

QVariant DecodeOptionsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount() || at.column() >= column_count) return {};
  const DecodeOption& of = options_[static_cast<std::size_t>(at.row())];
  const bool chosen = at.row() == chosen_, measured = of.n > 0, timed = measured && of.gaps_per_answer > 0;
  if (role == chosen_role) return chosen;
  if (role == Qt::FontRole && chosen) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((at.column() == option ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    if (!measured) return tr("The model cannot decode this way");
    return tr("Quality %1, 95 % interval %2 to %3, on the context's uncompressed KV cache; %4 per answer after its "
              "first token")
        .arg(quality_text(of.quality), quality_text(of.quality_low), quality_text(of.quality_high),
             seconds_text(of.decode_seconds()));
  }
  if (role == sort_role) {
    if (at.column() == option) return to_q(of.option);
    if (at.column() == answers) return of.n;
    if (at.column() == quality) return measured ? of.quality : -1;
    return timed ? of.inter_token_seconds : -1;
  }
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case option:
      return of.option == "none" ? tr("none") : to_q(of.option);
    case quality:
      return quality_text(measured ? of.quality : -1);
    case latency:
      return timed ? QString::number(of.inter_token_seconds * 1e3, 'f', 1) : QStringLiteral("–");
    default:
      return of.n;
  }
}

QVariant DecodeOptionsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const char* const titles[] = {QT_TR_NOOP("Option"), QT_TR_NOOP("Quality"), QT_TR_NOOP("ms/token"),
                                       QT_TR_NOOP("n")};
  static const char* const tips[] = {QT_TR_NOOP("Decode-time eviction and its budget; none: keeps every KV entry"),
                                     QT_TR_NOOP("Mean score of the answers to the context's profile questions, 0 to 1"),
                                     QT_TR_NOOP("Mean inter-token latency, in ms, one answer at a time"),
                                     QT_TR_NOOP("Number of answers measured")};
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return tr(titles[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

}  // namespace kvantage
