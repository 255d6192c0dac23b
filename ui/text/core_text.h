// Sentences and terms that core writes, in the language of the window. Core has no translations: it writes English, as
// recorded runs and results hold it, and the English text is the key of a translation.
#pragma once

#include <QString>
#include <string_view>

namespace kvantage {

/// `english` in the language of the window: a row of the catalog in core_text.cpp, or a pattern of it with its
/// arguments, which are translated where they are rows themselves. Texts without a row, such as names, log lines and
/// raw errors, stay as they are, and so does everything in English. For what is shown alone: not for ids, and not for
/// what is exported, copied or compared. Any thread.
QString core_text(std::string_view english);
QString core_text(const QString& english);

}  // namespace kvantage
