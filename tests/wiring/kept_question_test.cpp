// links: app_wiring
// A question of the user's own is written with its workload: into a folder of its own, which opens again.
#include "app/wiring/kept_question.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "tests/support/test_program.h"

namespace kept_question_test {

using namespace kvantage;
namespace fs = std::filesystem;

Workload one_text() {
  Workload workload;
  workload.name = "mine";
  workload.license = "CC0-1.0";
  workload.contexts = {{"a", "news", "The badge of Ada is 12."}};
  WorkloadQuestion question;
  question.question = "What is the badge of Ada?";
  workload.questions = {question};
  return workload;
}

class KeptQuestionTest : public QObject {
  Q_OBJECT

 private slots:
  void everyTimeAFolderOfItsOwn() {
    QTemporaryDir made;
    const fs::path below = made.path().toStdString(), opened = below / "opened";
    QVERIFY(write_workload(one_text(), opened));
    std::ofstream(opened / "session.json") << "{}";
    const KeptQuestion asked{.context = "a", .question = "Whose badge is 12?", .answer = "Ada"};
    const auto first = write_kept_question(one_text(), asked, opened, below);
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QCOMPARE(first->filename().string(), std::string("mine-asked"));
    QVERIFY(fs::is_regular_file(*first / "session.json"));
    const auto read = read_workload(*first);
    QVERIFY(read);
    QCOMPARE(read->questions.size(), std::size_t{2});
    QCOMPARE(read->questions.back().gold, std::string("Ada"));
    const auto second = write_kept_question(one_text(), asked, opened, below);
    QVERIFY(second);
    QCOMPARE(second->filename().string(), std::string("mine-asked-2"));
  }

  void whatCannotBeWrittenLeavesNothing() {
    QTemporaryDir made;
    const fs::path below = made.path().toStdString();
    QVERIFY(!write_kept_question(one_text(), {.context = "b", .question = "Who?"}, below, below));
    QVERIFY(fs::is_empty(below));
    const fs::path file = below / "file";
    std::ofstream(file) << "x";
    const auto written = write_kept_question(one_text(), {.context = "a", .question = "Who?"}, below, file);
    QVERIFY(!written);
    QVERIFY(fs::is_regular_file(file));
  }
};

KV_TEST_APPLESS_MAIN(KeptQuestionTest)

}  // namespace kept_question_test

#include "kept_question_test.moc"
