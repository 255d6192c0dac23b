// The samples that ship, to be opened by name. What there is comes from outside: the window knows no folders.
#pragma once

#include <QMenu>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

struct SampleEntry {
  QString name, path;
  QString description;  // what it shows, in a line: tool tip and status tip
};

/// Descriptions in a language of `languages()`, by LANGUAGE.texts in `folder` (ui/text/translated_texts.h). Those
/// without a translation stay English, as all do where the file is rejected_input.
Status translate_samples(std::vector<SampleEntry>& samples, const QString& folder, const QString& language);
/// A menu with an entry per sample; `open` gets the path of the one that is chosen.
QMenu* make_sample_menu(const std::vector<SampleEntry>& samples, const std::function<void(const QString& path)>& open,
                        QWidget* parent);

}  // namespace kvantage
