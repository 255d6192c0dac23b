// A word of a command line as a shell reads it.
#pragma once

#include <QString>

namespace kvantage {

/// In single quotes where it needs them.
inline QString shell_word(const QString& word) {
  static const QString plain =
      QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+%");
  for (const QChar letter : word)
    if (!plain.contains(letter)) return '\'' + QString(word).replace('\'', QStringLiteral("'\\''")) + '\'';
  return word.isEmpty() ? QStringLiteral("''") : word;
}

}  // namespace kvantage
