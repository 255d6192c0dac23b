// links: core_base
// No line of sources, tests, scripts and documents is longer than 120 characters; what is longer is listed here with
// its reason.
#include <QDirIterator>
#include <QFile>
#include <QtTest>
#include <algorithm>

#include "tests/support/test_program.h"

namespace columns_test {

constexpr qsizetype max_columns = 120;

/// Files and folders that are not checked, by how their paths begin.
struct Exempt {
  const char* path;
  const char* reason;
};
constexpr Exempt exempt[] = {
    {"sample_workloads/", "texts of the workloads, whose bytes are their identity"},
    {"tests/gpu/model_prompts.txt", "a prompt a line"},
    {"docs/reproduce", "made by kvantage-cli reproduce all: rows of tables"},
    {"resources/desktop/kvantage.desktop", "a list, which its form has on one line"},
};

class ColumnsTest : public QObject {
  Q_OBJECT

  static QString root() { return QStringLiteral(KVANTAGE_SOURCE_DIR "/"); }

  static bool is_exempt(const QString& path) {
    return std::ranges::any_of(exempt, [&](const Exempt& one) { return path.startsWith(QLatin1String(one.path)); });
  }

  /// Texts that people write; data of other forms is made by programs.
  static bool is_written(const QString& path) {
    static const QStringList suffixes{"cpp", "h",   "inl",    "cu",    "cuh",     "py",  "sh",  "cmake",
                                      "md",  "txt", "lesson", "texts", "desktop", "xml", "cff", "supp"};
    static const QStringList names{"run", "CMakePresets.json"};
    return suffixes.contains(QFileInfo(path).suffix()) || names.contains(QFileInfo(path).fileName());
  }

  static QStringList written_files() {
    QStringList files;
    for (const char* folder : {"app", "cmake", "core", "docs", "gpu", "profiles", "resources", "sample_workloads",
                               "tests", "tiers", "ui", ".ci"})
      for (QDirIterator at(root() + folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); at.hasNext();)
        files << at.next().mid(root().size());
    for (const QString& name : QDir(root()).entryList(QDir::Files)) files << name;
    files.removeIf([](const QString& path) { return !is_written(path); });
    files.sort();
    return files;
  }

  /// "path:line: characters" of each line that is too long.
  static QStringList too_long(const QString& path, const QString& text) {
    QStringList found;
    int number = 0;
    for (const QString& line : text.split('\n'))
      if (++number; line.size() > max_columns)
        if (const qsizetype count = line.toUcs4().size(); count > max_columns)
          found << QStringLiteral("%1:%2: %3 characters").arg(path).arg(number).arg(count);
    return found;
  }

  static QString text_of(const QString& path) {
    QFile file(root() + path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
    return QString::fromUtf8(file.readAll());
  }

 private slots:
  void linesFitIntoTheColumns() {
    QStringList found;
    int checked = 0;
    for (const QString& path : written_files()) {
      if (is_exempt(path)) continue;
      ++checked;
      found << too_long(path, text_of(path));
    }
    qInfo("%d files", checked);
    QVERIFY(checked > 2000);
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void whatIsExemptNeedsIt() {
    const QStringList files = written_files();
    for (const Exempt& one : exempt) {
      const bool needed = std::ranges::any_of(files, [&](const QString& path) {
        return path.startsWith(QLatin1String(one.path)) && !too_long(path, text_of(path)).isEmpty();
      });
      QVERIFY2(
          needed && QLatin1String(one.reason).size() > 0,
          qPrintable(QString("%1 has no long line: remove it from columns_test.cpp").arg(QLatin1String(one.path))));
    }
  }

  void aLongLineIsFound() {
    QVERIFY(too_long("a", QString(max_columns, 'x')).isEmpty());
    QVERIFY(too_long("a", QString(max_columns, QChar(0x4e2d))).isEmpty());
    QCOMPARE(too_long("a", "\n" + QString(max_columns + 1, 'x') + "\n"), QStringList{"a:2: 121 characters"});
  }
};

KV_TEST_GUILESS_MAIN(ColumnsTest)

}  // namespace columns_test

#include "columns_test.moc"
