// links: kv_ui
// What the window keeps: layouts as files, arrangement as it changes, text size, presenter mode; and what it does
// with settings that are broken.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QMenuBar>
#include <QSettings>
#include <QSlider>
#include <QStatusBar>
#include <QTest>
#include <QToolBar>

#include "core/base/digest.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/look/font_scale.h"
#include "ui/window/last_session.h"
#include "ui/window/layout/layout_file.h"

namespace window_state_test {

using namespace kvantage;

class WindowStateTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  QString file(const QString& name, const QByteArray& text) {
    QFile made(folder_.filePath(name));
    if (!made.open(QIODevice::WriteOnly) || made.write(text) < 0) QTest::qFail("not written", __FILE__, __LINE__);
    return made.fileName();
  }
  static QByteArray bytes(const QString& path) {
    QFile read(path);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
  }

 private slots:
  void cleanup() { set_font_percent(100); }

  void aLayoutTravelsAsAFile() {
    const QString path = folder_.filePath("mine.kvlayout");
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session);
      dock_of(*window, "events")->hide();
      window->addDockWidget(Qt::LeftDockWidgetArea, dock_of(*window, "hitRates"));
      QVERIFY(layouts_of(*window).export_to(path, "For/teaching"));
    }
    const auto read = read_layout(path);
    QVERIFY(read.has_value());
    QVERIFY(read->docks.contains("controls"));
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QVERIFY(!dock_of(*window, "events")->isHidden());
    const auto name = layouts_of(*window).import_from(path);
    QVERIFY2(name, name ? "" : name.error().message.c_str());
    QCOMPARE(*name, QString("For/teaching"));
    QVERIFY(dock_of(*window, "events")->isHidden());
    QCOMPARE(window->dockWidgetArea(dock_of(*window, "hitRates")), Qt::LeftDockWidgetArea);
    QCOMPARE(layouts_of(*window).saved(), QStringList("For/teaching"));
    QVERIFY(layouts_of(*window).apply("Overview"));
    QVERIFY(layouts_of(*window).apply("For/teaching"));
    QVERIFY(dock_of(*window, "events")->isHidden());
    QCOMPARE(*layouts_of(*window).import_from(path), QString("For/teaching 2"));  // never over another
    files_of(*window).open(path);                                                 // as a drop does it
    QCOMPARE(layouts_of(*window).saved().size(), 3);
    QVERIFY(!layouts_of(*window).export_to("/nowhere/at/all.kvlayout", "x"));
  }

  void aForeignOrBrokenLayoutChangesNothing_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("why");
    const QByteArray whole =
        "{\"format\":\"kvantage-layout\",\"version\":1,\"name\":\"a\",\"docks\":[\"controls\"],\"digest\":\"" +
        QByteArray::fromStdString(digest_of("hello there").hex()) + "\",\"state\":\"";
    QTest::newRow("no JSON") << QByteArray("PK\x03\x04 something") << "is not a layout";
    QTest::newRow("empty") << QByteArray() << "is not a layout";
    QTest::newRow("other JSON") << QByteArray("[1, 2]") << "is not a layout";
    QTest::newRow("version") << QByteArray("{\"format\":\"kvantage-layout\",\"version\":9}") << "another version";
    QTest::newRow("lacks") << QByteArray("{\"format\":\"kvantage-layout\",\"version\":1,\"name\":\"a\"}")
                           << "lacks a name, docks, a state";
    QTest::newRow("cut off") << whole.left(60) << "is not a layout";
    QTest::newRow("no base64") << whole + "@@@\"}"
                               << "damaged state or name";
    QTest::newRow("changed") << whole + QByteArray("hello Thera").toBase64() + "\"}"
                             << "damaged state or name";
    QTest::newRow("no state") << whole + QByteArray("hello there").toBase64() + "\"}"
                              << "cannot restore the layout";
  }
  void aForeignOrBrokenLayoutChangesNothing() {
    QFETCH(QByteArray, text);
    QFETCH(QString, why);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    dock_of(*window, "events")->hide();
    const QString path = file("foreign.kvlayout", text);
    const auto taken = layouts_of(*window).import_from(path);
    QVERIFY(!taken);
    const QString message = QString::fromStdString(taken.error().message);
    QVERIFY2(message.contains(why) && message.startsWith(path) && message.contains(';') && !message.contains('\n'),
             qPrintable(message));
    QVERIFY(dock_of(*window, "events")->isHidden());
    QVERIFY(!dock_of(*window, "controls")->isHidden());
    QVERIFY(layouts_of(*window).saved().isEmpty());
  }

  void theArrangementIsKeptWithoutClosing() {
    const WindowOptions options = scripted_.options();
    ScriptedSession session;
    auto first = std::make_unique<MainWindow>(session, options);
    first->show();
    test::settle(100);
    first->resize(1177, 777);
    dock_of(*first, "events")->hide();
    first->addDockWidget(Qt::LeftDockWidgetArea, dock_of(*first, "hitRates"));
    first->set_theme(ThemeKind::dark);
    first->set_font_size(110);
    const auto written = [&] { return QString::fromUtf8(bytes(options.settings_file)); };
    QTRY_VERIFY(written().contains("theme=dark") && written().contains("font_percent=110"));
    QTRY_VERIFY(written().contains("state="));
    test::settle(LayoutKeeper::delay_ms + 200);
    // What is on the disk at this moment is all that a killed program leaves.
    WindowOptions after = scripted_.options();
    QVERIFY(QFile::copy(options.settings_file, after.settings_file));
    ScriptedSession other;
    MainWindow second(other, after);
    second.show();
    test::settle(50);
    QVERIFY(dock_of(second, "events")->isHidden());
    QCOMPARE(second.dockWidgetArea(dock_of(second, "hitRates")), Qt::LeftDockWidgetArea);
    QCOMPARE(second.size(), QSize(1177, 777));
    QVERIFY(second.theme_kind() == ThemeKind::dark);
    QCOMPARE(font_percent(), 110);
    QVERIFY(second.banner().isHidden());
  }

  void valuesOutOfRangeFallBackAndAreNamed_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::newRow("font") << QByteArray("[window]\nfont_percent=abc\n") << "window/font_percent"
                          << "abc";
    QTest::newRow("font range") << QByteArray("[window]\nfont_percent=900\n") << "window/font_percent"
                                << "900";
    QTest::newRow("theme") << QByteArray("[window]\ntheme=purple\n") << "window/theme"
                           << "purple";
    QTest::newRow("geometry") << QByteArray("[window]\ngeometry=zzz\n") << "window/geometry"
                              << "zzz";
    QTest::newRow("presenter") << QByteArray("[presenter]\npercent=-5\n") << "presenter/percent"
                               << "-5";
    QTest::newRow("docks") << QByteArray("[presenter]\ndocks=nosuch\n") << "presenter/docks"
                           << "nosuch";
    QTest::newRow("tour") << QByteArray("[tour]\nseen=perhaps\n") << "tour/seen"
                          << "perhaps";
    QTest::newRow("session") << QByteArray("[session]\nsettings=hello\n") << "session/settings"
                             << "hello";
  }
  void valuesOutOfRangeFallBackAndAreNamed() {
    QFETCH(QByteArray, line);
    QFETCH(QString, key);
    QFETCH(QString, value);
    const WindowOptions options = scripted_.options();
    QFile made(options.settings_file);
    QVERIFY(made.open(QIODevice::WriteOnly) && made.write(line) == line.size());
    made.close();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    QVERIFY(window.banner().isVisible());
    const QString said = window.banner().text();
    QVERIFY2(said.startsWith(options.settings_file) && said.contains(key + '=' + value) && said.contains("default") &&
                 said.contains(';'),
             qPrintable(said));
    QCOMPARE(font_percent(), value == "900" ? max_font_percent : 100);
    QVERIFY(window.theme_kind() == ThemeKind::light);
    presenter_of(window).enter();
    QCOMPARE(font_percent(), Presenter::default_percent);
    QVERIFY(!dock_of(window, "controls")->isHidden() && !dock_of(window, "tiers")->isHidden());
    presenter_of(window).leave();
  }

  void severalWrongValuesAreNamedTogether() {
    const WindowOptions options = scripted_.options();
    QFile made(options.settings_file);
    QVERIFY(made.open(QIODevice::WriteOnly) &&
            made.write("[window]\ntheme=purple\nfont_percent=120\n[presenter]\npercent=-5\n") > 0);
    made.close();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    QVERIFY(window.banner().text().contains("window/theme=purple") &&
            window.banner().text().contains("presenter/percent=-5"));
    QVERIFY(!window.banner().text().contains("font_percent"));
    QCOMPARE(font_percent(), 120);  // what is right stays
  }

  void whatIsServedAndHowIsKeptWithoutClosing() {
    WindowOptions options = scripted_.options();
    options.workload_path = folder_.filePath("my workload");
    const auto kept = [&options] { return read_last_session(QSettings(options.settings_file, QSettings::IniFormat)); };
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    QTRY_COMPARE(kept().workload, options.workload_path);
    QSlider& alpha = controls_of(window).alpha().slider();
    for (int i = 0; i < 5; ++i) QTest::keyClick(&alpha, Qt::Key_Right);
    SessionSettings changed = settings_of(window).committed();
    changed.policy = "lru";
    changed.tiers[0].budget = 7654321;
    QVERIFY(settings_of(window).commit(changed, "policy", {}));
    QTRY_VERIFY(kept().settings && kept().settings->policy == "lru");
    QVERIFY(*kept().settings == settings_of(window).committed());
    QCOMPARE(kept().settings->tiers[0].budget.bytes(), std::uint64_t{7654321});
    QVERIFY(kept().settings->alpha == changed.alpha && changed.alpha > 0.8);
    // Of another workload they say nothing.
    WindowOptions other = options;
    other.workload_path = folder_.filePath("another");
    ScriptedSession second_session;
    MainWindow second(second_session, other);
    QCOMPARE(kept().workload, other.workload_path);
    QVERIFY(!kept().settings);
  }

  // One that cannot be loaded would else fail at every start.
  void theModelIsKeptOnceItIsLoaded() {
    WindowOptions options = scripted_.options();
    options.workload_path = folder_.filePath("my workload");
    options.model_path = folder_.filePath("my model");
    const auto kept = [&options] {
      return read_last_session(QSettings(options.settings_file, QSettings::IniFormat)).model;
    };
    {
      ScriptedSession session;
      MainWindow window(session, options);
      window.show();
      test::settle(100);
      QCOMPARE(kept(), QString());
      session.set_state(RunState::ready);
      QTRY_COMPARE(kept(), *options.model_path);
    }
    {
      ScriptedSession session;  // nothing is known of its model
      session.set_state(RunState::ready);
      WindowOptions other = options;
      other.model_path.reset();
      MainWindow window(session, other);
      window.show();
      test::settle(100);
      QCOMPARE(kept(), *options.model_path);
    }
    ScriptedSession session;
    session.set_state(RunState::ready);
    options.model_path = QString();  // the default model, wherever it is then
    MainWindow window(session, options);
    window.show();
    QTRY_COMPARE(kept(), QString());
  }

  void brokenSettingsAreStashedAndSaid_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("why");
    QTest::newRow("no text") << QByteArray("[window]\ntheme=dark\n\0\0\0", 23) << "bytes that are not text";
    QTest::newRow("a line") << QByteArray("[window]\ntheme=dark\nhello there\n")
                            << "line 3 is not a setting (“hello there”)";
    QTest::newRow("cut off") << QByteArray("[window]\ntheme=dark\n[layo") << "line 3 is not a setting";
  }
  void brokenSettingsAreStashedAndSaid() {
    QFETCH(QByteArray, text);
    QFETCH(QString, why);
    const WindowOptions options = scripted_.options();
    QFile made(options.settings_file);
    QVERIFY(made.open(QIODevice::WriteOnly) && made.write(text) == text.size());
    made.close();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    QVERIFY(window.banner().isVisible());
    QVERIFY2(window.banner().text().contains(why), qPrintable(window.banner().text()));
    QVERIFY(window.banner().text().startsWith(options.settings_file));
    QCOMPARE(bytes(options.settings_file + ".broken"), text);
    QVERIFY(window.theme_kind() == ThemeKind::light);  // the default
    window.set_theme(ThemeKind::dark);
    QTRY_VERIFY(bytes(options.settings_file).contains("theme=dark"));
  }

  void anArrangementThatCannotBeTakenIsSaid() {
    const WindowOptions options = scripted_.options();
    {
      QSettings settings(options.settings_file, QSettings::IniFormat);
      settings.setValue("window/theme", "dark");
      settings.setValue("window/state", QByteArray("of another program"));
      settings.setValue("window/font_percent", 7000);
    }
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(60);
    QVERIFY2(window.banner().text().contains("dock arrangement is damaged"), qPrintable(window.banner().text()));
    QVERIFY(window.theme_kind() == ThemeKind::dark);  // what is whole is used
    QCOMPARE(font_percent(), max_font_percent);
    for (const char* id : {"controls", "tiers", "requests"}) QVERIFY(!dock_of(window, id)->isHidden());
  }

  void ordinarySettingsAreNotBroken() {
    const WindowOptions options = scripted_.options();
    {
      QSettings settings(options.settings_file, QSettings::IniFormat);
      settings.setValue("a", QByteArray("\0\x01\n=[;\xff", 7));
      settings.setValue("b/c", QStringList{"x, y", "ü\nz", ""});
      settings.setValue("b/empty", QString());
    }
    ScriptedSession session;
    MainWindow window(session, options);
    QVERIFY(window.banner().isHidden());
    QVERIFY(!QFile::exists(options.settings_file + ".broken"));
  }

  void textGrowsAndShrinksWithinItsLimits() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    const double default_size = QApplication::font().pointSizeF();
    QVERIFY(default_size > 0);
    for (int i = 0; i < 20; ++i) QTest::keyClick(window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(font_percent(), 200);
    QCOMPARE(QApplication::font().pointSizeF(), default_size * 2);
    QCOMPARE(controls_of(*window).font().pointSizeF(), default_size * 2);
    for (QAbstractAxis* axis : frontier_of(*window).chart().axes())
      QVERIFY(axis->labelsFont().pointSizeF() > default_size * 1.5);
    for (int i = 0; i < 20; ++i) QTest::keyClick(window.get(), Qt::Key_Minus, Qt::ControlModifier);
    QCOMPARE(font_percent(), 80);
    QTest::keyClick(window.get(), Qt::Key_0, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(QApplication::font().pointSizeF(), default_size);
  }

  void presenterModeComesAndGoes() {
    const WindowOptions options = scripted_.options();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(100);
    dock_of(window, "events")->hide();
    const auto hidden = [&](const QString& id) { return dock_of(window, id)->isHidden(); };
    QTest::keyClick(&window, Qt::Key_F11);
    QVERIFY(presenter_of(window).active() && window.isFullScreen());
    QVERIFY(window.menuBar()->isHidden() && window.statusBar()->isHidden());
    for (QToolBar* bar : window.findChildren<QToolBar*>()) QVERIFY(bar->isHidden());
    QVERIFY(!hidden("controls") && !hidden("tiers") && hidden("requests"));
    QCOMPARE(font_percent(), Presenter::default_percent);
    QTest::keyClick(&window, Qt::Key_2, Qt::AltModifier);  // the keys of the menus still work
    QVERIFY(!hidden("requests"));
    QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
    test::settle(LayoutKeeper::delay_ms + 100);
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!presenter_of(window).active() && !window.isFullScreen());
    QVERIFY(!window.menuBar()->isHidden() && !window.statusBar()->isHidden());
    QVERIFY(hidden("events") && !hidden("requests") && !hidden("sensitivity"));
    QCOMPARE(font_percent(), 100);
    // What was chosen while presenting is there the next time; nothing of it stayed in the default view.
    QTest::keyClick(&window, Qt::Key_F11);
    QVERIFY(!hidden("requests") && hidden("sensitivity"));
    QCOMPARE(font_percent(), 160);
    window.close();
    QVERIFY(!bytes(options.settings_file).contains("font_percent=160"));
  }

  // Large writing needs the width: legends and notes of a narrow dock are cut.
  void docksGrowWithAPresentedWindow_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(1280, 800);
    QTest::newRow("large") << QSize(2400, 1000);
  }
  void docksGrowWithAPresentedWindow() {
    QFETCH(QSize, size);
    ScriptedSession session;
    auto loaded = scripted_.loaded(session, scripted_.options());
    MainWindow& window = *loaded;
    presenter_of(window).enter();
    test::settle(300);
    window.resize(size);
    for (const char* id : {"controls", "tiers"}) QTRY_VERIFY2(dock_of(window, id)->width() >= window.width() / 4, id);
    presenter_of(window).leave();
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  WindowStateTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace window_state_test

#include "window_state_test.moc"
