// links: kv_base
// The plan's choice among ways to decode against a plain search over random tables, and their place in journals.
#include "core/policy/decode_option.h"

#include <QtTest>

#include <array>
#include <limits>

#include "core/base/random.h"
#include "core/policy/types_json.h"
#include "tests/support/test_program.h"

namespace decode_option_test {

using namespace kvantage;

namespace {

DecodeOption drawn_option(Random& random, int index) {
  DecodeOption option{.option = index == 0 ? "none" : "knorm(budget=" + std::to_string(index) + ")"};
  // Few values, so that equal utilities occur.
  option.quality = static_cast<double>(random.below(5)) / 4;
  option.n = random.below(6) == 0 ? 0 : 1 + static_cast<int>(random.below(12));
  option.inter_token_seconds = static_cast<double>(random.below(4)) / 8;
  option.gaps_per_answer = static_cast<double>(random.below(4));
  if (random.below(2) == 0) option.expected_quality = static_cast<double>(random.below(5)) / 4;
  return option;
}

/// Of (alpha * quality - seconds), written out; -1: none is measured.
int plain_best(const std::vector<DecodeOption>& options, double alpha) {
  int best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < options.size(); ++i) {
    const DecodeOption& option = options[i];
    if (option.n == 0) continue;
    const double quality = option.expected_quality < 0 ? option.quality : option.expected_quality;
    const double gained = alpha * quality - option.inter_token_seconds * option.gaps_per_answer;
    if (gained > most) {
      most = gained;
      best = static_cast<int>(i);
    }
  }
  return best;
}

std::vector<DecodeOption> two_options() {
  return {{.option = "none", .quality = 0.9, .n = 8, .inter_token_seconds = 0.02, .gaps_per_answer = 10},
          {.option = "knorm(budget=25%)", .quality = 0.6, .n = 8, .inter_token_seconds = 0.01, .gaps_per_answer = 10}};
}

}  // namespace

class DecodeOptionTest : public QObject {
  Q_OBJECT

 private slots:
  void theChoiceIsThatOfAPlainSearch() {
    Random random(31);
    int without = 0, not_first = 0;
    for (int table = 0; table < 20000; ++table) {
      std::vector<DecodeOption> options;
      for (int i = static_cast<int>(random.below(7)); i > 0; --i)
        options.push_back(drawn_option(random, static_cast<int>(options.size())));
      const double alpha = std::array{0.0, 0.25, 0.5, 1.0, 4.0, 1e9}[random.below(6)];
      const int expected = plain_best(options, alpha);
      const DecodeOption* chosen = best_decode_option(options, alpha);
      QCOMPARE(chosen == nullptr ? -1 : static_cast<int>(chosen - options.data()), expected);
      without += expected < 0 ? 1 : 0;
      not_first += expected > 0 ? 1 : 0;
    }
    QVERIFY(without > 100 && not_first > 1000);
  }

  // One saves 0.1 s of decoding and costs 0.3 of quality: the choice changes at alpha = 1/3 s.
  void theChoiceChangesWithAlpha() {
    const auto options = two_options();
    QCOMPARE(best_decode_option(options, 0)->option, std::string("knorm(budget=25%)"));
    QCOMPARE(best_decode_option(options, 0.33)->option, std::string("knorm(budget=25%)"));
    QCOMPARE(best_decode_option(options, 0.34)->option, std::string("none"));
    QCOMPARE(best_decode_option(options, 1e9)->option, std::string("none"));
  }

  void ofEqualOnesTheFirstIsChosen() {
    auto options = two_options();
    options[1].quality = options[0].quality;
    options[1].inter_token_seconds = options[0].inter_token_seconds;
    for (const double alpha : {0.0, 1.0}) QCOMPARE(best_decode_option(options, alpha), &options[0]);
  }

  void whatIsNotMeasuredIsNotChosen() {
    QVERIFY(best_decode_option({}, 1) == nullptr);
    auto options = two_options();
    options[0].n = 0;
    QCOMPARE(best_decode_option(options, 1e9), &options[1]);
    options[1].quality = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(best_decode_option(options, 1) == nullptr);
    options[1].quality = 0.5;
    options[1].inter_token_seconds = std::numeric_limits<double>::infinity();  // a slow one is better than none
    QCOMPARE(best_decode_option(options, 1), &options[1]);
  }

  void profilesKeepTheirOptionsInJournals() {
    ContextProfile profile{.points = {{.quality = 0.9, .n = 8}}, .decode_options = two_options()};
    profile.decode_options[1].expected_quality = 0.7;
    const Json json = json_from(profile);
    QCOMPARE(json.at("decode_options").size(), std::size_t{2});
    ContextProfile back;
    const Status read = json_into(*parse_json(json.dump(), "t"), back, "t");
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY(back.decode_options == profile.decode_options);
    QCOMPARE(back.points.size(), std::size_t{1});
    QCOMPARE(back.points[0].quality, 0.9);
  }

  // As every journal before there were options, so that older programs read it.
  void withoutOptionsAProfileIsWrittenAsBefore() {
    const Json json = json_from(ContextProfile{.points = {{.quality = 0.9, .n = 8}}});
    QVERIFY(!json.contains("decode_options"));
    QCOMPARE(json.size(), std::size_t{2});
    ContextProfile back;
    QVERIFY(json_into(json, back, "t").has_value());
    QVERIFY(back.decode_options.empty() && back.points.size() == 1);
    Json damaged = json;
    damaged["decode_options"] = 3;
    QVERIFY(!json_into(damaged, back, "t"));
    damaged["decode_options"] = Json::array({Json::object()});
    QVERIFY(!json_into(damaged, back, "t"));
  }
};

KV_TEST_GUILESS_MAIN(DecodeOptionTest)

}  // namespace decode_option_test

#include "decode_option_test.moc"
