// Asks where to save something, without blocking the window.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace kvantage {

struct SaveQuestion {
  QString title;   // "Export run"
  QString name;    // proposed, with its ending
  QString ending;  // without a dot; added where a name has none
  QString filter;  // "Recorded runs (*.kvrun)"
};

/// `save` is called with the chosen path, once, or never.
void ask_where_to_save(QWidget* parent, const SaveQuestion& question, std::function<void(const QString& path)> save);
/// A box over `parent`. `reason`: in few words; empty: not known.
void say_not_saved(QWidget* parent, const QString& path, const QString& reason = {});

}  // namespace kvantage
