// kvantage-cli as a user starts it: another process, its two streams and its exit code.
#pragma once

#include <QProcess>
#include <QRegularExpression>
#include <QStringList>

#include <filesystem>
#include <string>
#include <vector>

namespace kvantage::test {

struct Answer {
  int exit_code = -1;  // -1: it did not end by itself (a signal, or out of time)
  QString out, error;

  QStringList error_lines() const { return error.split('\n', Qt::SkipEmptyParts); }
  /// Whether every error, warning and note has at most max_message_characters.
  bool is_of_short_lines() const {
    constexpr qsizetype most = 300;
    for (const QString& line : error_lines())
      if (line.toUcs4().size() > most) return false;
    return true;
  }
  /// What to show when a claim about it fails.
  QByteArray text() const {
    return QStringLiteral("exit code %1\n%2\n%3").arg(exit_code).arg(out, error).toLocal8Bit();
  }
};

inline QString command_line_program() { return QStringLiteral(KVANTAGE_BINARY_DIR "/app/kvantage-cli"); }
inline QString window_program() { return QStringLiteral(KVANTAGE_BINARY_DIR "/app/kvantage"); }

/// Runs a program to its end: its name and its arguments.
inline Answer call_words(const QStringList& whole) {
  QProcess process;
  process.start(whole.front(), whole.mid(1));
  if (!process.waitForFinished(300000)) {
    process.kill();
    process.waitForFinished();
    return {-1, "", "did not end in time: " + whole.join(' ')};
  }
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}

/// `wrapper`: a program and its arguments to run kvantage-cli under.
inline Answer call(const QStringList& arguments, const QStringList& wrapper = {}) {
  return call_words(wrapper + QStringList{command_line_program()} + arguments);
}
/// The window's program, for command lines that end before it opens.
inline Answer call_window(const QStringList& arguments) {
  return call_words(QStringList{window_program()} + arguments);
}

/// The lines under a table's title, up to the next empty one: the columns' names, then one line per policy.
inline QStringList table_of(const QString& out, const QString& title) {
  QStringList lines;
  bool inside = false;
  for (const QString& line : out.split('\n')) {
    if (inside && line.trimmed().isEmpty()) break;
    if (inside) lines << line;
    inside = inside || line.startsWith(title);
  }
  return lines;
}
/// Cells of a line: columns are at least two spaces apart.
inline QStringList cells_of(const QString& line) {
  return line.trimmed().split(QRegularExpression(QStringLiteral(" {2,}")));
}

inline QString text_of(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace kvantage::test
