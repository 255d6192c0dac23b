// links: kv_reports
// A shared run of any length becomes a page of a bounded size: series keep every peak, lists are spread evenly, and the
// page names what it has only a part of.
#include <QtTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/report/share/share_page.h"
#include "core/report/share/share_series.h"
#include "core/report/share/share_settings.h"
#include "tests/report/share_sample.h"
#include "tests/support/test_program.h"

namespace share_bounds_test {

using namespace kvantage;

namespace {

/// A sample a second, all of one value.
std::vector<ShareSample> flat(std::size_t count, double value) {
  std::vector<ShareSample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) samples.push_back({static_cast<double>(i), value});
  return samples;
}

bool has(const std::vector<ShareSample>& samples, double seconds, double value) {
  return std::ranges::any_of(samples,
                             [&](const ShareSample& one) { return one.seconds == seconds && one.value == value; });
}

std::string reduced_text(const Json& data, const std::string& what) {
  for (const Json& one : data.at("reduced"))
    if (one.at("what").get<std::string>() == what)
      return std::to_string(one.at("kept").get<int>()) + " of " + std::to_string(one.at("of").get<int>());
  return "all";
}

}  // namespace

class ShareBoundsTest : public QObject {
  Q_OBJECT

 private slots:
  void noPeakIsLost() {
    auto samples = flat(100'000, 5);
    samples[40'321].value = 9;
    samples[77'777].value = 1;
    samples.back().value = 6;
    for (const std::size_t limit : {std::size_t{4}, std::size_t{10}, std::size_t{1000}, std::size_t{20'000}}) {
      const auto kept = thinned(samples, limit);
      QVERIFY(kept.size() <= limit);
      QVERIFY(has(kept, 0, 5) && has(kept, 40'321, 9) && has(kept, 77'777, 1) && has(kept, 99'999, 6));
      QVERIFY(std::ranges::is_sorted(kept, {}, &ShareSample::seconds));
    }
    QVERIFY(thinned(samples, 1000).size() > 300);
    QCOMPARE(thinned(samples, samples.size()).size(), samples.size());
  }

  void samplesOfOneMomentAreBounded() {
    std::vector<ShareSample> samples(1000, ShareSample{7, 2});
    samples[500].value = 3;
    const auto kept = thinned(samples, 10);
    QVERIFY(kept.size() <= 4);
    QVERIFY(has(kept, 7, 3));
    QVERIFY(thinned({}, 10).empty());
  }

  void placesAreSpreadEvenly() {
    QCOMPARE(spread(3, 5), (std::vector<std::size_t>{0, 1, 2}));
    QCOMPARE(spread(9, 3), (std::vector<std::size_t>{0, 4, 8}));
    QVERIFY(spread(0, 5).empty());
    for (const std::size_t count : {std::size_t{51}, std::size_t{99}, std::size_t{1'000'003}}) {
      const auto places = spread(count, 50);
      QCOMPARE(places.size(), std::size_t{50});
      QCOMPARE(places.front(), std::size_t{0});
      QCOMPARE(places.back(), count - 1);
      QVERIFY(std::ranges::adjacent_find(places, std::ranges::greater_equal{}) == places.end());
    }
  }

  void theDefaultsLeaveAShortRunWhole() {
    const auto data = share_data(shared_sample());
    QVERIFY(data.has_value());
    QVERIFY(data->at("reduced").empty());
  }

  void aLongRunIsReducedAndSaysSo() {
    ShareOptions options;
    options.texts = true;
    options.limits = {.series_points = 10,
                      .chart_points = 1000,
                      .requests = 12,
                      .marks = 3,
                      .plans = 2,
                      .setting_cells = 2,
                      .text_bytes = 8,
                      .all_text_bytes = 64};
    const auto data = share_data(shared_sample(), options);
    QVERIFY(data.has_value());
    QCOMPARE(data->at("requests").at("t").size(), std::size_t{12});
    QCOMPARE(reduced_text(*data, "requests"), std::string("12 of 60"));
    QCOMPARE(reduced_text(*data, "annotations"), std::string("3 of 5"));
    QCOMPARE(data->at("annotations").size(), std::size_t{3});
    QCOMPARE(reduced_text(*data, "plans"), std::string("all"));
    QCOMPARE(reduced_text(*data, "settings that differ"), std::string("1 of 2"));
    for (const Json& tier : data->at("tiers")) {
      const std::size_t kept = tier.at("used").at("t").size();
      QVERIFY(kept >= 4 && kept <= 10);
      QVERIFY(reduced_text(*data, "occupancy of " + tier.at("name").get<std::string>())
                  .starts_with(std::to_string(kept) + " of 6"));
    }
    QCOMPARE(data->at("run").at("requests").get<int>(), 60);
    const Json& texts = data->at("texts");
    std::size_t bytes = 0;
    for (const char* column : {"question", "answer", "reference", "full"}) {
      QCOMPARE(texts.at(column).size(), std::size_t{12});
      for (const Json& text : texts.at(column)) {
        const auto& line = text.get_ref<const std::string&>();
        QVERIFY(line.size() <= 8 + 3);  // and "..."
        bytes += std::min<std::size_t>(line.size(), 8);
      }
    }
    QVERIFY(bytes > 0 && bytes <= 64);
    QVERIFY(reduced_text(*data, "questions and answers") != "all");
  }

  // All series of a chart share its points.
  void manyTiersShareAChart() {
    RecordedRun run = shared_sample();
    const Event last = run.events.back();
    for (int tier = 0; tier < 20; ++tier)
      for (int i = 0; i < 100; ++i) {
        Event event = last;
        event.sequence = run.events.back().sequence + 1;
        event.monotonic_ns += i * 1'000'000;
        event.payload = events::TierOccupancy{"tier " + std::to_string(tier), static_cast<std::uint64_t>(i), 0, {}};
        run.events.push_back(std::move(event));
      }
    ShareOptions options;
    options.limits.chart_points = 1000;
    const auto data = share_data(std::move(run), options);
    QVERIFY(data.has_value());
    QCOMPARE(data->at("tiers").size(), std::size_t{22});
    std::size_t points = 0;
    for (const Json& tier : data->at("tiers"))
      points += tier.at("used").at("t").size() + tier.at("budget").at("t").size();
    QVERIFY(points <= 1000);
  }

  // What no window recorded: times that go back and leap, numbers that are none.
  void madeUpNumbersStayInOrder() {
    RecordedRun run = shared_sample();
    run.events[20].monotonic_ns = 0;
    run.events[40].monotonic_ns = std::numeric_limits<std::int64_t>::max() / 2;
    for (Event& event : run.events)
      if (auto* answer = std::get_if<events::RequestFinished>(&event.payload)) {
        answer->record.timing.load_seconds = std::numeric_limits<double>::infinity();
        answer->record.quality["token_f1"] = std::numeric_limits<double>::quiet_NaN();
      }
    std::get<events::TierOccupancy>(run.events.front().payload).used_bytes = std::numeric_limits<std::uint64_t>::max();
    const auto page = share_page(std::move(run));
    QVERIFY(page.has_value());
    const Json data = data_of_page(*page);
    const auto times = data.at("requests").at("t").get<std::vector<double>>();
    QVERIFY(times.size() == 60 && std::ranges::is_sorted(times));
    QVERIFY(data.at("requests").at("load").at(0).is_null());
    QVERIFY(data.at("requests").at("quality").at(0).is_null());
    QCOMPARE(data.at("tiers").at(0).at("used").at("v").at(0).get<double>(), 18446744073709551616.0);
  }

  void changesOfSettingsAreShort() {
    QCOMPARE(setting_change_text("alpha", 0.5, 2), std::string("alpha: 0.5 to 2"));
    QCOMPARE(setting_change_text("methods", Json::array({"a"}), Json::array({"a", "b"})),
             std::string("methods/1: not set to b"));
    QCOMPARE(setting_change_text("l", Json::array({1, 2, 3, 4, 5}), Json::array({2, 3, 4, 5, 6})),
             std::string("l/0: 1 to 2; l/1: 2 to 3; l/2: 3 to 4; and 2 more"));
    QCOMPARE(setting_change_text("same", 1, 1), std::string("same"));
    QVERIFY(setting_change_text("long", std::string(9999, 'x'), std::string(9999, 'y')).size() < 500);
  }
};

KV_TEST_APPLESS_MAIN(ShareBoundsTest)

}  // namespace share_bounds_test

#include "share_bounds_test.moc"
