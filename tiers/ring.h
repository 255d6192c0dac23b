// One io_uring for batches of transfers: several requests in flight, bounded in bytes; the batch is notified of each
// completed transfer while later ones are in flight. One thread at a time (enforced by the mutex).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tiers/posix_file.h"
#include "tiers/request_planner.h"

struct io_uring;

namespace kvantage::inline tiers {

class Ring {
 public:
  struct Limits {
    std::uint64_t request_bytes = std::uint64_t{1} << 20;    // per request
    std::uint64_t first_bytes = std::uint64_t{256} << 10;    // for the first four of a batch
    std::uint64_t bytes_in_flight = std::uint64_t{4} << 20;  // in total; more only delays the first layer
    std::uint64_t later_bytes_in_flight = 0;                 // once that many of a batch are complete, if it is more
  };

  /// io with the system's reason if it denies a ring (an old kernel, a seccomp filter, a limit).
  static Expected<std::unique_ptr<Ring>> create(const Limits& limits);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  enum class Direction { read, write };
  /// Returns when nothing is in flight. Errors: those of DeviceFile and of the batch, the first one.
  Status run(PosixFile& file, TransferBatch& batch, Direction direction);

  /// The kernel keeps this memory pinned until it is unregistered, which saves pinning it per request. False if it
  /// refuses (memlock limit). Does not wait for a batch in progress.
  bool register_memory(std::span<std::byte> memory);
  void unregister_memory(std::span<std::byte> memory);

  /// Peak bytes in flight.
  std::uint64_t peak_bytes_in_flight() const { return peak_; }
  /// Requests submitted, and how many of them used registered memory.
  std::uint64_t requests() const { return requests_; }
  std::uint64_t registered_requests() const { return registered_requests_; }
  /// False after an error of the ring itself: it is then closed.
  bool usable() const { return !broken_; }

 private:
  class Run;
  explicit Ring(const Limits& limits);
  int registered_index(std::span<const std::byte> bytes) const;
  void close();

  static constexpr unsigned depth = 32;             // concurrent requests
  static constexpr unsigned registered_slots = 16;  // registered memory regions

  const Limits limits_;
  std::mutex mutex_;
  std::unique_ptr<io_uring> ring_;
  mutable std::mutex slots_mutex_;  // of the following: the kernel registers memory while requests are in flight
  bool open_ = false;
  bool slots_ready_ = false;
  std::vector<std::span<std::byte>> registered_;  // by slot; empty = free
  std::atomic<bool> broken_{false};
  std::atomic<std::uint64_t> peak_{0}, requests_{0}, registered_requests_{0};
};

}  // namespace kvantage::inline tiers
