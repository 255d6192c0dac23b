// links: kv_base
// A question of the user's own becomes a part of a workload, which is read back as it was written.
#include <QTemporaryDir>
#include <QtTest>

#include "core/workload/asked_question.h"
#include "tests/support/test_program.h"

namespace asked_question_test {

using namespace kvantage;

Workload two_texts() {
  Workload workload;
  workload.name = "mine";
  workload.license = "CC0-1.0";
  workload.contexts = {{"a", "news", "The badge of Ada is 12."}, {"b", "news", "The badge of Bo is 7."}};
  WorkloadQuestion question;
  question.context = 1;
  question.question = "What is the badge of Bo?";
  question.gold = "7";
  workload.questions = {question};
  return workload;
}

class AskedQuestionTest : public QObject {
  Q_OBJECT

 private slots:
  void aQuestionOfAContextIsHeldOut() {
    const auto with =
        with_question(two_texts(), {.context = "a", .question = "What is the badge of Ada?", .answer = "12"});
    QVERIFY(with);
    QCOMPARE(with->contexts.size(), std::size_t{2});
    QCOMPARE(with->questions.size(), std::size_t{2});
    const WorkloadQuestion& added = with->questions.back();
    QCOMPARE(added.context, std::size_t{0});
    QCOMPARE(added.gold, std::string("12"));
    QVERIFY(added.split == QuestionSplit::held_out);
    QCOMPARE(with->name, std::string("mine-asked"));
    QVERIFY(with->digest() != two_texts().digest());
    const auto more = with_question(*with, {.context = "a", .question = "And whose is 12?"});
    QVERIFY(more);
    QCOMPARE(more->name, std::string("mine-asked"));  // once
  }

  void anOwnTextBecomesAContext() {
    const KeptQuestion asked{.context = {}, .text = "The key is under the mat.", .question = "Where is the key?"};
    const auto with = with_question(two_texts(), asked);
    QVERIFY(with);
    QCOMPARE(with->contexts.back().id, std::string("asked-1"));
    QCOMPARE(with->contexts.back().text, asked.text);
    QCOMPARE(with->questions.back().context, std::size_t{2});
    // The same text again is the same context.
    const auto again = with_question(*with, {.context = {}, .text = asked.text, .question = "What is under the mat?"});
    QVERIFY(again);
    QCOMPARE(again->contexts.size(), std::size_t{3});
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "written";
    QVERIFY(write_workload(*again, path));
    const auto read = read_workload(path);
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->digest() == again->digest());
  }

  void whatCannotBeAddedIsSaid() {
    const auto message = [](const KeptQuestion& asked) {
      const auto with = with_question(two_texts(), asked);
      return with ? std::string() : with.error().message;
    };
    QVERIFY(
        QByteArray::fromStdString(message({.context = "c", .question = "Who?"})).contains("'c' is not in workload"));
    QVERIFY(QByteArray::fromStdString(message({.context = "a", .question = " \n"})).contains("question is empty"));
    QVERIFY(
        QByteArray::fromStdString(message({.context = {}, .text = " ", .question = "Who?"})).contains("text is empty"));
    QVERIFY(QByteArray::fromStdString(message({.context = "b", .question = "What is the badge of Bo?"}))
                .contains("has this question already"));
  }
};

KV_TEST_APPLESS_MAIN(AskedQuestionTest)

}  // namespace asked_question_test

#include "asked_question_test.moc"
