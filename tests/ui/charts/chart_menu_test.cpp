// links: kv_ui
// The right click and the menu key on every table and chart, as they come from the system.
#include <QApplication>
#include <QContextMenuEvent>
#include <QGraphicsView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/runs/replay_dock.h"

namespace chart_menu_test {

using namespace kvantage;

class ChartMenuTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  /// Texts of the menu that such a click opens; empty: none opened.
  static QStringList opened(QWidget& target, QContextMenuEvent::Reason reason) {
    const QPoint middle = target.rect().center();
    QContextMenuEvent event(reason, middle, target.mapToGlobal(middle));
    QApplication::sendEvent(&target, &event);
    return texts_of_open_menu();
  }
  /// The same by a key.
  static QStringList opened(QWidget& target, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&target, key, modifiers);
    return texts_of_open_menu();
  }
  static QStringList texts_of_open_menu() {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (!menu) return {};
    QStringList texts;
    for (const QAction* action : menu->actions()) texts << action->text().remove('&').remove(QStringLiteral("…"));
    menu->close();
    test::settle(1);
    return texts;
  }
  static bool exports(const QStringList& menu) {
    for (const char* text : {"Show as table", "Export PNG", "Export SVG", "Export PDF", "Export CSV", "Export LaTeX"})
      if (menu.count(QString::fromLatin1(text)) != 1) return false;
    return true;
  }
  static bool copies(const QStringList& menu) {
    for (const char* text : {"Copy image", "Copy SVG", "Copy CSV", "Copy pgfplots", "Copy matplotlib", "Hold axes"})
      if (menu.count(QString::fromLatin1(text)) != 1) return false;
    return true;
  }

 private slots:
  void cleanup() {
    while (QWidget* left = QApplication::activePopupWidget()) left->close();
  }

  void everyTableAndChartOpensItsMenu() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    QTRY_VERIFY(std::ranges::any_of(charts_of(*window),
                                    [](const ChartExport& chart) { return chart.name.startsWith("Occupancy of"); }));
    std::map<QString, int> menus;
    for (const auto& [id, dock] : docks_of(*window).all()) {
      menus[id] = 0;
      for (QAbstractItemView* view : dock->findChildren<QAbstractItemView*>()) {
        if (!qobject_cast<QTableView*>(view)) continue;  // lists that drop down
        QVERIFY2(exports(opened(*view->viewport(), QContextMenuEvent::Mouse)),
                 qPrintable(id + ": right click on " + view->accessibleName()));
        QVERIFY2(exports(opened(*view, Qt::Key_Menu)), qPrintable(id + ": menu key on " + view->accessibleName()));
        ++menus[id];
      }
      for (QGraphicsView* chart : dock->findChildren<QGraphicsView*>()) {
        const QStringList menu = opened(*chart->viewport(), QContextMenuEvent::Mouse);
        QVERIFY2(exports(menu) && copies(menu), qPrintable(id + ": right click on a chart: " + menu.join(", ")));
        ++menus[id];
      }
      for (const ChartExport& chart : charts_of(*dock)) {
        if (qobject_cast<QAbstractScrollArea*>(chart.picture)) continue;            // above
        if (chart.picture->contextMenuPolicy() != Qt::CustomContextMenu) continue;  // the page around a table
        QVERIFY2(exports(opened(*chart.picture, Qt::Key_Menu)), qPrintable(id + ": menu key on " + chart.name));
        QVERIFY2(exports(opened(*chart.picture, Qt::Key_F10, Qt::ShiftModifier)),
                 qPrintable(id + ": Shift+F10 on " + chart.name));
        ++menus[id];
      }
    }
    for (const DockEntry& entry : dock_registry()) QVERIFY2(menus[entry.id] >= 1, qPrintable(entry.id));
    QVERIFY(exports(opened(*frontier_of(*window).findChild<QGraphicsView*>()->viewport(), QContextMenuEvent::Mouse)));
    QVERIFY(exports(opened(frontier_of(*window), Qt::Key_Menu)));
    QVERIFY(
        exports(opened(frontier_of(*window), QContextMenuEvent::Keyboard)));  // as some systems send it beside the key
    auto* moves = window->findChild<ExplainPanel*>()->findChild<QTableView*>();
    QVERIFY(exports(opened(*moves->viewport(), QContextMenuEvent::Mouse)));
  }

  void controlsAsATableAreTheSettings() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    std::map<QString, ChartExport> charts;
    for (const ChartExport& chart : charts_of(*dock_of(*window, "controls"))) charts.emplace(chart.name, chart);
    QCOMPARE(charts.size(), std::size_t{2});
    const ChartExport& formula = charts.at("Formula by context");  // of another policy: hidden, without a row
    QVERIFY(formula.picture == &controls_of(*window).formula().chart());
    QVERIFY(!formula.picture->isVisible() && formula.table().rows.isEmpty());
    std::map<QString, QString> values;
    for (const QStringList& row : charts.at("Controls").table().rows) values[row[0]] = row[1];
    const SessionSettings settings = settings_of(*window).committed();
    QVERIFY(!settings.tiers.empty());
    QCOMPARE(values.at("policy"), QString::fromStdString(settings.policy));
    QCOMPARE(values.at("alpha").toDouble(), settings.alpha);
    QCOMPARE(values.at("tiers/0/name"), QString::fromStdString(settings.tiers[0].name));
    QCOMPARE(values.at("tiers/0/budget_bytes").toULongLong(),
             static_cast<qulonglong>(settings.tiers[0].budget.bytes()));
  }

  void theMenuDoesWhatItSays() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->setGeometry(0, 0, 760, 600);  // as a whole on the screen
    docks_of(*window).bring_up("contexts");
    session.serve(10);
    QTRY_COMPARE(run_of(*window).served(), 10u);
    QWidget& target = *contexts_of(*window).table().viewport();
    QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(5, 5), target.mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(&target, &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    const QPoint clicked = target.mapToGlobal(QPoint(5, 5));  // a corner of the menu is there, whichever way it opens
    QVERIFY2(menu->geometry().adjusted(-2, -2, 2, 2).contains(clicked),
             qPrintable(QStringLiteral("%1,%2").arg(menu->x() - clicked.x()).arg(menu->y() - clicked.y())));
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return);
    QDialog* table = nullptr;
    for (QDialog* dialog : window->findChildren<QDialog*>())
      if (dialog->windowTitle() == "Contexts") table = dialog;
    QVERIFY(table && table->isVisible());
    auto* shown = table->findChild<QTableView*>();
    QCOMPARE(shown->model()->rowCount(), contexts_of(*window).table().model()->rowCount());
    table->close();
  }
};

KV_TEST_MAIN(ChartMenuTest)

}  // namespace chart_menu_test

#include "chart_menu_test.moc"
