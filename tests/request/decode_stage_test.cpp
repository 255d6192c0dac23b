// links: core_store tiers
// The stage that chooses an answer's tokens, alone: logits are made here, nothing is decoded.
#include "core/request/decode_stage.h"

#include <QtTest>

#include "tests/support/broken_device.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace decode_stage_test {

using namespace kvantage;
using namespace kvantage::test;

struct Answering {
  explicit Answering(int max_answer_tokens = 12) : state(parts.state()) {
    state.input.max_answer_tokens = max_answer_tokens;
    const auto words = parts.runtime->tokenizer->encode("The badge of Ada is 4321 .");
    tokens.assign(words.begin(), words.end());
  }
  std::vector<float> logits_of(std::int32_t token) const {
    std::vector<float> logits(static_cast<std::size_t>(parts.runtime->model->config().vocab_size), 0.0F);
    logits[static_cast<std::size_t>(token)] = 1.0F;
    return logits;
  }
  void take(std::int32_t token) { stage.take_token(logits_of(token)); }

  StageParts parts;
  RequestState state;
  std::vector<std::int32_t> tokens;
  std::string shown;
  DecodeStage stage{state, [this](const std::string& part) { shown += part; }};
};

class DecodeStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aStopTokenEndsTheAnswerAndIsNoPartOfIt() {
    Answering answering;
    QVERIFY(!answering.stage.has_begun());
    answering.take(answering.tokens[0]);
    answering.take(answering.tokens[1]);
    QVERIFY(answering.stage.has_begun() && !answering.stage.done());
    answering.take(answering.parts.runtime->stop_ids().at(0));
    QVERIFY(answering.stage.done() && answering.stage.answer_ended());
    QVERIFY((answering.stage.answer_tokens() == std::vector<std::int32_t>{answering.tokens[0], answering.tokens[1]}));
    const RequestRecord& record = answering.state.record;
    QCOMPARE(record.answer_tokens, 2);
    QCOMPARE(record.timing.token_gaps_seconds.size(), std::size_t{1});  // waiting for the end is between no tokens
  }

  void theLongestAnswerEndsIt() {
    Answering answering(3);
    for (int i = 0; i < 3; ++i) {
      QVERIFY(!answering.stage.done());
      answering.take(answering.tokens[static_cast<std::size_t>(i)]);
    }
    QVERIFY(answering.stage.done() && !answering.stage.answer_ended());
    const RequestRecord& record = answering.state.record;
    QCOMPARE(record.answer_tokens, 3);
    QVERIFY(!record.answer.empty());
    QCOMPARE(answering.shown, record.answer);
    QCOMPARE(record.timing.token_gaps_seconds.size(), std::size_t{2});
    QVERIFY(std::abs(record.timing.mean_itl_seconds - 1e-3) < 1e-9);  // the clock was read once per token
    QVERIFY(record.timing.e2e_seconds > 0);
  }

  void theLastPositionOfTheModelEndsIt() {
    Answering answering;
    answering.state.cache.set_sequence_length(answering.parts.runtime->model->config().max_positions - 1);
    answering.take(answering.tokens[0]);
    QVERIFY(!answering.stage.done());
    answering.state.cache.set_sequence_length(answering.parts.runtime->model->config().max_positions);
    answering.take(answering.tokens[1]);
    QVERIFY(answering.stage.done() && !answering.stage.answer_ended());
  }

  void theNextPassDecodesTheTokenThatWasChosen() {
    Answering answering;
    answering.state.cache.set_sequence_length(20);
    answering.take(answering.tokens[2]);
    const DecodeSequence next = answering.stage.next_decode();
    QVERIFY(next.cache == &answering.state.cache);
    QCOMPARE(next.token, answering.tokens[2]);
    QCOMPARE(next.position, 20);
  }

  void draftsEndWhereTheAnswerMustEnd() {
    const SpeculationSetting lookup = parse_speculation("lookup").value();
    Answering answering(6);
    answering.state.cache.set_sequence_length(20);
    const std::int32_t a = answering.tokens[0], b = answering.tokens[1];
    for (const std::int32_t token : {a, b, a}) answering.take(token);
    DraftOffer offer = answering.stage.offer_drafts(lookup);
    QVERIFY(offer.matched == 1 && offer.tokens == 2);  // the pass's own token, two more, and the answer has six
    const std::vector<DecodeSequence> rows = answering.stage.next_rows(2);
    QCOMPARE(rows.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      QVERIFY(rows[i].cache == &answering.state.cache && rows[i].hooks == nullptr);
      QCOMPARE(rows[i].token, i == 1 ? b : a);
      QCOMPARE(rows[i].position, 20 + static_cast<std::int32_t>(i));
    }
    QCOMPARE(answering.stage.offer_drafts(lookup, false).tokens, 0);
    QCOMPARE(answering.stage.offer_drafts(SpeculationSetting{}).tokens, 0);
    answering.state.cache.set_sequence_length(answering.parts.runtime->model->config().max_positions - 2);
    QCOMPARE(answering.stage.offer_drafts(lookup).tokens, 1);
    answering.take(b);
    answering.take(a);
    QCOMPARE(answering.stage.offer_drafts(lookup).tokens, 0);
  }

  // Its end is known by the row before a stop token.
  void draftsEndBeforeAStopToken() {
    const SpeculationSetting lookup = parse_speculation("lookup").value();
    Answering answering;
    const std::int32_t a = answering.tokens[0], stop = answering.parts.runtime->stop_ids().at(0);
    answering.state.input.question_tokens = {a, answering.tokens[1], stop};
    answering.take(a);
    QCOMPARE(answering.stage.offer_drafts(lookup).tokens, 1);
    Answering other;
    other.state.input.question_tokens = {a, stop};
    other.take(a);
    const DraftOffer offer = other.stage.offer_drafts(lookup);
    QVERIFY(offer.matched == 0 && offer.tokens == 0);
  }

  void aDeviceThatCannotVerifyGetsNoDrafts() {
    Answering answering;
    answering.parts.runtime->model->compute_on(std::make_shared<BrokenDevice>());
    for (const std::size_t i : {0, 1, 0}) answering.take(answering.tokens[i]);
    QCOMPARE(answering.stage.offer_drafts(parse_speculation("lookup").value()).tokens, 0);
    const auto& record = answering.state.record.decoding.speculation;
    QVERIFY(record && !record->used());
    QCOMPARE(record->not_applied, std::string("the model runs on a device"));
  }

  void theContextAloneIsLeft() {
    Answering answering(1);
    answering.state.cache = answering.parts.computed();
    const Digest128 context = digest_of(answering.state.cache);
    answering.state.question_start = answering.state.cache.sequence_length();
    PrefillTask question(*answering.parts.runtime->model, answering.state.cache, answering.state.input.question_tokens,
                         answering.state.question_start,
                         {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::none});
    must(question.run());
    QVERIFY(digest_of(answering.state.cache) != context);
    answering.take(answering.tokens[0]);
    QVERIFY(answering.stage.done());
    QVERIFY(digest_of(answering.state.cache) == context);
  }

  void layersOfAPassAreNotedWithTheirToken() {
    Answering answering;
    answering.take(answering.tokens[0]);
    answering.stage.note_layer(5'000'000, 7'000'000, 1, 3);
    const RequestSpan last = answering.state.spans.take().spans.back();
    QVERIFY(last.kind == RequestSpan::Kind::decode);
    QVERIFY(last.layer == 1 && last.step == 1 && last.tokens == 3);
    QCOMPARE(last.duration_ns, std::int64_t{2'000'000});
  }
};

KV_TEST_GUILESS_MAIN(DecodeStageTest)

}  // namespace decode_stage_test

#include "decode_stage_test.moc"
