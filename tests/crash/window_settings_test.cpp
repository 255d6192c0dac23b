// links: kv_reports
// A settings file that cannot be read as one: the program's start neither waits for it nor ends.
#include <sys/stat.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/crash/window_process.h"
#include "tests/support/test_program.h"

namespace window_settings_test {

using namespace kvantage::test;

class WindowSettingsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  /// Where the program keeps its settings, with something else in their place.
  QString config_with(const QString& what) const {
    const QString config = folder_.filePath(what), file = config + "/KVantage/KVantage.conf";
    QDir().mkpath(config + "/KVantage");
    if (what == "folder") {
      QDir().mkpath(file + "/more");
    } else if (what == "pipe") {
      if (::mkfifo(file.toLocal8Bit().constData(), 0600) != 0) qFatal("no pipe");
    } else if (what == "device") {
      if (!QFile::link("/dev/zero", file)) qFatal("no link");
    } else {
      QDir().mkpath(file + ".broken/more");  // what cannot be read cannot be stashed either
      QFile large(file);
      if (!large.open(QIODevice::WriteOnly) || !large.resize(qint64{1} << 30)) qFatal("no file");
      if (what == "unreadable") large.setPermissions({});
    }
    return config;
  }
  static qint64 peak_kib(const QProcess& process) {
    QFile status(QStringLiteral("/proc/%1/status").arg(process.processId()));
    if (!status.open(QIODevice::ReadOnly)) return -1;
    for (const QByteArray& line : status.readAll().split('\n'))
      if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ').front().toLongLong();
    return -1;
  }

 private slots:
  void theWindowStarts_data() {
    QTest::addColumn<QString>("what");
    for (const char* what : {"pipe", "folder", "device", "large", "unreadable"}) QTest::newRow(what) << what;
  }
  void theWindowStarts() {
    QFETCH(QString, what);
    const QString store = folder_.filePath(what + " store");
    QProcess process;
    QVERIFY(start_window(process, config_with(what), {"worked-example", "--wait", "--store", store}));
    QVERIFY2(wait_for_window(process, [&] { return handles_signals(process); }), process.readAllStandardError());
    QVERIFY(!process.waitForFinished(1500) && process.state() == QProcess::Running);  // the window is there by now
    const qint64 peak = peak_kib(process);
    QVERIFY2(peak > 0 && peak < 800 * 1024, qPrintable(QStringLiteral("%1 KiB").arg(peak)));
    end_window(process, SIGTERM);
  }
};

KV_TEST_GUILESS_MAIN(WindowSettingsTest)

}  // namespace window_settings_test

#include "window_settings_test.moc"
