// The scorer of a method file, run in a process of its own that can open no file and no connection. The process stays
// for the next layer; when it ended or was ended, the next call starts another.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/method_worker/shared_memory.h"
#include "app/method_worker/worker_process.h"
#include "core/ports/scorer_host.h"

namespace kvantage::inline method_worker {

inline constexpr std::uint64_t max_method_file_bytes = std::uint64_t{16} << 20;  // as given, and unpacked

struct MethodWorkerSettings {
  std::filesystem::path program;                        // kvantage-method-worker
  std::function<int()> threads = [] { return 1; };      // to compute with, asked before every call
  double load_seconds = 30, score_seconds = 20;         // of loading the file, and of one layer
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  // of address space, with the inputs
  bool allow_unconfined = false;                        // also where the system has no seccomp
};

class MethodWorker final : public ScorerHost {
 public:
  /// Reads the file and loads it in a worker. rejected_input, naming the file: it is no TorchScript file of a scorer,
  /// its code failed while it was loaded, or this system cannot confine it. io: no worker can be started. Its name is
  /// checked by add_method_file().
  static Expected<std::shared_ptr<MethodWorker>> open(const std::filesystem::path& file,
                                                      const MethodWorkerSettings& settings);

  const ScorerFileFacts& facts() const override { return facts_; }
  Status score(const ScorerCall& call, std::span<float> scores) override;
  /// Of the process; nothing while none runs. For tests.
  std::optional<pid_t> process() const;

 private:
  MethodWorker(std::string file_name, std::string bytes, MethodWorkerSettings settings);
  Status start();
  Status load(ScorerFileFacts& facts);
  Expected<WorkerReply> ask(const WorkerRequest& request, double seconds);
  void note_end(const Error& error);
  WorkerRequest request(WorkerTask task) const;
  Status score_layer(const ScorerCall& call, std::span<float> scores);

  const std::string file_name_;  // without folders
  const std::string bytes_;      // as loaded, whatever becomes of the file
  const MethodWorkerSettings settings_;
  ScorerFileFacts facts_;

  mutable std::mutex mutex_;
  SharedMemory memory_;
  std::optional<WorkerProcess> process_;
  int max_threads_ = 1;
  int ends_in_a_row_ = 0;  // of its process, without a layer that was scored between them
  std::string given_up_;   // how it ended, if it is not started again: too often, or it has held up its caller
};

}  // namespace kvantage::inline method_worker
