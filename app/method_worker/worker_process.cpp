#include "app/method_worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace kvantage::inline method_worker {
namespace {

constexpr int first_free_file = 10;  // above those that the worker gets, so that none takes another's place

tl::unexpected<Error> cannot_start(const std::filesystem::path& program, int error) {
  return fail(ErrorCode::io, program.string() + ": cannot be started: " + std::generic_category().message(error) +
                                 "; name the program in KVANTAGE_METHOD_WORKER");
}

/// A copy of a file that is out of the way.
UniqueFd moved_up(int file) { return UniqueFd(::fcntl(file, F_DUPFD_CLOEXEC, first_free_file)); }

/// Where libtorch is, how its threads wait, and nothing else.
std::vector<std::string> worker_environment(int threads) {
  std::vector<std::string> environment{"LC_ALL=C", "OMP_NUM_THREADS=" + std::to_string(threads)};
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"))
    environment.push_back(std::string("LD_LIBRARY_PATH=") + folders);
  // The operations of a scorer follow at once, and waking a thread takes as long as some of them. Between layers the
  // cores are the program's.
  const char* const spins = std::getenv("GOMP_SPINCOUNT");
  environment.push_back(std::string("GOMP_SPINCOUNT=") + (spins != nullptr ? spins : "3000"));
  return environment;
}

struct SpawnPlan {
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// No stream, no other file; a process group of its own, so that Ctrl-C in a terminal is not for it.
  int plan(int socket, int memory) {
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    int error =
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = ::posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = ::posix_spawnattr_setsigdefault(&attributes, &all);
    for (int stream = 0; stream <= 2 && error == 0; ++stream)
      error = ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions, socket, worker_socket);
    if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions, memory, worker_memory);
    if (error == 0) error = ::posix_spawn_file_actions_addclosefrom_np(&actions, worker_memory + 1);
    return error;
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string seconds_text(double seconds) {
  return std::to_string(static_cast<int>(std::lround(seconds))) + (std::lround(seconds) == 1 ? " second" : " seconds");
}

}  // namespace

Expected<WorkerProcess> WorkerProcess::start(const std::filesystem::path& program, int memory_file,
                                             const Limits& limits) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) return cannot_start(program, errno);
  UniqueFd ours(pair[0]);
  const UniqueFd theirs(pair[1]), socket = moved_up(theirs.get()), memory = moved_up(memory_file);
  if (!socket || !memory) return cannot_start(program, errno);
  SpawnPlan plan;
  if (const int error = plan.plan(socket.get(), memory.get()); error != 0) return cannot_start(program, error);
  std::vector<std::string> words{program.string(), std::to_string(limits.threads), std::to_string(limits.memory_bytes)};
  std::vector<std::string> environment = worker_environment(limits.threads);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &plan.actions, &plan.attributes, pointers_to(words).data(),
                                  pointers_to(environment).data());
  if (error != 0) return cannot_start(program, error);
  return WorkerProcess(pid, std::move(ours), limits.threads);
}

WorkerProcess::~WorkerProcess() {
  if (running()) end();
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      socket_(std::move(other.socket_)),
      threads_(other.threads_),
      took_too_long_(other.took_too_long_) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(threads_, other.threads_);
  std::swap(took_too_long_, other.took_too_long_);
  return *this;
}

/// Ends it if it has not ended, and says how it did: "exit code 1", "Segmentation fault".
std::string WorkerProcess::end() {
  constexpr int attempts = 50, attempt_microseconds = 2000;
  socket_ = UniqueFd();  // an idle one ends by itself, and one that has failed says why
  int status = 0;
  pid_t ended = 0;
  for (int attempt = 0; attempt < attempts && (ended = ::waitpid(pid_, &status, WNOHANG)) == 0; ++attempt)
    ::usleep(attempt_microseconds);
  if (ended == 0) {
    ::kill(pid_, SIGKILL);
    while ((ended = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
    }
  }
  pid_ = 0;
  if (ended < 0) return "it is gone";
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  const char* name = ::sigdescr_np(WTERMSIG(status));
  return name != nullptr ? name : "signal " + std::to_string(WTERMSIG(status));
}

/// Beyond what it has used: ends a worker whose program is gone, too. The soft limit alone: it is raised for each call,
/// and only root may raise a hard one again.
void WorkerProcess::limit_processor_time(double seconds) const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return;
  const rlimit limit{static_cast<rlim_t>(used.tv_sec) + static_cast<rlim_t>(std::ceil((seconds + 1) * threads_)),
                     RLIM_INFINITY};
  (void)::prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

Expected<WorkerReply> WorkerProcess::receive(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto last = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
    pollfd waiting{socket_.get(), POLLIN, 0};
    const int count = left <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left) + 1);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 && left > 0) continue;  // the clock decides
    if (count <= 0) {
      ::kill(pid_, SIGKILL);
      end();
      took_too_long_ = true;
      return fail(ErrorCode::rejected_input, "took longer than " + seconds_text(seconds) + " and was ended");
    }
    WorkerReply reply;
    const ssize_t bytes = ::recv(socket_.get(), &reply, sizeof reply, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes == static_cast<ssize_t>(sizeof reply)) {
      for (char* last_letter : {&reply.name.back(), &reply.summary.back(), &reply.source.back(), &reply.reason.back()})
        *last_letter = '\0';
      return reply;
    }
    if (bytes > 0) ::kill(pid_, SIGKILL);  // it says what no worker of ours would
    return fail(ErrorCode::rejected_input, "ended its process: " + end());
  }
}

Expected<WorkerReply> WorkerProcess::ask(const WorkerRequest& request, double seconds) {
  limit_processor_time(seconds);
  if (::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof request))
    return fail(ErrorCode::rejected_input, "ended its process: " + end());
  return receive(seconds);
}

}  // namespace kvantage::inline method_worker
