#include "ui/window/model/palette_model.h"

#include <QStringList>
#include <algorithm>
#include <optional>

#include "ui/text/fuzzy_match.h"

namespace kvantage {
namespace {

/// In the sentences of a tip nearly any letters are found in order: there a word counts as it is typed.
std::optional<double> palette_tip_match(const QString& query, const PaletteEntry& entry) {
  const QString name = entry.title + ' ' + entry.place;
  for (const QString& word : query.split(' ', Qt::SkipEmptyParts))
    if (!entry.tip.contains(word, Qt::CaseInsensitive) && !fuzzy_match(word, name)) return std::nullopt;
  return fuzzy_match(query, name + ' ' + entry.tip);
}

}  // namespace

void PaletteModel::set_entries(std::vector<PaletteEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  filter();
  endResetModel();
}

void PaletteModel::set_query(const QString& query) {
  beginResetModel();
  query_ = query;
  filter();
  endResetModel();
}

void PaletteModel::filter() {
  std::vector<std::pair<double, std::size_t>> found;
  const QString typed = query_.trimmed();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const PaletteEntry& entry = entries_[i];
    const auto title = fuzzy_match(query_, entry.title);
    // The name is what people remember; its place and its tip help, at a lower rank.
    const auto wide = fuzzy_match(query_, entry.title + ' ' + entry.place);
    const auto tip = palette_tip_match(query_, entry);
    if (!title && !wide && !tip) continue;
    const double rank = title ? 1000 + *title : wide ? 500 + *wide : *tip;
    constexpr double ahead = 40, hidden = -20;
    // What holds the query as it is typed is meant, even if it cannot be done now, rather than scattered letters.
    const bool literal = !typed.isEmpty() && entry.title.contains(typed, Qt::CaseInsensitive);
    const double place = (entry.of_menu_bar ? ahead : 0) + (entry.of_all_views ? ahead : 0);
    found.push_back(
        {rank + place + (entry.in_sight ? 0 : hidden) + (entry.enabled ? 0 : -300) + (literal ? 400 : 0), i});
  }
  if (!typed.isEmpty()) std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  shown_.clear();
  constexpr int max_alike = 3;
  int alike = 0;
  for (const auto& [rank, index] : found) {
    const PaletteEntry& entry = entries_[index];
    const bool one_of_many = !entry.view.isEmpty() && !typed.isEmpty() && !names_view(entry);
    if (!one_of_many || alike++ < max_alike) shown_.push_back(index);
  }
}

/// Whether a word of the query is a part of the view's name.
bool PaletteModel::names_view(const PaletteEntry& entry) const {
  const QStringList words = query_.split(' ', Qt::SkipEmptyParts);
  return std::ranges::any_of(words, [&](const QString& word) {
    return entry.view.contains(word, Qt::CaseInsensitive) && (word.size() > 1 || word.front().unicode() > 0xFF);
  });
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const PaletteEntry& shown = entry(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return shown.title;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2%3")
          .arg(shown.title, shown.place, shown.shortcut.isEmpty() ? QString() : ", " + shown.shortcut);
    case Qt::ToolTipRole:
    case tip_role:
      return shown.tip;
    case place_role:
      return shown.place;
    case shortcut_role:
      return shown.shortcut;
    case enabled_role:
      return shown.enabled;
    case checked_role:
      return shown.checked;
    default:
      return {};
  }
}

}  // namespace kvantage
