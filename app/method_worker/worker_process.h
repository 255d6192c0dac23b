// One process of kvantage-method-worker: started, talked to with a time limit, ended. It inherits no file, no
// environment but what loading libtorch needs, and no signal of a terminal.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "app/method_worker/protocol.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline method_worker {

class WorkerProcess {
 public:
  struct Limits {
    int threads = 1;                 // the most that a request asks for
    std::uint64_t memory_bytes = 0;  // of address space beyond libtorch's; 0: unlimited
  };
  /// io with the system's reason: the program cannot be started.
  static Expected<WorkerProcess> start(const std::filesystem::path& program, int memory_file, const Limits& limits);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  /// The next message of the worker. rejected_input: it ended, or took longer than `seconds` and was ended; then
  /// running() is false and the message says which, as "ended: Segmentation fault".
  Expected<WorkerReply> receive(double seconds);
  /// Sends the request and receives its reply. The worker may compute for `seconds`.
  Expected<WorkerReply> ask(const WorkerRequest& request, double seconds);
  bool running() const { return pid_ > 0; }
  /// Whether it was ended because a message took longer than it may.
  bool took_too_long() const { return took_too_long_; }
  pid_t pid() const { return pid_; }

 private:
  WorkerProcess(pid_t pid, UniqueFd socket, int threads) : pid_(pid), socket_(std::move(socket)), threads_(threads) {}
  std::string end();
  void limit_processor_time(double seconds) const;

  pid_t pid_ = 0;
  UniqueFd socket_;
  int threads_ = 1;
  bool took_too_long_ = false;
};

}  // namespace kvantage::inline method_worker
