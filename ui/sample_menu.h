// The samples that ship, to be opened by name. What there is comes from outside: the window knows no folders.
#pragma once

#include <QMenu>
#include <functional>
#include <vector>

namespace kvantage {

struct SampleEntry {
  QString name, path;
  QString description;  // what it shows, in a line: tool tip and status tip
};

/// A menu with an entry per sample; `open` gets the path of the one that is chosen.
QMenu* make_sample_menu(const std::vector<SampleEntry>& samples, const std::function<void(const QString& path)>& open,
                        QWidget* parent);

}  // namespace kvantage
