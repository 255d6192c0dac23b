// links: kv_reports
// What `cmake --install` puts down: it starts from where it was put, finds its data, is known to the desktop, and holds
// no library of others.
#include <QtTest>

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include "tests/support/test_program.h"

namespace install_test {

class InstallTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString at(const QString& name) const { return folder_.filePath("usr/" + name); }
  static QByteArray bytes(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  // Output of a program, both streams; the exit code in `code`.
  static QString output(const QString& program, const QStringList& arguments, int* code,
                        const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment()) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory("/");
    process.start(program, arguments);
    process.waitForFinished(120000);
    *code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return QString::fromUtf8(process.readAll());
  }

 private slots:
  void initTestCase() {
    // The libtorch of this build, where an installed program looks for it.
    QDir().mkpath(folder_.filePath("cache"));
    for (const QByteArray& line : bytes(QString(KVANTAGE_BINARY_DIR) + "/CMakeCache.txt").split('\n'))
      if (line.startsWith("KVANTAGE_TORCH_DIR:PATH=/")) {
        QVERIFY(
            QFile::link(QString::fromUtf8(line.mid(line.indexOf('=') + 1)), folder_.filePath("cache/libtorch-2.11.0")));
        qputenv("KVANTAGE_CACHE", QFile::encodeName(folder_.filePath("cache")));
      }
    int code = 0;
    const QString said =
        output("cmake", {"--install", KVANTAGE_BINARY_DIR, "--prefix", folder_.filePath("usr")}, &code);
    QVERIFY2(code == 0, qPrintable(said.right(600)));
  }

  void noLibraryOfOthersIsInstalled() {
    int files = 0;
    QDirIterator all(folder_.path(), QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) {
      const QString path = all.next();
      ++files;
      QVERIFY2(!QFileInfo(path).fileName().contains(QRegularExpression("\\.so(\\.|$)|torch_cpu|cuda|nvidia")),
               qPrintable(path));
    }
    QVERIFY(files > 30);
    // Nor does a program look for them in somebody's home.
    int code = 0;
    for (const char* program : {"kvantage", "kvantage-cli", "kvantage-method-worker"}) {
      const QString dynamic = output("readelf", {"-d", at(QStringLiteral("lib/kvantage/") + program)}, &code);
      QCOMPARE(code, 0);
      QVERIFY2(!dynamic.contains("RPATH") && !dynamic.contains("RUNPATH"), qPrintable(dynamic));
    }
  }

  void itStartsFromWhereItWasPut() {
    int code = 0;
    QVERIFY2(output(at("bin/kvantage"), {"--help"}, &code).contains("--screenshots"), "window");
    QCOMPARE(code, 0);
    for (const char* program : {"bin/kvantage", "bin/kvantage-cli"}) {  // without a display
      QProcessEnvironment bare = QProcessEnvironment::systemEnvironment();
      for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) bare.remove(name);
      const QString version = output(at(program), {"--version"}, &code, bare);
      QVERIFY2(code == 0 && QRegularExpression("^KVantage \\d+\\.\\d+\\.\\d+, commit \\S+( with changes)?\n$")
                                .match(version)
                                .hasMatch(),
               qPrintable(version));
    }
    const QString samples = output(at("bin/kvantage-cli"), {"workload", "list"}, &code);
    QCOMPARE(code, 0);
    QVERIFY2(samples.contains("quickstart") && samples.contains("long-tail"), qPrintable(samples));
    const QString model =
        output(at("bin/kvantage-cli"), {"model", "info", at("share/kvantage/resources/model")}, &code);
    QVERIFY2(code == 0, qPrintable(model));
  }

  // What the installed program prints is what was installed, and names no folder of the build.
  void completionAndManualPagesAreThePrograms() {
    int code = 0;
    const QMap<QString, QString> installed{{"bash", "share/bash-completion/completions/kvantage-cli"},
                                           {"zsh", "share/zsh/vendor-completions/_kvantage-cli"},
                                           {"fish", "share/fish/vendor_completions.d/kvantage-cli.fish"}};
    for (auto it = installed.begin(); it != installed.end(); ++it) {
      const QByteArray script = bytes(at(it.value()));
      QCOMPARE(output(at("bin/kvantage-cli"), {"completion", it.key()}, &code), QString::fromUtf8(script));
      QVERIFY2(code == 0 && script.contains("evicpress") && !script.contains(KVANTAGE_BINARY_DIR),
               qPrintable(it.key()));
    }
    QCOMPARE(output(at("bin/kvantage-cli"), {"man", "run"}, &code),
             QString::fromUtf8(bytes(at("share/man/man1/kvantage-cli-run.1"))));
    const QStringList pages = QDir(at("share/man/man1")).entryList({"kvantage-cli*.1"}, QDir::Files);
    QVERIFY2(pages.size() > 30 && pages.contains("kvantage-cli.1"), qPrintable(pages.join(' ')));
    for (const QString& page : pages)
      QVERIFY2(!bytes(at("share/man/man1/" + page)).contains(QDir::homePath().toUtf8()), qPrintable(page));
  }

  // Without libtorch it says what it does about that, and ends in a line when it cannot be had.
  void withoutLibtorchItSaysWhatIsMissing() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("KVANTAGE_CACHE", folder_.filePath("empty-cache"));
    environment.insert("PIP_INDEX_URL", "http://127.0.0.1:9/");  // nobody listens there
    environment.insert("PIP_NO_INDEX", "1");
    environment.remove("PIP_FIND_LINKS");
    environment.insert("PIP_RETRIES", "0");
    environment.remove("DISPLAY");
    int code = 0;
    const QString said = output(at("bin/kvantage"), {"--help"}, &code, environment);
    QVERIFY2(code != 0 && said.contains("fetching libtorch") && said.contains("could not be downloaded"),
             qPrintable(said));
    QVERIFY(!QFile::exists(folder_.filePath("empty-cache/libtorch-2.11.0")));
  }

  void theDesktopKnowsItAndItsFiles() {
    const QString entry = QString::fromUtf8(bytes(at("share/applications/kvantage.desktop")));
    QMap<QString, QString> fields;
    for (const QString& line : entry.split('\n'))
      if (line.contains('=')) fields[line.section('=', 0, 0)] = line.section('=', 1);
    QVERIFY(entry.startsWith("[Desktop Entry]\n"));
    QCOMPARE(fields["Exec"], QString("kvantage %u"));  // a file, or a link to a lesson
    QVERIFY(QFileInfo(at("bin/" + fields["Exec"].section(' ', 0, 0))).isExecutable());
    QVERIFY(QFile::exists(at("share/icons/hicolor/scalable/apps/" + fields["Icon"] + ".svg")));
    QXmlStreamReader mime(bytes(at("share/mime/packages/kvantage.xml")));
    QStringList types, globs;
    while (!mime.atEnd())
      if (mime.readNext() == QXmlStreamReader::StartElement) {
        if (mime.name() == QLatin1String("mime-type")) types << mime.attributes().value("type").toString();
        if (mime.name() == QLatin1String("glob")) globs << mime.attributes().value("pattern").toString();
      }
    QVERIFY2(!mime.hasError(), qPrintable(mime.errorString()));
    QCOMPARE(fields["MimeType"].split(';', Qt::SkipEmptyParts), types + QStringList{"x-scheme-handler/kvantage"});
    QCOMPARE(globs, (QStringList{"*.kvrun", "*.kvlayout", "workload.json"}));
  }
};

KV_TEST_GUILESS_MAIN(InstallTest)

}  // namespace install_test

#include "install_test.moc"
