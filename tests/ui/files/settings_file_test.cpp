// links: kv_ui
// Which file the window's settings are in, and what QSettings may open there.
#include <sys/stat.h>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/files/settings_file.h"

namespace settings_file_test {

using namespace kvantage;

class SettingsFileTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void thePathIsTheOneOfQSettings_data() {
    QTest::addColumn<QString>("organization");
    QTest::newRow("the program's") << "KVantage";
    QTest::newRow("none") << "";
  }
  void thePathIsTheOneOfQSettings() {
    QFETCH(QString, organization);
    const QString before = QCoreApplication::organizationName();
    QCoreApplication::setOrganizationName(organization);
    const QString expected = QSettings().fileName(), found = default_settings_file();
    QCoreApplication::setOrganizationName(before);
    QCOMPARE(found, expected);
  }

  void ordinaryFilesAreOpened() {
    const QString file = folder_.filePath("window.ini");
    QCOMPARE(openable_settings_file(file), file);  // it is not there yet
    QSettings(file, QSettings::IniFormat).setValue("window/theme", "dark");
    QCOMPARE(openable_settings_file(file), file);
    QCOMPARE(openable_settings_file(folder_.path()), folder_.path());  // QSettings says that it cannot
  }

  void whatIsNoFileOrTooLargeIsNotOpened() {
    const QString pipe = folder_.filePath("pipe"), device = folder_.filePath("device"),
                  large = folder_.filePath("large.ini");
    QVERIFY(::mkfifo(pipe.toLocal8Bit().constData(), 0600) == 0);
    QVERIFY(QFile::link("/dev/zero", device));
    QFile made(large);
    QVERIFY(made.open(QIODevice::WriteOnly) && made.resize(qint64{1} << 30));
    for (const QString& path : {pipe, device, large}) {
      const QString opened = openable_settings_file(path);
      QVERIFY2(opened != path, qPrintable(path));
      {
        QSettings settings(opened, QSettings::IniFormat);
        QVERIFY(settings.allKeys().isEmpty());
        settings.setValue("window/theme", "dark");
        QCOMPARE(settings.value("window/theme").toString(), QString("dark"));  // until the program ends
      }
      QVERIFY(!QFile::exists(opened) && QFile::exists(path));
    }
  }
};

KV_TEST_MAIN(SettingsFileTest)

}  // namespace settings_file_test

#include "settings_file_test.moc"
