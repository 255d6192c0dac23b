// links: kv_runtime
// Every sink gets every event, numbered without gaps and stamped by the clock; virtual time is never called measured.
#include "core/runtime/event_bus.h"

#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace event_bus_test {

using namespace kvantage;
using namespace kvantage::test;

/// What it is given, and whose turn it was.
struct Sink final : EventSink {
  Sink(std::vector<int>& order, int number) : order_(order), number_(number) {}
  void publish(const Event& event) override {
    events.push_back(event);
    order_.push_back(number_);
  }
  std::vector<Event> events;

 private:
  std::vector<int>& order_;
  int number_;
};

/// Distinguishes wall time from monotonic time.
struct TwoClocks final : Clock {
  std::int64_t monotonic_ns() const override { return now_ns; }
  std::int64_t utc_ns() const override { return 1'000'000 + now_ns; }
  std::int64_t now_ns = 0;
};

events::RequestFinished finished(Provenance provenance) {
  events::RequestFinished event;
  event.record.id = 4;
  event.record.provenance = provenance;
  return event;
}

class EventBusTest : public QObject {
  Q_OBJECT

 private slots:
  void eachSinkGetsEachEventInOrder() {
    TwoClocks clock;
    std::vector<int> order;
    Sink first(order, 1), second(order, 2);
    EventBus bus(clock, {&first, &second});
    for (const char* text : {"a", "b", "c"}) {
      clock.now_ns += 10;
      bus.publish(events::Message{"info", text});
    }
    QCOMPARE(order, (std::vector{1, 2, 1, 2, 1, 2}));
    for (const Sink* sink : {&first, &second}) {
      QCOMPARE(sink->events.size(), std::size_t{3});
      for (std::size_t i = 0; i < 3; ++i) {
        const Event& event = sink->events[i];
        QCOMPARE(event.sequence, std::uint64_t{i + 1});
        QCOMPARE(event.monotonic_ns, static_cast<std::int64_t>(10 * (i + 1)));
        QCOMPARE(event.utc_ns, static_cast<std::int64_t>(1'000'000 + 10 * (i + 1)));
        QCOMPARE(std::get<events::Message>(event.payload).text, std::string(1, static_cast<char>('a' + i)));
      }
    }
  }

  void aRunsEventsAreNumberedFromOne() {
    TwoClocks clock;
    std::vector<int> order;
    Sink sink(order, 1);
    EventBus bus(clock, {&sink});
    bus.publish(events::Message{});
    bus.publish(events::Message{});
    bus.restart_sequence();
    bus.publish(events::Message{});
    bus.publish(events::Message{});
    QCOMPARE(sink.events[2].sequence, std::uint64_t{1});
    QCOMPARE(sink.events[3].sequence, std::uint64_t{2});
  }

  void withoutSinksNothingHappens() {
    TwoClocks clock;
    EventBus bus(clock, {});
    bus.publish(events::Message{});
  }

  void whatWasTimedInVirtualTimeIsSimulated() {
    VirtualExecutor executor;
    std::vector<int> order;
    Sink sink(order, 1);
    EventBus bus(executor.clock(), {&sink});
    for (const Provenance provenance : {Provenance::measured, Provenance::throttled, Provenance::simulated})
      bus.publish(finished(provenance));
    bus.publish(events::Message{"info", "other events are left as they are"});
    for (std::size_t i = 0; i < 3; ++i) {
      const RequestRecord& record = std::get<events::RequestFinished>(sink.events[i].payload).record;
      QVERIFY(record.provenance == Provenance::simulated);
      QCOMPARE(record.id, std::uint64_t{4});
    }
    QVERIFY(std::holds_alternative<events::Message>(sink.events[3].payload));
  }

  void byTheMachinesClockItIsAsTheRequestSays() {
    TwoClocks clock;
    std::vector<int> order;
    Sink sink(order, 1);
    EventBus bus(clock, {&sink});
    for (const Provenance provenance : {Provenance::measured, Provenance::throttled}) {
      bus.publish(finished(provenance));
      const auto& event = std::get<events::RequestFinished>(sink.events.back().payload);
      QVERIFY(event.record.provenance == provenance);
    }
  }
};

KV_TEST_GUILESS_MAIN(EventBusTest)

}  // namespace event_bus_test

#include "event_bus_test.moc"
