// links: kv_ui
// States of the window that were damaged in the settings file never reach Qt, which some bring down: they are left out,
// it is said, and the docks stand as at first.
#include "ui/files/settings_seal.h"

#include <QDockWidget>
#include <QTest>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace settings_seal_test {

using namespace kvantage;

class SettingsSealTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static QByteArray damaged(QByteArray bytes, Random& random) {
    switch (random.below(4)) {
      case 0:
        return bytes.left(static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(bytes.size()))));
      case 1:
        return bytes.remove(static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(bytes.size()))),
                            1 + static_cast<qsizetype>(random.below(4)));
      case 2:
        return bytes.insert(static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(bytes.size()))),
                            QByteArray(1 + static_cast<qsizetype>(random.below(4)), '\xff'));
      default: {
        const auto at = static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(bytes.size())));
        bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 << random.below(8)));
        return bytes;
      }
    }
  }

 private slots:
  void whatWasSealedComesBackAndNothingElseDoes() {
    const QByteArray state("\0\x01 any: bytes\xff", 15);
    const QByteArray kept = sealed(state);
    QVERIFY(unsealed(kept) == state);
    for (const QByteArray& other : {QByteArray(), QByteArray(":"), QByteArray("abc"), state, sealed({}), kept + 'x',
                                    kept.chopped(1), ':' + state, kept.mid(1), kept.toUpper()})
      QVERIFY2(!unsealed(other), other.toHex());
    Random random(5);
    for (int i = 0; i < 2000; ++i)
      if (const QByteArray other = damaged(kept, random); other != kept) QVERIFY2(!unsealed(other), other.toHex());
  }

  // The plainest window with docks, so that there can be many.
  void damagedStatesLeaveTheDocksAlone() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath("window.ini"), QSettings::IniFormat);
    QMainWindow window;
    window.resize(1280, 800);
    std::map<QString, QDockWidget*> docks;
    for (const DockEntry& entry : dock_registry()) {
      auto* dock = docks[entry.id] = new QDockWidget(entry.title, &window);
      dock->setObjectName(entry.id);
      window.addDockWidget(entry.area, dock);
    }
    Layouts layouts(window, docks, settings);
    docks.at("events")->hide();
    layouts.save("mine");
    layouts.save_last();
    const QByteArray good = settings.value("window/state").toByteArray(),
                     place = settings.value("window/geometry").toByteArray(),
                     mine = settings.value("layouts/mine").toByteArray();
    QVERIFY(layouts.restore_last() == Layouts::Restored::yes);
    docks.at("events")->show();
    QVERIFY(layouts.apply("mine"));
    QVERIFY(docks.at("events")->isHidden());
    docks.at("events")->show();
    const QByteArray stand = layouts.state();
    Random random(11);
    for (int i = 0; i < 400; ++i) {
      const QByteArray bad = damaged(good, random);
      settings.setValue("window/state", bad);
      settings.setValue("window/geometry", damaged(place, random));
      settings.setValue("layouts/mine", damaged(mine, random));
      if (bad == good) continue;
      QVERIFY(layouts.restore_last() == Layouts::Restored::not_possible);
      QVERIFY(settings.value("layouts/mine").toByteArray() == mine || !layouts.apply("mine"));
      QVERIFY(!docks.at("events")->isHidden());
    }
    QCOMPARE(layouts.state().size(), stand.size());
  }

  void theWindowSaysSo_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("said");
    QTest::newRow("state") << "window/state"
                           << "the saved dock arrangement is damaged";
    QTest::newRow("geometry") << "window/geometry"
                              << "window/geometry=";
  }
  void theWindowSaysSo() {
    QFETCH(QString, key);
    QFETCH(QString, said);
    const WindowOptions options = scripted_.options();
    {
      ScriptedSession session;
      MainWindow window(session, options);
      window.show();
      test::settle(60);
      dock_of(window, "events")->hide();
      window.close();
    }
    {
      QSettings settings(options.settings_file, QSettings::IniFormat);
      QByteArray value = settings.value(key).toByteArray();
      QVERIFY(unsealed(value).has_value());
      value[value.size() - 3] = static_cast<char>(value[value.size() - 3] ^ 0x40);
      settings.setValue(key, value);
    }
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(60);
    QVERIFY2(window.banner().text().contains(said) && window.banner().text().startsWith(options.settings_file) &&
                 (window.banner().text().contains(';') || window.banner().text().contains(". Arrange")),
             qPrintable(window.banner().text()));
    QCOMPARE(dock_of(window, "events")->isHidden(), key == "window/geometry");  // what is whole is used
    QVERIFY(!dock_of(window, "controls")->isHidden());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  SettingsSealTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace settings_seal_test

#include "settings_seal_test.moc"
