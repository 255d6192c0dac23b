// links: kv_experiments
// Which cores compute, on recorded machines: 4, 16 and 64 cores, with second hardware threads, slow cores, two nodes,
// and control groups.
#include "core/model/cores/core_topology.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "core/model/compute_cores.h"
#include "tests/model/cores/recorded_machine.h"
#include "tests/support/test_program.h"

namespace core_topology_test {

using namespace kvantage;
using namespace kvantage::test;

using Numbers = std::vector<int>;

Numbers from_to(int first, int last) {
  Numbers numbers;
  for (int number = first; number <= last; ++number) numbers.push_back(number);
  return numbers;
}

Numbers joined(Numbers first, const Numbers& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

ComputeCores chosen_on(const RecordedMachine& machine, int threads, bool leave_one) {
  return choose_compute_cores(
      read_core_topology(machine.root(), processors_of_control_group(machine.root(), machine.allowed())),
      {threads, leave_one, processor_time_of_control_group(machine.root())});
}

class CoreTopologyTest : public QObject {
  Q_OBJECT

 private slots:
  void listsAreThoseOfTheKernel() {
    QCOMPARE(parse_processor_list("0"), Numbers{0});
    QCOMPARE(parse_processor_list("0-3,8,10-11\n"), (Numbers{0, 1, 2, 3, 8, 10, 11}));
    QCOMPARE(parse_processor_list("8,0-3"), (Numbers{0, 1, 2, 3, 8}));
    for (const char* wrong : {"", "\n", "a", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "0-99999999", "99999999999999999"})
      QVERIFY2(parse_processor_list(wrong).empty(), wrong);
  }

  void withoutATreeEveryProcessorIsACore() {
    const CoreTopology topology = read_core_topology("/nonexistent", {2, 5});
    QCOMPARE(topology.processors, (std::vector<Processor>{{2, 2, 0, true}, {5, 5, 0, true}}));
    QCOMPARE(topology.cores(), 2);
    QCOMPARE(topology.nodes(), 1);
  }

  void fourCores() {
    RecordedMachine machine(RecordedMachine::with_threads(4, 1));
    machine.nodes({"0-3"});
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{4, {}, 1}));
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{3, {1, 2, 3}, 1}));  // the first one is the window's
  }

  void sixteenCoresWithTwoThreadsEach() {
    RecordedMachine machine(RecordedMachine::with_threads(16, 2));
    machine.nodes({"0-31"});
    const CoreTopology topology = read_core_topology(machine.root(), machine.allowed());
    QCOMPARE(topology.processors.size(), std::size_t{32});
    QCOMPARE(topology.cores(), 16);
    QCOMPARE(topology.processors[17].core, 1);
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{16, {}, 1}));  // a thread a core, wherever the system puts it
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{15, from_to(1, 15), 1}));
    // More than there are cores: then the second hardware threads, of the last cores first.
    QCOMPARE(chosen_on(machine, 18, true).cores,
             (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30, 31}));
    QCOMPARE(chosen_on(machine, 18, false).cores, Numbers{});  // several such processes would meet on these
    QCOMPARE(chosen_on(machine, 32, true).cores, Numbers{});
  }

  void neighborsMayBeTheThreadsOfACore() {
    std::vector<Numbers> cores;
    for (int core = 0; core < 4; ++core) cores.push_back({2 * core, 2 * core + 1});
    const RecordedMachine machine(cores);
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{3, {2, 4, 6}, 1}));
  }

  void twoCoresUseTheirSecondThreads() {
    const RecordedMachine machine(RecordedMachine::with_threads(2, 2));
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{4, {}, 1}));
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{3, {0, 1, 3}, 1}));
    const RecordedMachine two(RecordedMachine::with_threads(2, 1));
    QCOMPARE(chosen_on(two, 0, true), (ComputeCores{2, {}, 1}));
  }

  void sixtyFourCoresOnTwoNodes() {
    RecordedMachine machine(RecordedMachine::with_threads(64, 2));
    machine.nodes({"0-31,64-95", "32-63,96-127"});
    QCOMPARE(read_core_topology(machine.root(), machine.allowed()).nodes(), 2);
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{64, from_to(0, 63), 2}));
    QCOMPARE(chosen_on(machine, 32, true), (ComputeCores{32, from_to(0, 31), 1}));  // the first node alone
    const ComputeCores most = chosen_on(machine, 0, true);
    QCOMPARE(most.threads, 63);
    QCOMPARE(most.nodes, 2);
    QCOMPARE(most.cores, joined(from_to(0, 31), from_to(33, 63)));
  }

  void theNodeWithMoreCoresComesFirst() {
    RecordedMachine machine(RecordedMachine::with_threads(8, 1));
    machine.nodes({"0-1", "2-7"});
    QCOMPARE(chosen_on(machine, 4, true), (ComputeCores{4, {4, 5, 6, 7}, 1}));
  }

  void slowCoresAreLeftAlone() {
    RecordedMachine machine(RecordedMachine::with_threads(12, 1));
    machine.efficiency_cores("4-11");
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{4, {0, 1, 2, 3}, 1}));
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{4, {0, 1, 2, 3}, 1}));  // the window has the slow ones
    QCOMPARE(chosen_on(machine, 6, true).cores, (Numbers{0, 1, 2, 3, 10, 11}));
  }

  void aClockRateOrCapacityTellsSlowCores() {
    RecordedMachine clocked(RecordedMachine::with_threads(6, 1)), rated(RecordedMachine::with_threads(6, 1)),
        favored(RecordedMachine::with_threads(6, 1));
    for (int id = 0; id < 6; ++id) {
      clocked.clock_rate(id, id < 4 ? 5'100'000 : 3'300'000);
      rated.capacity(id, id < 4 ? 1024 : 400);
      favored.clock_rate(id, id < 2 ? 5'700'000 : 5'500'000);  // all the same kind
    }
    for (const RecordedMachine* machine : {&clocked, &rated})
      QCOMPARE(chosen_on(*machine, 0, false), (ComputeCores{4, {0, 1, 2, 3}, 1}));
    QCOMPARE(chosen_on(favored, 0, false), (ComputeCores{6, {}, 1}));
    // Only slow ones are allowed: there is nothing faster.
    QCOMPARE(read_core_topology(rated.root(), {4, 5}).fast_cores(), 2);
  }

  void aControlGroupBoundsProcessorsAndTime() {
    RecordedMachine machine(RecordedMachine::with_threads(16, 1));
    machine.write("fs/cgroup/cpuset.cpus.effective", "8-13");
    QCOMPARE(chosen_on(machine, 0, false), (ComputeCores{6, {}, 1}));
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{5, from_to(9, 13), 1}));
    machine.write("fs/cgroup/cpu.max", "450000 100000");  // of six processors, the time of four and a half
    QCOMPARE(chosen_on(machine, 0, false).threads, 4);
    QCOMPARE(chosen_on(machine, 0, true), (ComputeCores{3, from_to(11, 13), 1}));
    QCOMPARE(chosen_on(machine, 6, false).threads, 6);  // as asked for
    machine.write("fs/cgroup/cpu.max", "50000 100000");
    QCOMPARE(chosen_on(machine, 0, true).threads, 1);
    machine.write("fs/cgroup/cpu.max", "max 100000");
    machine.write("fs/cgroup/cpuset.cpus.effective", "20-21");  // of another machine
    QCOMPARE(chosen_on(machine, 0, false).threads, 16);
  }

  /// Random machines: never two threads on a core while another is free, never more than are allowed.
  void noCoreIsTakenTwiceWhileAnotherIsFree() {
    Random random(11);
    for (int round = 0; round < 300; ++round) {
      const int cores = 1 + static_cast<int>(random.below(24)), threads = 1 + static_cast<int>(random.below(3));
      CoreTopology topology;
      for (int id = 0; id < cores * threads; ++id)
        if (random.below(5) > 0 || id == 0)
          topology.processors.push_back({id, id % cores, id % cores % 3 == 0 ? 1 : 0, random.below(4) > 0});
      if (topology.fast_cores() == 0) topology.processors[0].fast = true;
      const bool leave_one = random.below(2) == 0;
      const int asked = static_cast<int>(random.below(30));
      const ComputeCores chosen = choose_compute_cores(topology, {asked, leave_one, {}});
      QVERIFY(chosen.threads >= 1 && (asked == 0 || chosen.threads == asked));
      if (asked == 0) QVERIFY(chosen.threads <= static_cast<int>(topology.processors.size()));
      if (chosen.cores.empty()) continue;
      QCOMPARE(chosen.cores.size(), static_cast<std::size_t>(chosen.threads));
      std::set<int> ids, taken;
      for (const int id : chosen.cores) {
        ids.insert(id);
        taken.insert(id % cores);
      }
      QCOMPARE(ids.size(), chosen.cores.size());
      QCOMPARE(static_cast<int>(taken.size()), std::min(topology.cores(), chosen.threads));
      if (asked == 0 && leave_one && topology.cores() >= 3) QVERIFY(static_cast<int>(taken.size()) < topology.cores());
    }
  }

  void everyPageIsTouched() {
    std::vector<std::byte> memory((std::size_t{5} << 20) + 123, std::byte{7});
    touch_on_compute_threads(memory);
    QVERIFY(std::ranges::all_of(memory, [](std::byte byte) { return byte == std::byte{0}; }));
    std::vector<std::atomic<int>> calls(100);
    on_compute_threads(calls.size(), [&](std::size_t task) { ++calls[task]; });
    for (const auto& count : calls) QCOMPARE(count.load(), 1);
  }
};

KV_TEST_GUILESS_MAIN(CoreTopologyTest)

}  // namespace core_topology_test

#include "core_topology_test.moc"
