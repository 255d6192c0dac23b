// What the command palette offers, filtered and ordered by a few letters.
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <functional>
#include <vector>

namespace kvantage {

struct PaletteEntry {
  QString title;     // "Dark theme"
  QString place;     // where it stands: "View", "Run > Inject faults > ssd", "Controls"
  QString shortcut;  // as on the keyboard here; empty: none
  QString tip;       // a line about it
  bool enabled = true, checked = false;
  std::function<void()> run;
  bool of_menu_bar = false;   // comes before views and controls that are found as well
  QString view = {};          // of one of many alike (exports): of which view; few are listed until its name is typed
  bool in_sight = true;       // that view, on the screen now
  bool of_all_views = false;  // does for all views what others do for one: before others of the menu bar
};

class PaletteModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { place_role = Qt::UserRole + 1, shortcut_role, tip_role, enabled_role, checked_role };

  using QAbstractListModel::QAbstractListModel;
  void set_entries(std::vector<PaletteEntry> entries);
  /// Best first; of those found by their name, the ones that can be run before those that cannot. Empty: all, in their
  /// order.
  void set_query(const QString& query);
  const PaletteEntry& entry(int row) const { return entries_[shown_[static_cast<std::size_t>(row)]]; }
  const std::vector<PaletteEntry>& all() const { return entries_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  void filter();
  bool names_view(const PaletteEntry& entry) const;
  std::vector<PaletteEntry> entries_;
  std::vector<std::size_t> shown_;
  QString query_;
};

}  // namespace kvantage
