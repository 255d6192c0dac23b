// links: kv_gpu_emulated kv_base
// What the emulation of CUDA's execution model ends the program for, each in a process of its own; and that threads
// that may wait do, in blocks of any shape, launch after launch.
#include <QtTest>
#undef slots

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <numeric>

#include "gpu/kernels/emulation.h"

using namespace kvantage;

namespace {

constexpr std::uint32_t all = 0xffffffffU;

struct Undefined {
  const char* name;
  const char* what;  // said of it
  dim3 grid, block;
  void (*body)();
  std::size_t shared_bytes = 0;
};

alignas(16) unsigned char from[64], to[64];

void copy_from(const unsigned char* source) { gpu::copy_async(to, source); }

constexpr const char* deadlock = "deadlock: a barrier or warp exchange is in a branch that some threads never take";
const std::vector<Undefined> undefined_things{
    {"a barrier in a branch", deadlock, 1, 64,
     [] {
       if (threadIdx.x < 5) __syncthreads();
     }},
    {"a second barrier in a branch, in the last block",
     deadlock,
     {2, 3},
     {8, 8},
     [] {
       __syncthreads();
       if (blockIdx.x != 1 || blockIdx.y != 2 || threadIdx.x + threadIdx.y == 14) __syncthreads();
     }},
    {"a barrier after an end", "a barrier after some threads of the block have ended", 1, 64,
     [] {
       if (threadIdx.x != 0) __syncthreads();
     }},
    {"an exchange beside a barrier", deadlock, 1, 32,
     [] {
       if (threadIdx.x < 16) __syncwarp();
       __syncthreads();
     }},
    {"an exchange with a lane that has ended", "a lane of the mask has exited or does not exist", 1, 64,
     [] {
       if (threadIdx.x != 32) __syncwarp();
     }},
    {"an exchange with a lane that does not exist", "a lane of the mask has exited or does not exist", 1, 40,
     [] { __syncwarp(); }},
    {"different masks", "lanes exchange with different masks", 1, 32, [] { __syncwarp(threadIdx.x == 0 ? all : 2U); }},
    {"a mask without oneself", "a lane exchanges with a mask that it is not in", 1, 32, [] { __syncwarp(2); }},
    {"many bytes", "more than 64 bytes per lane", 1, 32, [] { (void)emulation::exchange(all, from, 65); }},
    {"a copy not waited for", "a thread ends without waiting for its copies", 1, 1,
     [] {
       copy_from(from);
       gpu::copy_async_commit();
     }},
    {"a copy in no group", "a thread ends without waiting for its copies", 1, 1,
     [] {
       copy_from(from);
       gpu::copy_async_wait<0>();
     }},
    {"a copy from anywhere", "a copy between addresses that are not aligned to 16 bytes", 1, 1,
     [] { copy_from(from + 8); }},
    {"a tile's row anywhere", "a tile's row that is not aligned to 16 bytes", 1, 32,
     [] {
       std::uint32_t tiles[4];
       gpu::load_tiles(tiles, from + 8);
     }},
    {"many threads", "a block has 1 to 1,024 threads", 1, {32, 33}, [] {}},
    {"no threads", "a block has 1 to 1,024 threads", 1, 0, [] {}},
    {"no blocks", "a grid without blocks", {1, 0}, 1, [] {}},
    {"much shared memory", "more shared memory than a block has (227 KiB)", 1, 1, [] {}, (227 << 10) + 1},
};

/// What a process says that launches it; ended: by abort().
QByteArray said_by(const Undefined& thing, bool& ended) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    (void)::setrlimit(RLIMIT_CORE, &no_core);
    (void)std::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    emulation::launch(thing.grid, thing.block, thing.shared_bytes, thing.body);
    ::_exit(0);
  }
  ::close(ends[1]);
  QByteArray said;
  char some[256];
  for (ssize_t got; (got = ::read(ends[0], some, sizeof some)) > 0;) said.append(some, got);
  ::close(ends[0]);
  int status = 0;
  ended = ::waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return said;
}

}  // namespace

class EmulationChecksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void undefinedThingsEndTheProgram_data() {
    QTest::addColumn<int>("which");
    for (int i = 0; i < static_cast<int>(undefined_things.size()); ++i)
      QTest::newRow(undefined_things[static_cast<std::size_t>(i)].name) << i;
  }
  void undefinedThingsEndTheProgram() {
    QFETCH(int, which);
    const Undefined& thing = undefined_things[static_cast<std::size_t>(which)];
    bool ended = false;
    const QByteArray said = said_by(thing, ended);
    QVERIFY2(ended && said.startsWith(QByteArray("emulated kernel: ") + thing.what), said.constData());
  }

  /// Which thread of which block it was.
  void whoNeverArrivesIsSaid() {
    bool ended = false;
    QCOMPARE(said_by(undefined_things[0], ended),
             QByteArray("emulated kernel: ") + deadlock + " (block 0,0,0, thread 4)\n");
    QCOMPARE(said_by(undefined_things[1], ended),
             QByteArray("emulated kernel: ") + deadlock + " (block 1,2,0, thread 63)\n");
  }

  /// Threads that never wait, some that end early, warps with more exchanges than others, a warp that is not full.
  void everyThreadRunsOnceAndSeesTheOthers() {
    for (const dim3 block : {dim3(1), dim3(32), dim3(70), dim3(5, 3, 2), dim3(16, 64)})
      for (const dim3 grid : {dim3(1), dim3(3), dim3(2, 3, 2)}) {
        const unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
        const auto rank = [&] { return threadIdx.x + block.x * (threadIdx.y + block.y * threadIdx.z); };
        const auto of_grid = [&] {
          return (blockIdx.x + grid.x * (blockIdx.y + grid.y * blockIdx.z)) * threads + rank();
        };
        std::vector<unsigned> order, sums(threads * blocks), wanted(threads * blocks);
        emulation::launch(grid, block, 0, [&] { order.push_back(of_grid()); });
        std::iota(wanted.begin(), wanted.end(), 0U);
        QCOMPARE(order, wanted);
        emulation::launch(grid, block, 4 * threads, [&] {
          const unsigned mine = rank(), warp = mine / 32, lanes = std::min(32U, threads - warp * 32);
          const std::uint32_t mask = lanes == 32 ? all : (1U << lanes) - 1;
          unsigned sum = 0;
          for (unsigned turn = 0; turn < lanes + warp; ++turn)
            sum += (turn < lanes ? 1U : 0U) * __shfl_sync(mask, mine + 1, turn % lanes);
          auto* const shared = reinterpret_cast<unsigned*>(emulation::dynamic_shared());
          shared[mine] = sum;
          __syncthreads();
          if (mine % 3 == 1) return;
          for (unsigned other = 0; other < threads; other += 32) sums[of_grid()] += shared[other];
        });
        for (unsigned t = 0; t < threads * blocks; ++t)
          QCOMPARE(sums[t], t % threads % 3 == 1 ? 0 : threads * (threads + 1) / 2);
      }
  }

  void copiesArriveWhenTheyAreWaitedFor() {
    std::iota(std::begin(from), std::end(from), static_cast<unsigned char>(1));
    std::memset(to, 0, sizeof to);
    std::vector<int> seen;
    emulation::launch(1, 1, 0, [&] {
      const auto look = [&] { seen.push_back(to[0] * 1000000 + to[16] * 10000 + to[32] * 100 + to[48]); };
      for (int i = 0; i < 4; ++i) {
        gpu::copy_async(to + i * 16, from + i * 16);
        if (i > 0) gpu::copy_async_commit();  // the first group has two
      }
      look();
      gpu::copy_async_wait<3>();
      look();
      gpu::copy_async_wait<1>();
      look();
      gpu::copy_async(to, nullptr, false);
      gpu::copy_async_commit();
      gpu::copy_async_wait<1>();
      look();
      gpu::copy_async_wait<0>();
      look();
    });
    QCOMPARE(seen, (std::vector<int>{0, 0, 1173300, 1173349, 173349}));
  }

  /// A kernel that launches, and one after it: what threads wait for is their own block's.
  void launchesWithinLaunches() {
    int inner = 0, outer = 0;
    for (int again = 0; again < 3; ++again)
      emulation::launch(2, 64, 0, [&] {
        __syncthreads();
        if (threadIdx.x % 32 == 3)
          emulation::launch(1, 40, 16, [&] {
            __syncthreads();
            inner += __shfl_xor_sync(threadIdx.x < 32 ? all : 0xffU, 1, 1);
          });
        outer += static_cast<int>(blockDim.x) / 64;
        __syncthreads();
      });
    QCOMPARE(outer, 3 * 2 * 64);
    QCOMPARE(inner, 3 * 2 * 2 * 40);
  }
};

QTEST_GUILESS_MAIN(EmulationChecksTest)
#include "emulation_checks_test.moc"
