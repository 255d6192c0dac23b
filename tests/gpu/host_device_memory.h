// A device in host memory: copies at a set rate on a thread for each direction, memory that is refused, copies that
// fail, bytes that change under the tier. Stops the program where a copy leaves what was allocated, or memory is given
// back twice.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "gpu/device/device_memory.h"
#include "gpu/kernels/leaf_checksums.h"

namespace kvantage::testing {

class HostDeviceMemory final : public gpu::DeviceMemory, public std::enable_shared_from_this<HostDeviceMemory> {
 public:
  struct Options {
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;
    double bytes_per_second = 0;  // of each direction; 0: as fast as memcpy
    bool can_pin = true;
  };

  explicit HostDeviceMemory(Options options)
      : options_(options), in_(options.bytes_per_second), out_(options.bytes_per_second) {}
  HostDeviceMemory() : HostDeviceMemory(Options{}) {}
  ~HostDeviceMemory() override {
    if (!pieces_.empty()) stop("memory was not given back");
  }

  /// Its memory is the process's, as that of emulated kernels.
  AcceleratorInfo info() const override { return {"host double", "no driver", options_.memory_bytes, "emulated"}; }
  std::uint64_t free_bytes() const override {
    const std::lock_guard lock(mutex_);
    return options_.memory_bytes - allocated_;
  }
  Expected<gpu::DeviceAddress> allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (bytes > options_.memory_bytes - allocated_) return fail(ErrorCode::no_space, "host double: its memory is full");
    std::vector<std::byte> piece(bytes, std::byte{0xcd});
    const auto address = reinterpret_cast<gpu::DeviceAddress>(piece.data());
    pieces_.emplace(address, std::move(piece));
    allocated_ += bytes;
    return address;
  }
  void release(gpu::DeviceAddress address) override {
    const std::lock_guard lock(mutex_);
    const auto piece = pieces_.find(address);
    if (piece == pieces_.end()) return stop("memory was given back that nobody has");
    allocated_ -= piece->second.size();
    pieces_.erase(piece);
  }
  Expected<std::unique_ptr<gpu::DeviceCopy>> copy_in(gpu::DeviceAddress target,
                                                     std::span<const std::byte> source) override {
    std::byte* const address = inside(target, source.size());
    return in_.begin(address, source.data(), source.size(), broken_ || fails_next());
  }
  Expected<std::unique_ptr<gpu::DeviceCopy>> copy_out(std::span<std::byte> target, gpu::DeviceAddress source) override {
    const std::byte* const address = inside(source, target.size());
    return out_.begin(target.data(), address, target.size(), broken_ || fails_next());
  }
  using gpu::DeviceMemory::leaf_checksums;
  Status leaf_checksums(gpu::DeviceAddress address, std::span<std::uint64_t> sums, std::uint64_t last_bytes) override {
    if (broken_) return fail(ErrorCode::io, "host double: the device is lost; this is a test");
    for (std::uint64_t& sum : sums) {
      const std::size_t bytes = &sum == &sums.back() ? last_bytes : gpu::leaf_bytes;
      std::vector<std::byte> leaf(gpu::leaf_bytes);
      std::memcpy(leaf.data(), inside(address, bytes), bytes);
      sum = checksum_of(leaf);
      address += gpu::leaf_bytes;
    }
    return {};
  }
  Expected<std::uint64_t> changed_blocks(std::span<const gpu::BlockChecksums> blocks) override {
    if (broken_) return fail(ErrorCode::io, "host double: the device is lost; this is a test");
    std::uint64_t changed = 0;
    for (const gpu::BlockChecksums& some : blocks)
      for (std::uint64_t block = 0; block < some.count; ++block) {
        std::uint64_t sum = 0;
        std::memcpy(&sum, inside(reinterpret_cast<gpu::DeviceAddress>(some.sums + block), sizeof sum), sizeof sum);
        const auto address = reinterpret_cast<gpu::DeviceAddress>(some.blocks + block * some.block_bytes);
        const std::byte* const bytes = inside(address, some.block_bytes);
        if (checksum_of(std::span(bytes, some.block_bytes)) != sum) ++changed;
      }
    return changed;
  }
  std::shared_ptr<void> pin(std::span<std::byte> memory) override {
    if (!options_.can_pin) return nullptr;
    const std::lock_guard lock(mutex_);
    pinned_.emplace(memory.data(), memory.size());
    return {memory.data(), [self = shared_from_this()](void* address) {
              const std::lock_guard held(self->mutex_);
              self->pinned_.erase(static_cast<std::byte*>(address));
            }};
  }
  bool pinned(std::span<const std::byte> memory) const override {
    const std::lock_guard lock(mutex_);
    auto range = pinned_.upper_bound(memory.data());
    if (range == pinned_.begin()) return false;
    --range;
    return memory.data() + memory.size() <= range->first + range->second;
  }

