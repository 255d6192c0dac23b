// Accesses to memory by the host and by the streams of a device, in the order of the calls, and the pairs of them that
// nothing orders. Happens-before by vector clocks (Mattern 1989): a stream's work is after its earlier work and after
// what the host did before the call; an event carries that order to streams and to the host that wait for it.
//
// The host is one agent, whatever its threads: order among them is for the thread sanitizer. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kvantage::testing {

struct MemoryRange {
  std::uintptr_t begin = 0, end = 0;

  static MemoryRange of(const void* address, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return {at, at + bytes};
  }
  /// Nothing overlaps an empty one.
  bool overlaps(const MemoryRange& other) const { return std::max(begin, other.begin) < std::min(end, other.end); }
};
using MemoryRanges = std::vector<MemoryRange>;

/// Per agent, how many of its actions are known to have happened.
class VectorClock {
 public:
  std::uint64_t of(std::size_t agent) const { return agent < ticks_.size() ? ticks_[agent] : 0; }
  void tick(std::size_t agent) {
    if (ticks_.size() <= agent) ticks_.resize(agent + 1);
    ++ticks_[agent];
  }
  void join(const VectorClock& other) {
    if (ticks_.size() < other.ticks_.size()) ticks_.resize(other.ticks_.size());
    for (std::size_t agent = 0; agent < other.ticks_.size(); ++agent)
      ticks_[agent] = std::max(ticks_[agent], other.ticks_[agent]);
  }

 private:
  std::vector<std::uint64_t> ticks_;
};

/// Two accesses to the same bytes, at least one a write, that may happen in either order.
struct Race {
  std::string earlier, later;  // in the order of the calls
};

class StreamTrace {
 public:
  using Agent = std::size_t;
  static constexpr Agent host = 0;

  Agent add_stream() {
    clocks_.emplace_back();
    return clocks_.size() - 1;
  }

  /// By the host, now.
  void host_access(const std::string& what, const MemoryRange& range, bool writes) {
    clocks_[host].tick(host);
    add(host, what, range, writes);
  }
  /// By work that the host submits to a stream: all of its ranges at once.
  void submit(Agent stream, const std::string& what, const MemoryRanges& reads, const MemoryRanges& writes) {
    follow_host(stream);
    clocks_[stream].tick(stream);
    for (const MemoryRange& range : reads) add(stream, what, range, false);
    for (const MemoryRange& range : writes) add(stream, what, range, true);
  }
  /// Events are keys only; a later record replaces the earlier one.
  void record(const void* event, Agent stream) {
    follow_host(stream);
    events_[event] = clocks_[stream];
  }
  void forget(const void* event) { events_.erase(event); }

  // Waits, counted from 0. For an event that was never recorded they have no effect.
  void stream_waits(Agent stream, const void* event) {
    follow_host(stream);
    wait(stream, events_.find(event));
  }
  void host_waits(const void* event) { wait(host, events_.find(event)); }
  void host_waits_for_stream(Agent stream) {
    if (is_kept()) clocks_[host].join(clocks_[stream]);
  }
  /// The device does nothing more.
  void end_of_device() {
    for (const VectorClock& clock : clocks_) clocks_[host].join(clock);
  }
  int waits() const { return waits_; }
  /// Ignores the `count` waits from wait number `first` on, for tests of what they are needed for.
  void ignore_waits(int first, int count) {
    first_ignored_ = first;
    ignored_ = count;
  }

  std::size_t accesses() const { return accesses_.size(); }
  std::vector<Race> races() const {
    std::vector<Race> found;
    for (std::size_t b = 1; b < accesses_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a)
        if (race(accesses_[a], accesses_[b])) found.push_back({accesses_[a].what, accesses_[b].what});
    return found;
  }

 private:
  using Events = std::map<const void*, VectorClock>;
  struct Access {
    std::string what;
    Agent agent = host;
    VectorClock clock;
    MemoryRange range;
    bool writes = false;
  };

  static bool race(const Access& earlier, const Access& later) {
    const bool conflict =
        earlier.agent != later.agent && (earlier.writes || later.writes) && earlier.range.overlaps(later.range);
    return conflict && later.clock.of(earlier.agent) < earlier.clock.of(earlier.agent);
  }
  void add(Agent agent, const std::string& what, const MemoryRange& range, bool writes) {
    if (range.begin < range.end) accesses_.push_back({what, agent, clocks_[agent], range, writes});
  }
  void follow_host(Agent stream) { clocks_[stream].join(clocks_[host]); }
  void wait(Agent agent, Events::const_iterator event) {
    if (is_kept() && event != events_.end()) clocks_[agent].join(event->second);
  }
  bool is_kept() {
    const int number = waits_++;
    return number < first_ignored_ || number >= first_ignored_ + ignored_;
  }

  std::vector<VectorClock> clocks_{1};  // by agent
  Events events_;
  std::vector<Access> accesses_;
  int waits_ = 0, first_ignored_ = 0, ignored_ = 0;
};

}  // namespace kvantage::testing
