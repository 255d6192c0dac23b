// links: core_train
// Questions that ask for the rest of a sentence: what is asked with what is answered is in the text, at one place.
#include <QtTest>

#include "core/train/sentence_index.h"
#include "tests/support/test_program.h"

namespace sentence_index_test {

using namespace kvantage;

class SentenceIndexTest : public QObject {
  Q_OBJECT

 private slots:
  void sentencesEndWherePointsEndThem() {
    const std::string text = "cache.port = 7392; The badge of Mara Holt is 12. set a.b to c;";
    QCOMPARE(SentenceIndex(text).size(), 3u);
    QCOMPARE(SentenceIndex("").size(), 0u);
    QCOMPARE(SentenceIndex("no end").size(), 0u);
  }

  void questionAndAnswerStandOnceInTheText_data() {
    QTest::addColumn<QString>("name");
    for (const Family& family : families())
      QTest::newRow(std::string(family.name).c_str()) << QString::fromStdString(std::string(family.name));
  }
  void questionAndAnswerStandOnceInTheText() {
    QFETCH(QString, name);
    Random random(4);
    int drawn = 0, whole = 0;
    for (int i = 0; i < 20; ++i) {
      const GeneratedContext context = (*find_family(name.toStdString()))->generate({.target_tokens = 400}, random);
      const SentenceIndex sentences(context.text);
      for (int j = 0; j < 20; ++j) {
        const auto question = sentences.draw(random);
        if (!question) continue;
        ++drawn;
        whole += question->question.ends_with('.') || question->question.ends_with(';') ? 1 : 0;
        const std::size_t at = context.text.find(question->question + " " + question->answer);
        QVERIFY2(at != std::string::npos, question->question.c_str());
        QCOMPARE(context.text.find(question->question, context.text.find(question->question) + 1), std::string::npos);
        QVERIFY(question->answer.ends_with('.') || question->answer.ends_with(';'));
      }
    }
    QVERIFY2(drawn > 100 && whole > 0 && whole < drawn, qPrintable(QString("%1, %2").arg(drawn).arg(whole)));
  }

  void aTextThatSaysOneThingOnlyHasNoQuestion() {
    Random random(1);
    const std::string text = "The sea was calm. The sea was calm. The sea was calm.";
    QVERIFY(!SentenceIndex(text).draw(random));
  }
};

KV_TEST_GUILESS_MAIN(SentenceIndexTest)

}  // namespace sentence_index_test

#include "sentence_index_test.moc"
