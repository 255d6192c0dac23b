// links: core_compress core_compress_decode
// A scorer of a file is a method like any other: in budgets, with codecs, by alias, while decoding. What its host gets
// are the numbers of the cache, and what fails there fails here with its reason.
#include "core/compress/method_files.h"

#include <QtTest>

#include <climits>

#include "core/compress/decode/eviction_method.h"
#include "tests/compress/random_context.h"
#include "tests/support/scorer_double.h"
#include "tests/support/test_program.h"

namespace file_scorer_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr KvShape shape{2, 3, 32, KvType::bf16};
constexpr int tokens = 70;

/// Digests that begin with the same digit, so that names are easy to read: "1111...".
std::string digest_of_digit(char digit) { return std::string(32, digit); }

/// The first number of each key.
Status first_numbers(const ScorerCall& call, const std::vector<std::vector<std::byte>>& inputs,
                     std::span<float> scores) {
  const auto keys = floats_in(inputs.front());
  const auto dim = static_cast<std::size_t>(call.inputs.front().shape.back());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = keys[i * dim];
  return {};
}

std::shared_ptr<ScorerDouble> add(const std::string& alias, char digit, ScorerFileNeeds needs,
                                  ScorerDouble::Score score) {
  auto host = std::make_shared<ScorerDouble>(alias, digest_of_digit(digit), needs, std::move(score));
  if (const Status added = add_method_file(host); !added) qFatal("%s", added.error().message.c_str());
  return host;
}

/// Keys or values of a head as fp32, copied by the cache itself.
std::vector<float> rows_of(const KvCache& cache, int layer, int head, bool keys) {
  const std::vector<std::byte> both = bytes_of_head(cache, layer, head);
  const std::size_t half = both.size() / 2;
  std::vector<float> numbers;
  for (std::size_t at = keys ? 0 : half; at < (keys ? half : both.size()); at += 2) {
    std::uint32_t bits = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&bits) + 2, &both[at], 2);
    float number = 0;
    std::memcpy(&number, &bits, 4);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

class FileScorerTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsNamedByAliasAndDigest() {
    add("by_name", '1', reading({ScorerInput::keys}), first_numbers);
    QCOMPARE(method_of("by_name")->text(), std::string("by_name_1111111111"));
    QCOMPARE(method_of("by_name_1111111111")->text(), std::string("by_name_1111111111"));
    QCOMPARE(method_of("adakv(by_name,safeguard=30)+kivi4")->text(),
             std::string("adakv(by_name_1111111111,safeguard=30)+kivi4"));
    const auto in_budget = method_of("global(by_name)");
    const MethodInfo& info = in_budget->info();
    QCOMPARE(info.name, std::string("by_name_1111111111"));
    QCOMPARE(info.reads, std::string("keys"));
    QVERIFY(info.removes_tokens);
    const auto known = known_methods();
    QVERIFY(std::ranges::find(known, "by_name_1111111111", &MethodInfo::text) != known.end());
    QVERIFY(!parse_method("by_name(window=3)"));
    QVERIFY(!parse_method("by_name(snapkv)"));
  }

  // Entries and profiles of one version never serve another.
  void anotherVersionIsAnotherMethod() {
    add("changing", '2', reading({ScorerInput::keys}), first_numbers);
    add("changing", '3', reading({ScorerInput::keys}), first_numbers);
    QCOMPARE(method_of("changing")->text(), std::string("changing_3333333333"));  // the newest
    QCOMPARE(method_of("changing_2222222222")->text(), std::string("changing_2222222222"));
    const auto gone = parse_method("pyramid(changing_4444444444)");
    QVERIFY(!gone);
    QCOMPARE(gone.error().message, std::string("method 'changing_4444444444': its file has changed and is now "
                                               "'changing_3333333333'; use that, or give the file of before with "
                                               "--method-file"));
    const auto unknown = parse_method("never_seen_0123456789");
    QVERIFY(!unknown);
    QVERIFY2(unknown.error().message.find("its file is not loaded; give it with --method-file") != std::string::npos,
             unknown.error().message.c_str());
    QCOMPARE(unloaded_file_method("fixed(adakv(never_seen_0123456789)+kivi4,0.5)"),
             std::string("never_seen_0123456789"));
    QCOMPARE(unloaded_file_method("fixed(adakv(changing_2222222222)+kivi4,0.5)"), std::string());
  }

  // An entry of a file that is not loaded has a codec and may be re-rotated: only scoring needs the file.
  void whatIsStoredIsReadWithoutTheFile() {
    QVERIFY(!parse_method("rerotate(gone_0123456789)+kivi4"));
    const auto stored = parse_stored_method("rerotate(gone_0123456789)+kivi4");
    QVERIFY2(stored.has_value(), stored ? "" : stored.error().message.c_str());
    QCOMPARE((*stored)->text(), std::string("rerotate(gone_0123456789)+kivi4"));
    QVERIFY((*stored)->info().rerotates && (*stored)->codec() != nullptr && !(*stored)->info().lossless);
    const RandomContext context(shape, tokens);
    const auto scores = (*stored)->scores(context.cache, context.observed);
    QVERIFY(!scores);
    QVERIFY2(scores.error().message.find("its file is not loaded") != std::string::npos,
             scores.error().message.c_str());
    QVERIFY(!holds_original("gone_0123456789+kivi4", 0) && !holds_original("rerotate(gone_0123456789)", 0));
    QVERIFY(!parse_stored_method("gone_0123456789(a=1)") && !parse_stored_method("never_heard_of"));
  }

  void namesOfTheProgramAreRefused() {
    for (const char* name : {"snapkv", "adakv", "kivi4", "none", "planned", "rerotate", "inverse_key_norm", "quest",
                             "kvzap", "fastkvzip", "", "Upper", "a b", "my_layer_inputs"}) {
      const Status refused = check_method_alias(name);
      QVERIFY2(!refused && refused.error().code == ErrorCode::usage, name);
    }
    QVERIFY(!check_method_alias(std::string(41, 'a')));
    QVERIFY(check_method_alias(std::string(40, 'a')).has_value());
    QVERIFY(check_method_alias("snapkv2").has_value());
  }

  // Blocks are scored again where a failure could not be returned.
  void blocksTakeNoFile() {
    add("in_blocks", 'd', reading({ScorerInput::keys}), first_numbers);
    for (const auto& refused : {parse_method("block(in_blocks)"), parse_stored_method("block(gone_0123456789)")}) {
      QVERIFY(!refused && refused.error().code == ErrorCode::usage);
      QCOMPARE(refused.error().message, std::string("method 'block': takes no method of a file, because it scores "
                                                    "again for every fraction; e.g. block(keydiff)"));
    }
    QVERIFY(parse_method("chunk(in_blocks)").has_value());
  }

  void theHostGetsTheNumbersOfTheCache() {
    const RandomContext context(shape, tokens);
    std::vector<ScorerCall> calls;
    std::vector<std::vector<std::byte>> seen;
    ScorerFileNeeds needs = reading({ScorerInput::keys, ScorerInput::values, ScorerInput::queries,
                                     ScorerInput::positions, ScorerInput::frequencies});
    needs.window_queries = 9;
    add("all_inputs", '5', needs, [&](const ScorerCall& call, const auto& inputs, std::span<float> scores) -> Status {
      calls.push_back(call);
      seen = inputs;
      std::ranges::fill(scores, 0.0F);
      return {};
    });
    QVERIFY(method_of("all_inputs")->scores(context.cache, context.observed).has_value());
    QCOMPARE(calls.size(), std::size_t{2});
    const ScorerCall& call = calls.back();
    QCOMPARE(call.layer, 1);
    QCOMPARE(call.tokens, tokens);
    QCOMPARE(call.sequence_length, tokens);
    using Shape = std::vector<std::int64_t>;
    QVERIFY((call.inputs[0].shape == Shape{3, tokens, 32}) && (call.inputs[1].shape == Shape{3, tokens, 32}));
    QVERIFY((call.inputs[2].shape == Shape{3, query_group, 9, 32}) && (call.inputs[3].shape == Shape{3, tokens}));
    QVERIFY((call.inputs[4].shape == Shape{16}));
    for (int head = 0; head < 3; ++head)
      for (const std::size_t input : {0UL, 1UL}) {
        const auto expected = rows_of(context.cache, 1, head, input == 0);
        const auto got = floats_in(seen[input]).subspan(static_cast<std::size_t>(head) * expected.size());
        QVERIFY(std::equal(expected.begin(), expected.end(), got.begin()));
      }
    // The last 9 of all queries: [heads, tokens, head_dim] and [heads, 9, head_dim].
    const auto& all = context.observed.queries.layers[1];
    const auto queries = floats_in(seen[2]);
    for (std::size_t head = 0; head < 3 * query_group; ++head)
      QVERIFY(std::equal(queries.begin() + static_cast<std::ptrdiff_t>(head * 9 * 32),
                         queries.begin() + static_cast<std::ptrdiff_t>((head + 1) * 9 * 32),
                         all.begin() + static_cast<std::ptrdiff_t>((head * tokens + tokens - 9) * 32)));
    QCOMPARE(reinterpret_cast<const std::int32_t*>(seen[3].data())[tokens - 1], tokens - 1);
  }

  void itsScoresDecideWhatIsKept() {
    const RandomContext context(shape, tokens);
    add("first_number", '6', reading({ScorerInput::keys}), first_numbers);
    const auto method = method_of("first_number");
    const auto scores = method->scores(context.cache, context.observed).value();
    const auto kept = method->keep_for(scores, 0.5);
    for (int head = 0; head < 3; ++head) {
      const auto keys = rows_of(context.cache, 1, head, true);
      const auto& rows = kept[1][static_cast<std::size_t>(head)];
      QCOMPARE(rows.size(), std::size_t{35});
      float least = INFINITY, most = -INFINITY;  // of kept ones, of dropped ones
      for (int t = 0; t < tokens; ++t) {
        const float first = keys[static_cast<std::size_t>(t) * 32];
        const bool is_kept = std::ranges::find(rows, t) != rows.end();
        (is_kept ? least : most) = is_kept ? std::min(least, first) : std::max(most, first);
      }
      QVERIFY(least >= most);
    }
  }

  void itsFailureIsTheMethods() {
    const RandomContext context(shape, tokens);
    add("failing", '7', reading({ScorerInput::keys}), [](const ScorerCall& call, const auto&, auto) -> Status {
      if (call.layer == 0) return {};
      return fail(ErrorCode::rejected_input, "method 'failing': not today");
    });
    const auto failed = method_of("failing")->scores(context.cache, context.observed);
    QVERIFY(!failed && failed.error().code == ErrorCode::rejected_input);
    QCOMPARE(failed.error().message, std::string("method 'failing': not today"));
  }

  void whatItReadsMustHaveBeenObserved() {
    RandomContext context(shape, tokens, 5);
    ScorerFileNeeds needs = reading({ScorerInput::queries});
    needs.window_queries = INT_MAX;
    add("every_query", '8', needs, first_numbers);
    const auto missing = method_of("every_query")->scores(context.cache, context.observed);
    QVERIFY(!missing);
    QVERIFY(missing.error().message.find("queries of all tokens") != std::string::npos);
    QCOMPARE(method_of("every_query")->info().reads, std::string("queries of all tokens"));
  }

  void itEvictsWhileDecodingIfItDeclaresThat() {
    const RandomContext context(shape, tokens);
    add("no_decoding", '9', reading({ScorerInput::keys}), first_numbers);
    QVERIFY(!make_eviction("no_decoding", {}));
    QVERIFY(!parse_decode_eviction("no_decoding(budget=50%)"));
    ScorerFileNeeds needs = reading({ScorerInput::keys});
    needs.decode_eviction = true;
    needs.cadence = 7;
    add("decoding", 'a', needs, first_numbers);
    const auto setting = parse_decode_eviction("decoding(budget=30)");
    QVERIFY(setting && *setting);
    QCOMPARE((*setting)->text(), std::string("decoding_aaaaaaaaaa(budget=30)"));
    QCOMPARE((*setting)->cadence, 7);
    QVERIFY(check_decode_eviction(**setting).has_value());
    const auto eviction =
        make_eviction((*setting)->method, {.layers = 2, .kv_heads = 3, .heads = 9, .head_dim = 32, .frequencies = {}});
    QVERIFY(eviction.has_value());
    const StepView step{context.cache, 1, query_group, {}, {}};
    const auto victims = (*eviction)->victims(step, 11);
    QVERIFY(victims.has_value());
    for (int head = 0; head < 3; ++head) {
      // The 11 lowest first numbers, without the newest row.
      const auto keys = rows_of(context.cache, 1, head, true);
      std::vector<std::pair<float, int>> rows;
      for (int t = 0; t < tokens - 1; ++t) rows.emplace_back(keys[static_cast<std::size_t>(t) * 32], t);
      std::ranges::sort(rows);
      std::vector<std::int32_t> lowest;
      for (std::size_t i = 0; i < 11; ++i) lowest.push_back(rows[i].second);
      std::ranges::sort(lowest);
      QCOMPARE((*victims)[static_cast<std::size_t>(head)], lowest);
    }
    needs.reads[static_cast<std::size_t>(ScorerInput::hidden_states)] = true;
    const auto refused =
        add_method_file(std::make_shared<ScorerDouble>("hidden", digest_of_digit('b'), needs, first_numbers));
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("hidden_states, which decoding does not record") != std::string::npos,
             refused.error().message.c_str());
  }

  void aFailureWhileDecodingIsAnError() {
    const RandomContext context(shape, tokens);
    ScorerFileNeeds needs = reading({ScorerInput::keys});
    needs.decode_eviction = true;
    add("breaks", 'c', needs,
        [](const ScorerCall&, const auto&, auto) -> Status { return fail(ErrorCode::rejected_input, "broken"); });
    const auto eviction =
        make_eviction("breaks", {.layers = 2, .kv_heads = 3, .heads = 9, .head_dim = 32, .frequencies = {}});
    QVERIFY(eviction.has_value());
    const StepView step{context.cache, 1, query_group, {}, {}};
    const auto victims = (*eviction)->victims(step, 11);
    QVERIFY(!victims && victims.error().message == "broken");
  }
};

KV_TEST_GUILESS_MAIN(FileScorerTest)

}  // namespace file_scorer_test

#include "file_scorer_test.moc"