  /// From now on every copy fails.
  void break_down() { broken_ = true; }
  /// Of each direction, from the next copy on.
  void slow_down(double bytes_per_second) {
    in_.slow_down(bytes_per_second);
    out_.slow_down(bytes_per_second);
  }
  /// The copy after so many more fails, and no other.
  void fail_after(int copies) { until_failure_ = copies; }
  /// Changes all bytes that lie in it.
  void spoil() {
    const std::lock_guard lock(mutex_);
    for (auto& [address, piece] : pieces_)
      for (std::byte& byte : piece) byte ^= std::byte{0x10};
  }
  std::uint64_t allocated_bytes() const {
    const std::lock_guard lock(mutex_);
    return allocated_;
  }

 private:
  struct Job {
    std::byte* target = nullptr;
    const std::byte* source = nullptr;
    std::size_t bytes = 0;
    bool fails = false;
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
    double seconds = 0;
  };
  class Copy final : public gpu::DeviceCopy {
   public:
    explicit Copy(std::shared_ptr<Job> job) : job_(std::move(job)) {}
    ~Copy() override { (void)wait(); }
    bool over() override {
      const std::lock_guard lock(job_->mutex);
      return job_->over;
    }
    Expected<double> wait() override {
      std::unique_lock lock(job_->mutex);
      job_->ended.wait(lock, [this] { return job_->over; });
      if (job_->fails) return fail(ErrorCode::io, "host double: the copy failed; this is a test");
      return job_->seconds;
    }

   private:
    std::shared_ptr<Job> job_;
  };

  // One direction: copies in order, on a thread of its own.
  class Lane {
   public:
    explicit Lane(double bytes_per_second) : bytes_per_second_(bytes_per_second), thread_([this] { loop(); }) {}
    ~Lane() {
      {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
      }
      wake_.notify_one();
      thread_.join();
    }
    void slow_down(double bytes_per_second) { bytes_per_second_ = bytes_per_second; }
    std::unique_ptr<gpu::DeviceCopy> begin(std::byte* target, const std::byte* source, std::size_t bytes, bool fails) {
      auto job = std::make_shared<Job>();
      job->target = target;
      job->source = source;
      job->bytes = bytes;
      job->fails = fails;
      {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(job);
      }
      wake_.notify_one();
      return std::make_unique<Copy>(std::move(job));
    }

   private:
    void loop() {
      std::unique_lock lock(mutex_);
      for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        const std::shared_ptr<Job> job = std::exchange(jobs_.front(), nullptr);
        jobs_.pop_front();
        lock.unlock();
        const auto start = std::chrono::steady_clock::now();
        if (!job->fails) std::memcpy(job->target, job->source, job->bytes);
        const double bytes_per_second = bytes_per_second_;
        if (bytes_per_second > 0)
          std::this_thread::sleep_until(
              start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                          std::chrono::duration<double>(static_cast<double>(job->bytes) / bytes_per_second)));
        {
          const std::lock_guard ending(job->mutex);
          job->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
          job->over = true;
        }
        job->ended.notify_all();
        lock.lock();
      }
    }

    std::atomic<double> bytes_per_second_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<Job>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
  };

  static void stop(const char* what) {
    std::fprintf(stderr, "host double: %s\n", what);
    std::abort();
  }
  bool fails_next() { return until_failure_ >= 0 && until_failure_-- == 0; }
  std::byte* inside(gpu::DeviceAddress address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto piece = pieces_.upper_bound(address);
    if (piece == pieces_.begin()) stop("a copy lies outside of its memory");
    --piece;
    if (address + bytes > piece->first + piece->second.size()) stop("a copy leaves its memory");
    return piece->second.data() + (address - piece->first);
  }

  const Options options_;
  mutable std::mutex mutex_;
  std::map<gpu::DeviceAddress, std::vector<std::byte>> pieces_;
  std::uint64_t allocated_ = 0;
  std::map<const std::byte*, std::size_t> pinned_;
  std::atomic<bool> broken_{false};
  std::atomic<int> until_failure_{-1};
  Lane in_, out_;
};

}  // namespace kvantage::testing
