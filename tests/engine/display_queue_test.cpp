// links: core_engine
// Events on their way to a window: what shows a state is merged while nobody looks, nothing else is lost.
#include "core/engine/display_queue.h"

#include <QtTest>

#include <atomic>
#include <thread>

#include "tests/support/test_program.h"

namespace display_queue_test {

using namespace kvantage;

constexpr std::size_t all = 1'000'000;

events::TokenEmitted token(std::uint64_t request, const char* text) { return {request, text}; }
events::Progress progress(const char* what, std::uint64_t done) { return {what, done, 10}; }
events::TierOccupancy occupancy(const char* tier, std::uint64_t used) { return {tier, used, 100, {{"knorm", used}}}; }
events::Message message(const char* text) { return {"info", text}; }

class DisplayQueueTest : public QObject {
  Q_OBJECT

  std::unique_ptr<DisplayQueue> queue_;
  std::uint64_t sequence_ = 0;

  void publish(EventPayload payload) {
    ++sequence_;
    const auto at = static_cast<std::int64_t>(sequence_);
    queue_->publish({sequence_, 100 + at, 200 + at, std::move(payload)});
  }
  /// Takes all; their numbers.
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> numbers;
    for (const Event& event : queue_->drain(all)) numbers.push_back(event.sequence);
    return numbers;
  }
  using Numbers = std::vector<std::uint64_t>;

 private slots:
  void init() {
    queue_ = std::make_unique<DisplayQueue>();
    sequence_ = 0;
  }

  void nothingWasPublished() { QVERIFY(queue_->drain(all).empty()); }

  void eventsComeInOrderAndAtMostSoMany() {
    for (const char* text : {"a", "b", "c", "d", "e"}) publish(message(text));
    QVERIFY(queue_->drain(0).empty());
    const auto some = queue_->drain(2);
    QCOMPARE(some.size(), std::size_t{2});
    QCOMPARE(some[0].sequence, std::uint64_t{1});
    QCOMPARE(some[1].sequence, std::uint64_t{2});
    publish(message("f"));
    QCOMPARE(numbers(), (Numbers{3, 4, 5, 6}));
    QVERIFY(queue_->drain(all).empty());
  }

  void theTextOfOneRequestIsJoined() {
    publish(token(1, "The "));
    publish(token(1, "badge"));
    publish(token(1, ""));
    publish(token(2, "Other"));
    publish(token(1, " is"));
    const auto events = queue_->drain(all);
    QCOMPARE(events.size(), std::size_t{3});
    const auto text = [&](std::size_t i) { return std::get<events::TokenEmitted>(events[i].payload); };
    QCOMPARE(text(0).text, std::string("The badge"));
    QCOMPARE(text(0).request, std::uint64_t{1});
    QCOMPARE(text(1).text, std::string("Other"));
    QCOMPARE(text(2).text, std::string(" is"));
  }

  void theLatestProgressReplacesTheOneBefore() {
    publish(progress("profiling", 1));
    publish(progress("profiling", 2));
    publish(progress("profiling", 3));
    publish(progress("loading", 4));
    const auto events = queue_->drain(all);
    QCOMPARE(events.size(), std::size_t{2});
    QCOMPARE(std::get<events::Progress>(events[0].payload).done, std::uint64_t{3});
    QCOMPARE(events[0].sequence, std::uint64_t{3});
    QCOMPARE(events[0].monotonic_ns, std::int64_t{203});
    QCOMPARE(std::get<events::Progress>(events[1].payload).what, std::string("loading"));
  }

  // A chart keeps one point for each change.
  void occupancyIsMergedOnlyWhereNothingLiesBetween() {
    publish(occupancy("dram", 1));
    publish(occupancy("dram", 2));
    publish(occupancy("ssd", 3));
    publish(occupancy("dram", 4));
    publish(events::PlacementCommitted{});
    publish(occupancy("dram", 5));
    const auto events = queue_->drain(all);
    QCOMPARE(events.size(), std::size_t{5});
    const auto& merged = std::get<events::TierOccupancy>(events[0].payload);
    QVERIFY(merged.used_bytes == 2 && merged.bytes_by_method.at("knorm") == 2);
    QCOMPARE(events[0].utc_ns, std::int64_t{102});
    QCOMPARE(std::get<events::TierOccupancy>(events[2].payload).used_bytes, std::uint64_t{4});
    QCOMPARE(std::get<events::TierOccupancy>(events[4].payload).used_bytes, std::uint64_t{5});
  }

  void everythingElseIsKept_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("messages") << 0;
    QTest::newRow("requests that began") << 1;
    QTest::newRow("requests that ended") << 2;
    QTest::newRow("commits") << 3;
    QTest::newRow("settings") << 4;
    QTest::newRow("fits") << 5;
  }
  void everythingElseIsKept() {
    QFETCH(int, kind);
    const std::vector<EventPayload> kinds{message("the same"),       events::RequestStarted{},
                                          events::RequestFinished{}, events::PlacementCommitted{},
                                          events::SettingChanged{},  events::CostsFitted{}};
    for (int i = 0; i < 1000; ++i) publish(kinds[static_cast<std::size_t>(kind)]);
    QCOMPARE(queue_->drain(all).size(), std::size_t{1000});
  }

  // What the window has taken it shows already.
  void whatWasTakenIsNotAddedTo() {
    publish(token(1, "The "));
    QCOMPARE(numbers(), Numbers{1});
    publish(token(1, "badge"));
    const auto events = queue_->drain(all);
    QCOMPARE(events.size(), std::size_t{1});
    QCOMPARE(std::get<events::TokenEmitted>(events[0].payload).text, std::string("badge"));
  }

  void anotherKindOfStateIsNotMerged() {
    publish(token(1, "a"));
    publish(progress("a", 1));
    publish(token(1, "b"));
    publish(occupancy("a", 1));
    publish(progress("a", 2));
    QCOMPARE(numbers(), (Numbers{1, 2, 3, 4, 5}));
  }

  void aWindowDrainsWhileTheEnginePublishes() {
    std::atomic<bool> ended = false;
    std::thread engine([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (i % 4 == 0) publish(message("m"));
        publish(token(1, "x"));
      }
      ended = true;
    });
    std::uint64_t last = 0;
    std::size_t messages = 0, letters = 0;
    bool in_order = true;
    for (bool over = false; !over;) {
      const bool all_published = ended;
      const auto events = queue_->drain(100);
      over = all_published && events.empty();
      for (const Event& event : events) {
        in_order = in_order && event.sequence > last;
        last = event.sequence;
        if (const auto* text = std::get_if<events::TokenEmitted>(&event.payload))
          letters += text->text.size();
        else
          ++messages;
      }
    }
    engine.join();
    QVERIFY(in_order);
    QCOMPARE(messages, std::size_t{5000});
    QCOMPARE(letters, std::size_t{20'000});
  }
};

KV_TEST_GUILESS_MAIN(DisplayQueueTest)

}  // namespace display_queue_test

#include "display_queue_test.moc"
