// links: core_store tiers
// A request whose context is on a tier while its answer is decoded: its tokens are those with the context in memory,
// the pool gets the context's blocks back, and however it ends, nothing stays on the tier.
#include "core/request/offloaded_decode_stage.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace offloaded_decode_stage_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int chunk = 64;

std::unique_ptr<RequestTask> task_with(StageParts& parts, DecodeOffloadSetting setting, int answer_tokens = 12) {
  setting.tier = "dram";
  const auto codec = offload_codec(setting);
  if (!codec) qFatal("%s", codec.error().message.c_str());
  RequestInput input = input_of(parts, 0, 0, answer_tokens);
  input.decode_offload = std::make_shared<const DecodeOffload>(
      DecodeOffload{.setting = setting,
                    .codec = *codec,
                    .tier = parts.dram,
                    .profile = {.link = {.bytes_per_second = 1e8}, .recompute = {0, 1e-6}},
                    .frozen = true});
  return std::make_unique<RequestTask>(*parts.runtime, parts.lender, parts.serving_clock, std::move(input),
                                       std::nullopt, 0.0, [](const std::string&) {});
}

std::unique_ptr<RequestTask> task_of(StageParts& parts, SplitMode split) { return task_with(parts, {.split = split}); }

/// One step; false: the answer is complete.
Expected<bool> step(StageParts& parts, RequestTask& task) {
  switch (task.needs()) {
    case RequestTask::Need::bytes:
      KV_TRY(task.poll(0.1));
      return true;
    case RequestTask::Need::compute:
      KV_TRY(task.compute());
      return true;
    case RequestTask::Need::token: {
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      KV_TRY(decode.run());
      task.decode().take_token(decode.logits(0));
      return true;
    }
    case RequestTask::Need::nothing:
      break;
  }
  return false;
}

void finish(StageParts& parts, RequestTask& task) {
  for (;;) {
    const auto more = step(parts, task);
    if (!more) qFatal("%s", more.error().message.c_str());
    if (!*more) return;
  }
}

/// Each layer is packed once, in order, after the context's prefill; the question waits only afterwards. Other spans
/// have the tier's clock, which is not that of these parts.
void check_writes(const RequestSpans& spans, const OffloadRecord& record, int layers) {
  using Kind = RequestSpan::Kind;
  std::vector<int> packed;
  std::uint64_t bytes = 0;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const RequestSpan& span : spans.spans) {
    if (span.kind != Kind::write) continue;
    if (span.layer >= 0) packed.push_back(span.layer);
    bytes += span.bytes;
    begin = std::min(begin, span.start_ns);
    end = std::max(end, span.end_ns());
  }
  std::vector<int> all(static_cast<std::size_t>(layers));
  std::iota(all.begin(), all.end(), 0);
  QCOMPARE(packed, all);
  QVERIFY(bytes > 0 && bytes <= record.stored_bytes);  // which grows with the answer
  QVERIFY(span_seconds(spans, Kind::write) <= record.write_seconds + 1e-6);
  for (const RequestSpan& span : spans.spans) {
    if (span.kind == Kind::context_prefill) QVERIFY(span.end_ns() <= begin);
    if (span.kind == Kind::wait) QVERIFY(span.start_ns >= end);
  }
}

}  // namespace

class OffloadedDecodeStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void tokensAreThoseInMemory_data() {
    QTest::addColumn<int>("split");
    QTest::newRow("load only") << static_cast<int>(SplitMode::load_only);
    QTest::newRow("recompute only") << static_cast<int>(SplitMode::recompute_only);
  }
  void tokensAreThoseInMemory() {
    QFETCH(const int, split);
    StageParts parts(chunk);
    QVERIFY(parts.tokens().size() > chunk);  // more than one chunk
    const auto in_memory = served(parts, 0, 0);
    const auto task = task_of(parts, static_cast<SplitMode>(split));
    bool left = false;
    std::optional<KvCache> context;
    while (!task->done()) {
      const auto more = step(parts, *task);
      QVERIFY2(more.has_value(), more ? "" : more.error().message.c_str());
      if (task->offload()->leaves_memory() && !context) context.emplace(task->share_context());
      if (!task->offload()->is_offloaded() || std::exchange(left, true)) continue;
      QCOMPARE(task->cache().held_bytes(), std::size_t{0});
      QVERIFY(parts.dram->used_bytes() > 0);
    }
    QVERIFY(left && context);
    QCOMPARE(task->decode().answer_tokens(), in_memory->decode().answer_tokens());
    QVERIFY(digest_of(*context) == digest_of(parts.computed()));
    context.reset();
    QCOMPARE(parts.dram->used_bytes(), std::uint64_t{0});
    QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
    const OffloadRecord& record = *task->record().decoding.offload;
    QVERIFY(record.used());
    const auto tokens = static_cast<std::uint64_t>(parts.tokens().size()),
               steps = static_cast<std::uint64_t>(record.steps);
    // The question follows its context; what its last pass fed, from the second step on. Where nothing is recomputed,
    // it joins decoded tokens in pages of 64.
    const std::uint64_t asked = input_of(parts, 0, 0).question_tokens.size(), last = (asked - 1) % chunk + 1;
    QVERIFY(asked > 0 && steps > 0 && steps < 64);  // decoded tokens alone make no page
    std::uint64_t streamed = steps * (tokens + asked) - last;
    if (static_cast<SplitMode>(split) == SplitMode::load_only) {
      streamed = 0;
      for (std::uint64_t before = 0; before < steps; ++before) streamed += tokens + (asked - 1 + before) / 64 * 64;
    }
    QCOMPARE(record.streamed_tokens, streamed);
    QCOMPARE(record.recomputed_tokens,
             static_cast<SplitMode>(split) == SplitMode::load_only ? 0 : record.streamed_tokens);
    QVERIFY(task->record().decoding.peak_bytes > 0);
    QVERIFY(task->record().decoding.peak_bytes < in_memory->record().decoding.peak_bytes);
    const RequestSpans spans = task->take_spans();
    QVERIFY(span_seconds(spans, RequestSpan::Kind::read) > 0);
    const bool recomputes = std::ranges::any_of(
        spans.spans, [](const RequestSpan& span) { return span.kind == RequestSpan::Kind::recompute; });
    QCOMPARE(recomputes, static_cast<SplitMode>(split) != SplitMode::load_only);
    check_writes(spans, record, parts.layers());
  }

  // The row schedule recomputes from inputs in memory, so it pays on any model.
  void aResidentFrontIsNotRead_data() {
    QTest::addColumn<int>("resident");
    QTest::addColumn<int>("split");
    for (const ResidentFront front : {ResidentFront::inputs, ResidentFront::keys_values})
      for (const SplitMode split : {SplitMode::solved, SplitMode::recompute_only})
        QTest::addRow("%s, %s", to_string(front), to_string(split))
            << static_cast<int>(front) << static_cast<int>(split);
  }
  void aResidentFrontIsNotRead() {
    QFETCH(const int, resident);
    QFETCH(const int, split);
    const auto front = static_cast<ResidentFront>(resident);
    StageParts parts(chunk);
    const auto in_memory = served(parts, 0, 0);
    const auto read = task_of(parts, SplitMode::load_only);
    finish(parts, *read);
    const auto kept = task_with(parts, {.split = static_cast<SplitMode>(split), .resident = front});
    finish(parts, *kept);
    QCOMPARE(kept->decode().answer_tokens(), in_memory->decode().answer_tokens());
    QCOMPARE(parts.dram->used_bytes(), std::uint64_t{0});
    const OffloadRecord &all = *read->record().decoding.offload, &rest = *kept->record().decoding.offload;
    QVERIFY(rest.used());
    QCOMPARE(rest.steps, all.steps);
    QCOMPARE(rest.input_bytes, std::uint64_t{0});
    QVERIFY(rest.kv_bytes < all.kv_bytes);
    QVERIFY(rest.resident_bytes > 0 && kept->record().decoding.held_bytes > rest.resident_bytes);
    QCOMPARE(rest.recomputed_tokens > 0, front == ResidentFront::inputs);
    QCOMPARE(all.resident_bytes, std::uint64_t{0});
  }

  // Keys and values on the tier are those of the codec, so the answer may differ; fewer bytes are read.
  void aCodecShortensWhatIsRead() {
    StageParts parts(chunk);
    const auto plain = task_of(parts, SplitMode::load_only);
    finish(parts, *plain);
    const auto coded = task_with(parts, {.split = SplitMode::load_only, .codec = "kivi4(residual=0)"});
    finish(parts, *coded);
    const OffloadRecord &of_plain = *plain->record().decoding.offload, &of_coded = *coded->record().decoding.offload;
    QVERIFY(of_coded.used() && of_coded.steps > 0);
    QVERIFY(of_coded.per_step(static_cast<double>(of_coded.kv_bytes)) <
            0.5 * of_plain.per_step(static_cast<double>(of_plain.kv_bytes)));
    QVERIFY(!offload_codec({.tier = "dram", .codec = "kivi4+zstd"}));
    QVERIFY(!offload_codec({.tier = "dram", .codec = "nothing"}));
  }

  // Wherever a request is canceled.
  void cancelingLeavesNothing() {
    StageParts parts(chunk);
    const std::size_t blocks = parts.runtime->pool->live_blocks();
    auto whole = task_of(parts, SplitMode::load_only);
    int steps = 0;
    for (auto more = step(parts, *whole); more && *more; more = step(parts, *whole)) ++steps;
    whole.reset();
    for (int end = 0; end < steps; end += 1 + steps / 40) {
      auto task = task_of(parts, SplitMode::load_only);
      for (int i = 0; i < end; ++i) {
        const auto more = step(parts, *task);
        if (!more || !*more) break;
      }
      task.reset();
      QCOMPARE(parts.dram->used_bytes(), std::uint64_t{0});
      QCOMPARE(parts.lender.leased_bytes(), std::size_t{0});
      QCOMPARE(parts.runtime->pool->live_blocks(), blocks);
    }
  }

  // The context is still in memory then.
  void aTierThatRefusesIsNotUsed() {
    StageParts parts(chunk);
    const auto in_memory = served(parts, 0, 0);
    parts.dram->refuses_writes = true;
    const auto task = task_of(parts, SplitMode::load_only);
    finish(parts, *task);
    QCOMPARE(task->decode().answer_tokens(), in_memory->decode().answer_tokens());
    QVERIFY(task->offload()->gave_up() && !task->offload()->failed());
    QVERIFY(!task->record().decoding.offload->used());
    QCOMPARE(parts.dram->used_bytes(), std::uint64_t{0});
  }

  // The engine refuses such a setting; one that it took before the model was loaded changes no answer.
  void aSplitThatCannotPayIsNotUsed() {
    StageParts parts(chunk);
    if (split_refusal_of(*parts.runtime->model).empty()) QSKIP("this model's layer inputs are short enough");
    const auto in_memory = served(parts, 0, 0);
    const auto task = task_of(parts, SplitMode::solved);
    finish(parts, *task);
    QCOMPARE(task->decode().answer_tokens(), in_memory->decode().answer_tokens());
    QCOMPARE(task->record().decoding.offload->not_applied,
             std::string("layer inputs are no shorter than keys and values"));
    QCOMPARE(parts.dram->used_bytes(), std::uint64_t{0});
  }

  // Then nothing is in memory any more, and the request has to begin again.
  void aFailedReadEndsTheTask() {
    StageParts parts(chunk);
    const auto task = task_of(parts, SplitMode::load_only);
    while (!task->offload()->is_offloaded()) QVERIFY(step(parts, *task).has_value());
    parts.dram->read_failure = "checksum";
    bool failed = false;
    while (!failed && !task->done()) failed = !step(parts, *task).has_value();
    QVERIFY(failed && task->offload()->failed() && !task->done());
  }

  // Recomputation has the share of a layer's products, other compute is a question's.
  void theProfileFollowsFromTheFits() {
    StageParts parts(chunk);
    const ModelConfig& config = parts.runtime->model->config();
    const RecomputeProfile profile =
        offload_profile(*parts.runtime->model, {.bytes_per_second = 5, .decode_seconds_per_token = 3},
                        {.base_seconds = 1, .seconds_per_token = 2}, {0.5, 0.01}, 100);
    QCOMPARE(profile.link.bytes_per_second, 5.0);
    QCOMPARE(profile.link.decode_seconds_per_token, 0.0);
    QCOMPARE(profile.rest_seconds, 1.5 / config.layers);
    const double keys_values = 2.0 * config.kv_heads * config.head_dim,
                 all = keys_values + 2.0 * config.heads * config.head_dim + 3.0 * config.intermediate;
    QVERIFY(std::abs(profile.recompute.seconds_per_token - 2 * keys_values / all / config.layers) < 1e-12);
  }
};

KV_TEST_GUILESS_MAIN(OffloadedDecodeStageTest)

}  // namespace offloaded_decode_stage_test

#include "offloaded_decode_stage_test.moc"
