// links: kv_reports
// Results of questions are handed out in changes: what a reader gets adds up to the whole, and holds no token that it
// has, but one whose text may have grown.
#include "core/ports/asker.h"

#include <QtTest>

#include <string>

#include "tests/support/ask_text.h"
#include "tests/support/test_program.h"

namespace asker_ports_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

AskResult result_of(std::size_t tokens, AskStage stage = AskStage::decoding) {
  AskResult made;
  made.ticket = 7;
  made.revision = 10 + tokens;
  made.begun = 10;
  made.request = AskRequest{.context = "c0", .text = {}, .question = "Who?", .columns = {{}, {"knorm", 0.5, {}}}};
  for (std::size_t column = 0; column < 2; ++column) {
    AskAnswer answer;
    answer.stage = column == 0 ? AskStage::done : stage;
    answer.kept = std::vector<float>{1, 0.5F};
    for (std::size_t t = 0; t < (column == 0 ? 3 : tokens); ++t)
      answer.tokens.push_back({"t" + std::to_string(t), static_cast<double>(t)});
    made.answers.push_back(std::move(answer));
  }
  return made;
}

}  // namespace

class AskerPortsTest : public QObject {
  Q_OBJECT

 private slots:
  void aReaderGetsWhatItLacks() {
    AskResult held = result_of(4);
    QVERIFY(!change_since(held, seen_of(held)));
    AskResult whole = result_of(6);
    whole.answers[1].tokens[3].text = "t3, grown";
    const auto change = change_since(whole, seen_of(held));
    QVERIFY(change.has_value());
    QCOMPARE(change->answers[0].first, std::size_t{3});  // done: nothing of it
    QVERIFY(change->answers[0].tokens.empty());
    QCOMPARE(change->answers[1].first, std::size_t{3});
    QCOMPARE(text_of(change->answers[1]), std::string("t3, grownt4t5"));
    QVERIFY(&*change->answers[1].kept == &*whole.answers[1].kept && &*change->request == &*whole.request);
    add_change(held, *change);
    QCOMPARE(text_of(held.answers[0]), std::string("t0t1t2"));
    QCOMPARE(text_of(held.answers[1]), std::string("t0t1t2t3, grownt4t5"));
    QCOMPARE(held.answers[1].first, std::size_t{0});
    QCOMPARE(held.answers[1].tokens[5].seconds, 5.0);
    QCOMPARE(held.revision, whole.revision);
    QVERIFY(!change_since(whole, seen_of(held)));
  }

  void theSizeOfAChangeDoesNotGrow() {
    AskResult held = result_of(1);
    for (std::size_t tokens = 2; tokens < 400; ++tokens) {
      auto change = change_since(result_of(tokens), seen_of(held));
      QCOMPARE(change->answers[1].tokens.size(), std::size_t{2});
      add_change(held, *std::move(change));
    }
    QCOMPARE(text_of(held.answers[1]), text_of(result_of(399).answers[1]));
  }

  // Of another question, or of the same one that was begun again, everything.
  void anotherBeginningReplaces() {
    AskResult held = result_of(4), again = result_of(2), other = result_of(5);
    again.begun = again.revision = 20;
    other.ticket = 8;
    for (const AskResult& whole : {again, other}) {
      const auto change = change_since(whole, seen_of(held));
      QVERIFY(change && !continues(held, *change));
      QCOMPARE(change->answers[1].first, std::size_t{0});
      QCOMPARE(change->answers[1].tokens.size(), whole.answers[1].tokens.size());
      AskResult reader = held;
      add_change(reader, *change);
      QCOMPARE(text_of(reader.answers[1]), text_of(whole.answers[1]));
      QCOMPARE(reader.ticket, whole.ticket);
    }
    QVERIFY(change_since(held, {}).has_value());  // a reader of nothing
  }
};

KV_TEST_APPLESS_MAIN(AskerPortsTest)

}  // namespace asker_ports_test

#include "asker_test.moc"
