#include "ui/papers/model/claims_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// A row of the verdicts that a result holds; null where it has none for the claim.
const std::vector<Json>* verdict_row(const FigureResult& result, const std::string& claim) {
  for (const FigureTable& table : result.tables) {
    if (table.title != claims_title || table.columns.size() < 6) continue;
    for (const auto& row : table.rows)
      if (row.front().is_string() && row.front().get<std::string>() == claim) return &row;
  }
  return nullptr;
}

}  // namespace

ClaimsModel::ClaimsModel(std::vector<PaperClaim> claims, const FigureResults& results, QObject* parent)
    : QAbstractTableModel(parent), claims_(std::move(claims)), results_(results) {
  connect(&results, &FigureResults::changed, this, [this] {
    read_results();
    if (!shown_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  });
}

void ClaimsModel::show_paper(const QString& paper_id) {
  beginResetModel();
  shown_.clear();
  const std::string prefix = from_q(paper_id) + "/";
  for (const PaperClaim& claim : claims_)
    if (claim.id.starts_with(prefix)) shown_.push_back(&claim);
  read_results();
  endResetModel();
}

void ClaimsModel::read_results() {
  measured_.clear();
  measured_.reserve(shown_.size());
  for (const PaperClaim* claim : shown_) measured_.push_back(measured(*claim));
}

ClaimsModel::Measured ClaimsModel::measured(const PaperClaim& claim) const {
  if (claim.figure.empty()) return {{}, {}, tr("out of scope: %1").arg(to_q(claim.out_of_scope))};
  const KeptFigure* kept = results_.newest(to_q(claim.figure));
  const std::vector<Json>* row = kept == nullptr ? nullptr : verdict_row(kept->result, claim.id);
  if (row == nullptr) return {{}, {}, tr("not reproduced yet")};
  const auto text = [row](std::size_t column) {
    return (*row)[column].is_null() ? QString() : to_q(figure_cell_text((*row)[column]));
  };
  return {text(3), text(4), core_text(from_q(text(5)))};
}

QString ClaimsModel::summary() const {
  std::vector<std::pair<QString, int>> counts;
  for (const Measured& one : measured_) {
    static const QRegularExpression colon(QStringLiteral("[:\\x{ff1a}]"));  // also that of Chinese
    const QString word = one.verdict.section(colon, 0, 0);
    const auto known = std::ranges::find(counts, word, &std::pair<QString, int>::first);
    if (known == counts.end())
      counts.emplace_back(word, 1);
    else
      ++known->second;
  }
  QStringList parts;
  for (const auto& [word, count] : counts) parts << QStringLiteral("%1 %2").arg(word).arg(count);
  return parts.join(QStringLiteral(", "));
}

int ClaimsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int ClaimsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant ClaimsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const PaperClaim& claim = *shown_[static_cast<std::size_t>(at.row())];
  const Measured& one = measured_[static_cast<std::size_t>(at.row())];
  const std::string span = span_text(claim);
  if (role == Qt::ToolTipRole)
    return at.column() == says ? QStringLiteral("%1\n%2 (%3)").arg(to_q(claim.says), to_q(claim.id), to_q(claim.where))
                               : data(at, Qt::DisplayRole);
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case says:
      return to_q(claim.says);  // in the words of the paper
    case paper:
      return span.empty() ? QString() : QStringLiteral("%1 %2").arg(to_q(span), to_q(claim.unit));
    case here:
      return one.here;
    case interval:
      return one.interval;
    case verdict:
      return one.verdict;
    case figure:
      return to_q(claim.figure);
    default:
      return {};
  }
}

QVariant ClaimsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const bool tip = role == Qt::ToolTipRole;
  switch (section) {
    case says:
      return tip ? tr("What the paper reports") : tr("Claim");
    case paper:
      return tip ? tr("Number or span in the paper, and its unit") : tr("Paper");
    case here:
      return tip ? tr("Measured on this machine, from the newest result of the figure") : tr("Here");
    case interval:
      return tip ? tr("95 % interval of the number here") : tr("Interval");
    case verdict:
      return tip ? tr("Whether our interval lies within the paper's span") : tr("Verdict");
    case figure:
      return tip ? tr("Figure that measures it; double-click to open it") : tr("Figure");
    default:
      return {};
  }
}

}  // namespace kvantage
