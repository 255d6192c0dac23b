// links: kv_ui
// The question before a session connects to a server that a file names: it names the server, and only its own button is
// a yes.
#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QtTest>
#include <functional>

#include "tests/support/test_program.h"
#include "ui/files/remote_question.h"

namespace remote_question_test {

using namespace kvantage;

class RemoteQuestionTest : public QObject {
  Q_OBJECT

  // What the user answers who does `act` with the question; its texts in `seen`.
  static bool answer(const std::function<void(QMessageBox& box)>& act, QString* seen = nullptr,
                     const QString& workload = QStringLiteral("mail"),
                     const QStringList& addresses = {QStringLiteral("cache.example:6379")}) {
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      timer.stop();
      if (seen != nullptr) *seen = box->text() + box->informativeText();
      act(*box);
    });
    timer.start(1);
    return ask_for_remotes(nullptr, workload, addresses);
  }
  static QAbstractButton* button_of(QMessageBox& box, QMessageBox::ButtonRole role) {
    for (QAbstractButton* button : box.buttons())
      if (box.buttonRole(button) == role) return button;
    return nullptr;
  }

 private slots:
  void itNamesWorkloadAndServers() {
    QString seen;
    (void)answer([](QMessageBox& box) { box.reject(); }, &seen, QStringLiteral("mail"),
                 {QStringLiteral("cache.example:6379"), QStringLiteral("[::1]:7000")});
    for (const char* part : {"mail", "cache.example:6379", "[::1]:7000", "password"})
      QVERIFY2(seen.contains(QLatin1String(part)), qPrintable(seen));
  }

  void onlyItsButtonIsAYes() {
    QVERIFY(answer([](QMessageBox& box) { button_of(box, QMessageBox::AcceptRole)->click(); }));
    QVERIFY(!answer([](QMessageBox& box) { button_of(box, QMessageBox::RejectRole)->click(); }));
    QVERIFY(!answer([](QMessageBox& box) { QTest::keyClick(&box, Qt::Key_Escape); }));
    QVERIFY(!answer([](QMessageBox& box) { box.close(); }));
    QVERIFY(!answer([](QMessageBox& box) {
      QVERIFY(box.defaultButton() == button_of(box, QMessageBox::RejectRole));
      QTest::keyClick(&box, Qt::Key_Return);
    }));
  }

  void namesOfOthersAreNoMarkup() {
    Qt::TextFormat format = Qt::RichText;
    (void)answer(
        [&](QMessageBox& box) {
          format = box.textFormat();
          box.reject();
        },
        nullptr, QStringLiteral("<b>mail</b><img src=x>"));
    QCOMPARE(format, Qt::PlainText);
  }
};

KV_TEST_MAIN(RemoteQuestionTest)

}  // namespace remote_question_test

#include "remote_question_test.moc"
