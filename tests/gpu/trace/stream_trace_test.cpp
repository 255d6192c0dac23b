// links: kv_base
// Races between the host and streams: planted ones are found, ordered accesses are none, and random traces give what
// reachability over the graph of all orders gives.
#include <QtTest>

#include <optional>
#include <set>
#include <utility>

#include "core/base/random.h"
#include "tests/gpu/trace/stream_trace.h"

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr MemoryRange low{0, 8}, high{8, 16}, middle{4, 12};

std::string text_of(const StreamTrace& trace) {
  std::string text;
  for (const Race& race : trace.races()) text += race.earlier + "/" + race.later + " ";
  return text;
}

/// The same trace as a graph: an edge for each order that CUDA promises, and a search for every pair.
class OrderGraph {
 public:
  explicit OrderGraph(std::size_t streams) : last_(streams + 1) {}

  void host_access(const std::string& what, const MemoryRange& range, bool writes) {
    accesses_.push_back({what, host_step(), range, writes});
  }
  void submit(std::size_t stream, const std::string& what, const MemoryRange& range, bool writes) {
    accesses_.push_back({what, stream_step(stream), range, writes});
  }
  void record(int event, std::size_t stream) { events_[event] = stream_step(stream); }
  void stream_waits(std::size_t stream, int event) { link(events_[event], stream_step(stream)); }
  void host_waits(int event) { link(events_[event], host_step()); }
  void host_waits_for_stream(std::size_t stream) { link(last_[stream], host_step()); }

  std::string races() const {
    std::string text;
    for (std::size_t b = 1; b < accesses_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const Access &first = accesses_[a], &second = accesses_[b];
        if ((first.writes || second.writes) && first.range.overlaps(second.range) && !reaches(first.node, second.node))
          text += first.what + "/" + second.what + " ";
      }
    return text;
  }

 private:
  struct Access {
    std::string what;
    std::size_t node = 0;
    MemoryRange range;
    bool writes = false;
  };
  using Node = std::optional<std::size_t>;

  void link(Node from, std::size_t to) {
    if (from) after_[*from].push_back(to);
  }
  std::size_t step(std::size_t agent) {
    after_.emplace_back();
    const std::size_t node = after_.size() - 1;
    link(last_[agent], node);
    last_[agent] = node;
    return node;
  }
  std::size_t host_step() { return step(0); }
  std::size_t stream_step(std::size_t stream) {
    const std::size_t call = host_step(), node = step(stream);
    link(call, node);
    return node;
  }
  bool reaches(std::size_t from, std::size_t to) const {
    std::set<std::size_t> seen{from};
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      for (const std::size_t next : after_[node])
        if (seen.insert(next).second) open.push_back(next);
    }
    return seen.contains(to);
  }

  std::vector<Access> accesses_;
  std::vector<std::vector<std::size_t>> after_;  // by node
  std::vector<Node> last_;                       // by agent
  std::map<int, Node> events_;
};

}  // namespace

class StreamTraceTest : public QObject {
  Q_OBJECT

  static constexpr int event = 0;

 private slots:
  void aHostThatReadsTooEarlyIsFound() {
    StreamTrace trace;
    const auto copies = trace.add_stream();
    trace.submit(copies, "copy", {}, {low});
    trace.record(&event, copies);
    trace.host_access("read", middle, false);
    QCOMPARE(text_of(trace), std::string("copy/read "));
    trace.host_waits(&event);
    trace.host_access("later read", middle, false);
    QCOMPARE(text_of(trace), std::string("copy/read "));
  }

  void aStreamWithoutAWaitIsFound() {
    for (const bool waits : {false, true}) {
      StreamTrace trace;
      const auto copies = trace.add_stream(), computing = trace.add_stream();
      trace.submit(copies, "copy", {high}, {low});
      trace.record(&event, copies);
      if (waits) trace.stream_waits(computing, &event);
      trace.submit(computing, "kernel", {low}, {});
      QCOMPARE(text_of(trace), std::string(waits ? "" : "copy/kernel "));
    }
  }

