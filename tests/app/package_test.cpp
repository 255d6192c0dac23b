// links: kv_reports
// The Debian package that `cpack -G DEB` makes of this build: what it holds, what it says of itself, what the desktop
// is told, and that no library of others is inside. tests/package/clean_debian.sh installs and starts it on a fresh
// system, on demand.
#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/test_program.h"

namespace package_test {

class PackageTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString package_;
  QMap<QString, QString> rights_;  // "-rwxr-xr-x root/root", by path below the root

  QString at(const QString& name) const { return folder_.filePath("root/" + name); }
  static QByteArray bytes(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  // Output of a program, both streams; the exit code in `code`.
  static QString output(const QString& program, const QStringList& arguments, int* code, const QString& folder = "/") {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder);
    process.start(program, arguments);
    process.waitForFinished(240000);
    *code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return QString::fromUtf8(process.readAll());
  }
  QString field(const char* name) const {
    int code = 0;
    const QString value = output("dpkg-deb", {"-f", package_, name}, &code).trimmed();
    return code == 0 ? value : QString();
  }
  static QString cached(const QByteArray& variable) {
    for (const QByteArray& line : bytes(QString(KVANTAGE_BINARY_DIR) + "/CMakeCache.txt").split('\n'))
      if (line.startsWith(variable + ":")) return QString::fromUtf8(line.mid(line.indexOf('=') + 1));
    return {};
  }

 private slots:
  void initTestCase() {
    for (const char* program : {"cpack", "dpkg-deb", "dpkg-shlibdeps"})
      if (QStandardPaths::findExecutable(program).isEmpty())
        QSKIP("no Debian package can be made here (packages cmake and dpkg-dev; ./run test installs them)");
    int code = 0;
    const QString said = output("cpack", {"-G", "DEB", "-B", folder_.filePath("package")}, &code, KVANTAGE_BINARY_DIR);
    QVERIFY2(code == 0, qPrintable(said.right(800)));
    const QStringList made = QDir(folder_.filePath("package")).entryList({"*.deb"}, QDir::Files);
    QCOMPARE(made.size(), qsizetype{1});
    package_ = folder_.filePath("package/" + made.front());
    static const QRegularExpression line("^(\\S{10} \\S+)\\s+\\d+ \\S+ \\S+ \\./(.*?)/?(?: -> .*)?$");
    for (const QString& entry : output("dpkg-deb", {"-c", package_}, &code).split('\n'))
      if (const auto found = line.match(entry); found.hasMatch() && !found.captured(2).isEmpty())
        rights_[found.captured(2)] = found.captured(1);
    QCOMPARE(code, 0);
    QVERIFY2(rights_.size() > 60, qPrintable(QString::number(rights_.size())));
    output("dpkg-deb", {"-x", package_, folder_.filePath("root")}, &code);
    QCOMPARE(code, 0);
  }

  void itHoldsWhatTheProgramsNeed() {
    for (const char* name :
         {"usr/bin/kvantage", "usr/bin/kvantage-cli", "usr/lib/kvantage/kvantage", "usr/lib/kvantage/kvantage-cli",
          "usr/lib/kvantage/kvantage-method-worker", "usr/share/kvantage/fetch_libtorch.sh"})
      QCOMPARE(rights_.value(name), QString("-rwxr-xr-x root/root"));
    for (const char* name :
         {"usr/share/applications/kvantage.desktop", "usr/share/mime/packages/kvantage.xml",
          "usr/share/icons/hicolor/scalable/apps/kvantage.svg", "usr/share/doc/kvantage/copyright",
          "usr/share/doc/kvantage/README.md", "usr/share/doc/kvantage/guide.md", "usr/share/man/man1/kvantage-cli.1",
          "usr/share/man/man1/kvantage-cli-workload-make.1", "usr/share/bash-completion/completions/kvantage-cli",
          "usr/share/zsh/vendor-completions/_kvantage-cli", "usr/share/fish/vendor_completions.d/kvantage-cli.fish",
          "usr/share/kvantage/sample_workloads/quickstart/workload.json", "usr/share/kvantage/fetch_wheel.sh"})
      QCOMPARE(rights_.value(name), QString("-rw-r--r-- root/root"));
    // All that the tree has of them, byte by byte.
    for (const char* part :
         {"resources/lessons", "resources/model", "resources/presets", "resources/profiles", "sample_workloads"}) {
      int files = 0;
      QDirIterator all(QStringLiteral(KVANTAGE_SOURCE_DIR "/") + part, QDir::Files, QDirIterator::Subdirectories);
      while (all.hasNext()) {
        const QString path = all.next(),
                      packed = at("usr/share/kvantage/" + QDir(KVANTAGE_SOURCE_DIR).relativeFilePath(path));
        QVERIFY2(QFileInfo(packed).size() == QFileInfo(path).size() && bytes(packed) == bytes(path),
                 qPrintable(packed));
        ++files;
      }
      QVERIFY2(files > 0, part);
    }
  }

