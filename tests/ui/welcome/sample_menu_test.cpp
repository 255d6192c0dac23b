// links: kv_ui
// The samples in the menu: each by its name, with what it shows, and opened by a click.
#include <QtTest>

#include <memory>

#include "tests/support/test_program.h"
#include "ui/welcome/sample_menu.h"

namespace sample_menu_test {

using namespace kvantage;

class SampleMenuTest : public QObject {
  Q_OBJECT

 private slots:
  void everySampleSaysWhatItShowsAndOpens() {
    QString opened;
    const std::unique_ptr<QMenu> menu(make_sample_menu(
        {{"bursts", "/samples/bursts", "In bursts."}, {"long-tail", "/samples/long-tail", "Many."}},
        [&opened](const QString& path) { opened = path; }, nullptr));
    QCOMPARE(menu->actions().size(), 2);
    QVERIFY(menu->toolTipsVisible());
    QAction* second = menu->actions()[1];
    QCOMPARE(second->text(), QStringLiteral("long-tail"));
    QCOMPARE(second->toolTip(), QStringLiteral("Many."));
    QCOMPARE(second->statusTip(), QStringLiteral("Many."));
    second->trigger();
    QCOMPARE(opened, QStringLiteral("/samples/long-tail"));
  }
};

KV_TEST_MAIN(SampleMenuTest)

}  // namespace sample_menu_test

#include "sample_menu_test.moc"