  void aBufferFilledAgainTooEarlyIsFound() {
    for (const bool waits : {false, true}) {
      StreamTrace trace;
      const auto copies = trace.add_stream(), computing = trace.add_stream();
      trace.submit(computing, "kernel", {low}, {});
      trace.record(&event, computing);
      if (waits) trace.host_waits(&event);
      trace.submit(copies, "copy", {}, {low});
      QCOMPARE(text_of(trace), std::string(waits ? "" : "kernel/copy "));
    }
  }

  void anEventOrdersOnlyWhatWasBeforeIt() {
    StreamTrace trace;
    const auto copies = trace.add_stream();
    trace.submit(copies, "first", {}, {low});
    trace.record(&event, copies);
    trace.submit(copies, "second", {}, {high});
    trace.host_waits(&event);
    trace.host_access("read", middle, false);
    QCOMPARE(text_of(trace), std::string("second/read "));
    trace.host_waits_for_stream(copies);
    trace.host_access("later", middle, true);
    QCOMPARE(text_of(trace), std::string("second/read "));
  }

  void readsAndOtherBytesAreNoRace() {
    StreamTrace trace;
    const auto copies = trace.add_stream(), computing = trace.add_stream();
    trace.submit(copies, "copy", {low}, {});
    trace.submit(computing, "kernel", {low}, {high});
    trace.host_access("read", low, false);
    trace.host_access("nothing", {4, 4}, true);
    QVERIFY(trace.races().empty());
    QCOMPARE(trace.accesses(), std::size_t{4});
    trace.end_of_device();
    trace.host_access("write", {0, 16}, true);
    QVERIFY(trace.races().empty());
  }

  void aForgottenEventOrdersNothing() {
    StreamTrace trace;
    const auto copies = trace.add_stream();
    trace.submit(copies, "copy", {}, {low});
    trace.record(&event, copies);
    trace.forget(&event);
    trace.host_waits(&event);
    trace.host_access("read", low, false);
    QCOMPARE(text_of(trace), std::string("copy/read "));
  }

  void anIgnoredWaitOrdersNothing() {
    for (const int ignored : {0, 1}) {
      StreamTrace trace;
      const auto copies = trace.add_stream();
      trace.ignore_waits(ignored, 1);
      trace.submit(copies, "copy", {}, {low});
      trace.record(&event, copies);
      trace.host_waits(&event);
      trace.host_access("read", low, false);
      QCOMPARE(trace.waits(), 1);
      QCOMPARE(text_of(trace), std::string(ignored == 0 ? "copy/read " : ""));
    }
  }

  void randomTracesGiveWhatReachabilityGives() {
    constexpr std::size_t streams = 3;
    constexpr int events = 3;
    int keys[events] = {};
    std::size_t racing = 0, free_of_races = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Random random(seed);
      StreamTrace trace;
      OrderGraph graph(streams);
      for (std::size_t stream = 0; stream < streams; ++stream) trace.add_stream();
      for (int i = 0; i < 30; ++i) {
        const std::size_t stream = 1 + random.below(streams);
        const int which = static_cast<int>(random.below(events));
        const std::uintptr_t begin = random.below(8);
        const MemoryRange range{begin, begin + random.below(4)};
        const bool writes = random.below(3) == 0 && range.begin < range.end;
        const std::string what = std::to_string(i);
        switch (random.below(7)) {
          case 0:
            trace.host_access(what, range, writes);
            graph.host_access(what, range, writes);
            break;
          case 1:
          case 2:
            trace.submit(stream, what, writes ? MemoryRanges{} : MemoryRanges{range},
                         writes ? MemoryRanges{range} : MemoryRanges{});
            graph.submit(stream, what, range, writes);
            break;
          case 3:
            trace.record(&keys[which], stream);
            graph.record(which, stream);
            break;
          case 4:
            trace.stream_waits(stream, &keys[which]);
            graph.stream_waits(stream, which);
            break;
          case 5:
            trace.host_waits(&keys[which]);
            graph.host_waits(which);
            break;
          default:
            trace.host_waits_for_stream(stream);
            graph.host_waits_for_stream(stream);
        }
      }
      QCOMPARE(text_of(trace), graph.races());
      ++(trace.races().empty() ? free_of_races : racing);
    }
    QVERIFY2(racing > 50 && free_of_races > 20, qPrintable(QString("%1, %2").arg(racing).arg(free_of_races)));
  }
};

QTEST_GUILESS_MAIN(StreamTraceTest)
#include "stream_trace_test.moc"