  void nothingOfOthersIsInside() {
    static const QRegularExpression library(
        "\\.so(\\.|$)|\\.a$|nvidia|cuda|cudnn|cublas|nccl|libtorch[^/]*\\.so|torch_cpu|libc10",
        QRegularExpression::CaseInsensitiveOption);
    for (auto it = rights_.begin(); it != rights_.end(); ++it) {
      const QString name = it.key().section('/', -1);
      QVERIFY2(!name.contains(library), qPrintable(it.key()));
      QVERIFY2(it.key() == "usr" || it.key().startsWith("usr/bin") || it.key().startsWith("usr/lib") ||
                   it.key().startsWith("usr/share"),
               qPrintable(it.key()));
      QVERIFY2(it.value().endsWith(" root/root") && it.value()[5] != 'w' && it.value()[8] != 'w',
               qPrintable(it.key() + " " + it.value()));
    }
    // Programs alone are machine code, without the symbols of the build and without anybody's folders.
    QStringList programs;
    QDirIterator all(at("usr"), QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) {
      const QString path = all.next();
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (file.read(4) != QByteArray("\x7f"
                                     "ELF"))
        continue;
      programs << QDir(folder_.filePath("root")).relativeFilePath(path);
      int code = 0;
      const QString sections = output("readelf", {"-SdW", path}, &code);
      QVERIFY2(code == 0 && !sections.contains(".symtab") && !sections.contains(".debug_info") &&
                   !sections.contains("RPATH") && !sections.contains("RUNPATH"),
               qPrintable(path));
    }
    programs.sort();
    QCOMPARE(programs, (QStringList{"usr/lib/kvantage/kvantage", "usr/lib/kvantage/kvantage-cli",
                                    "usr/lib/kvantage/kvantage-method-worker"}));
  }

  void itSaysWhatItIsAndNeeds() {
    QCOMPARE(field("Package"), QString("kvantage"));
    QCOMPARE(field("Version"), cached("CMAKE_PROJECT_VERSION"));
    QCOMPARE(field("Section"), QString("science"));
    QCOMPARE(field("Priority"), QString("optional"));
    QVERIFY(QRegularExpression("^[^<]+ <\\S+@\\S+>$").match(field("Maintainer")).hasMatch());
    QVERIFY(field("Description").startsWith("Workbench for KV-cache compression and eviction\n") &&
            field("Description").contains("fetches\n"));
    int code = 0;
    QCOMPARE(field("Architecture"), output("dpkg", {"--print-architecture"}, &code).trimmed());
    QVERIFY(package_.endsWith("kvantage_" + field("Version") + "_" + field("Architecture") + ".deb"));
    QStringList names;
    for (const QString& needed : field("Depends").split(',')) names << needed.trimmed().section(' ', 0, 0);
    for (const char* name : {"bash", "python3", "python3-pip", "unzip", "fonts-dejavu-core", "libc6", "libstdc++6",
                             "libqt6widgets6", "libqt6charts6", "libqt6svg6", "libsqlite3-0", "libssl3"})
      QVERIFY2(names.contains(name), qPrintable(QString(name) + " is not in " + names.join(' ')));
    for (const QString& name : names)
      QVERIFY2(!name.contains(QRegularExpression("torch|nvidia|cuda|-dev$")), qPrintable(name));
    QCOMPARE(field("Recommends"), QString("zenity, fonts-wqy-microhei, qt6-translations-l10n"));
    QVERIFY(bytes(at("usr/share/doc/kvantage/copyright.libvalkey")).contains("libvalkey contributors"));
    // As dpkg computes it: in KiB, from what is on the disk.
    qint64 whole = 0;
    QDirIterator all(at("usr"), QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) whole += QFileInfo(all.next()).size();
    QVERIFY2(field("Installed-Size").toLongLong() >= whole / 1024, qPrintable(field("Installed-Size")));
  }

  void theDesktopIsToldOfItsFiles() {
    if (QStandardPaths::findExecutable("desktop-file-validate").isEmpty())
      QSKIP("desktop-file-utils is not installed (./run test installs it)");
    int code = 0;
    const QString said = output("desktop-file-validate", {at("usr/share/applications/kvantage.desktop")}, &code);
    QVERIFY2(code == 0 && said.trimmed().isEmpty(), qPrintable(said));
    output("update-desktop-database", {at("usr/share/applications")}, &code);
    QCOMPARE(code, 0);
    const QString known = QString::fromUtf8(bytes(at("usr/share/applications/mimeinfo.cache")));
    for (const char* type : {"run", "layout", "workload"})
      QVERIFY2(known.contains(QString("application/x-kvantage-%1=kvantage.desktop;").arg(type)), qPrintable(known));
    QVERIFY2(known.contains("x-scheme-handler/kvantage=kvantage.desktop;"), qPrintable(known));
    if (QStandardPaths::findExecutable("update-mime-database").isEmpty())
      QSKIP("shared-mime-info is not installed (./run test installs it)");
    const QString told = output("update-mime-database", {at("usr/share/mime")}, &code);
    QVERIFY2(code == 0 && !told.contains("error", Qt::CaseInsensitive), qPrintable(told));
    const QString globs = QString::fromUtf8(bytes(at("usr/share/mime/globs2")));
    for (const char* line : {":application/x-kvantage-run:*.kvrun\n", ":application/x-kvantage-layout:*.kvlayout\n",
                             "60:application/x-kvantage-workload:workload.json\n"})
      QVERIFY2(globs.contains(line), qPrintable(globs));
  }
};

KV_TEST_GUILESS_MAIN(PackageTest)

}  // namespace package_test

#include "package_test.moc"
