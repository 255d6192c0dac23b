// links: kv_ui
// A text that a box or field has no room for: it ends in an ellipsis, and hovering over it shows all of it.
#include <QApplication>
#include <QComboBox>
#include <QHelpEvent>
#include <QLineEdit>
#include <QSpinBox>
#include <QTest>
#include <QToolTip>

#include "tests/support/test_program.h"
#include "ui/look/theme.h"

namespace cut_text_tips_test {

using namespace kvantage;

namespace {

const QString long_text("expected attention with 512 future queries");

QString tip_over(QWidget& widget) {
  QToolTip::hideText();
  if (!QTest::qWaitFor([] { return !QToolTip::isVisible(); })) return QStringLiteral("the last one stays");
  const QPoint at(4, 4);
  QHelpEvent event(QEvent::ToolTip, at, widget.mapToGlobal(at));
  QApplication::sendEvent(&widget, &event);
  return QToolTip::text();
}

QImage picture_of(QComboBox& box, const QString& text) {
  box.setItemText(0, text);
  return box.grab().toImage();
}

}  // namespace

class CutTextTipsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { apply_theme(*static_cast<QApplication*>(QApplication::instance()), ThemeKind::light); }

  void aBoxEndsInAnEllipsis() {
    QComboBox box;
    box.addItem(long_text);
    box.setFocusPolicy(Qt::NoFocus);
    box.setFixedSize(140, 26);
    box.show();
    const QImage cut = picture_of(box, long_text);
    // One that has the ellipsis and fits.
    int alike = 0;
    for (int letters = 1; letters < long_text.size(); ++letters)
      for (const QString& shown : {long_text.left(letters), long_text.left(letters).trimmed()})
        alike += box.fontMetrics().horizontalAdvance(shown + QChar(0x2026)) <= box.width() - 15 &&
                 picture_of(box, shown + QChar(0x2026)) == cut;
    QVERIFY(alike >= 1);
    box.setFixedSize(900, 26);
    QVERIFY(picture_of(box, long_text) != picture_of(box, long_text.left(12) + QChar(0x2026)));
  }

  void theTipBeginsWithAllOfIt() {
    QWidget ground;
    auto* box = new QComboBox(&ground);
    box->addItems({long_text, "short"});
    box->setToolTip("Method");
    auto* field = new QLineEdit(&ground);
    field->setPlaceholderText(long_text);
    auto* spin = new QSpinBox(&ground);
    spin->setSuffix(" " + long_text);
    spin->setToolTip("Share");
    int y = 4;
    for (QWidget* one : {static_cast<QWidget*>(box), static_cast<QWidget*>(field), static_cast<QWidget*>(spin)}) {
      one->setGeometry(4, y, 120, 26);
      y += 30;
    }
    ground.resize(300, 120);
    ground.show();
    QCOMPARE(tip_over(*box), long_text + "\nMethod");
    box->setCurrentIndex(1);
    QCOMPARE(tip_over(*box), QString("Method"));
    QCOMPARE(tip_over(*field), long_text);
    field->setText("short");
    QVERIFY(!tip_over(*field).contains("expected"));
    QCOMPARE(tip_over(*spin->findChild<QLineEdit*>()), "0 " + long_text + "\nShare");
    for (QWidget* one : {static_cast<QWidget*>(box), static_cast<QWidget*>(field), static_cast<QWidget*>(spin)})
      one->resize(900, 26);
    field->clear();
    box->setCurrentIndex(0);
    QCOMPARE(tip_over(*box), QString("Method"));
    QVERIFY(!tip_over(*field).contains("expected"));
  }
};

KV_TEST_MAIN(CutTextTipsTest)

}  // namespace cut_text_tips_test

#include "cut_text_tips_test.moc"
