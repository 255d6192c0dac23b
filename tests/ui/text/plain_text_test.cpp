// links: kv_ui
// Names and texts of files are shown letter by letter: none is taken for rich text, which loads pictures.
#include <QApplication>
#include <QTest>
#include <QToolTip>

#include "tests/support/test_program.h"
#include "ui/charts/chart_table.h"
#include "ui/look/outlined_style.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/plain_label.h"

namespace plain_text_test {

using namespace kvantage;

class PlainTextTest : public QObject {
  Q_OBJECT

  const QString evil_ = QStringLiteral("<img src=file:///etc/passwd><b>bold</b>");

 private slots:
  void labelsAndBannersArePlain() {
    std::unique_ptr<QLabel> label(plain_label(evil_));
    QCOMPARE(label->textFormat(), Qt::PlainText);
    Banner banner;
    banner.show_message("error", evil_);
    QCOMPARE(banner.text(), evil_);
    for (const QLabel* shown : banner.findChildren<QLabel*>()) QCOMPARE(shown->textFormat(), Qt::PlainText);
  }

  void toolTipsArePlain() {
    QApplication::setStyle(new OutlinedStyle(Qt::gray));
    QWidget window;
    window.show();
    QToolTip::showText(QPoint(10, 10), evil_, &window);
    const QLabel* tip = nullptr;
    for (QWidget* widget : QApplication::topLevelWidgets())
      if (widget->inherits("QTipLabel")) tip = qobject_cast<QLabel*>(widget);
    QVERIFY(tip);
    QCOMPARE(tip->text(), evil_);
    QCOMPARE(tip->textFormat(), Qt::PlainText);
    QToolTip::hideText();
  }

  void tablesExportNoFormulas() {
    ChartTable table;
    table.header = {"run", "delta"};
    table.rows = {{"=1+1", "-0.5"}};
    QCOMPARE(table.to_csv(), QStringLiteral("run,delta\r\n'=1+1,-0.5\r\n"));
  }
};

KV_TEST_MAIN(PlainTextTest)

}  // namespace plain_text_test

#include "plain_text_test.moc"
