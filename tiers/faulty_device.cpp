#include "tiers/faulty_device.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {
namespace {

tl::unexpected<Error> injected(ErrorCode code, const std::filesystem::path& path, const char* what) {
  return fail(code, path.string() + ": " + what + " (fault injected)");
}

}  // namespace

// In a batch, submissions and completions have no fixed order, so completions use a separate stream.
struct FaultyDevice::Streams {
  explicit Streams(std::uint64_t seed)
      : read(derive_seed(seed, 1)), arrival(derive_seed(seed, 2)), write(derive_seed(seed, 3)) {}
  Random read, arrival, write;
};

struct FaultyDevice::State {
  State(const Clock& time, std::shared_ptr<FileDevice> device, std::uint64_t seed, const FaultPlan& faults,
        PowerCuts power_cuts)
      : clock(time), inner(std::move(device)), plan(faults) {
    begin(seed);
    if (power_cuts == PowerCuts::possible) log.emplace(inner);
  }

  // All of these require the lock.
  void begin(std::uint64_t seed) {
    entries = Streams(derive_seed(seed, 1));
    index = Streams(derive_seed(seed, 2));
    power_random = Random(derive_seed(seed, 3));
  }

  bool injects(Random& random, double probability, const char* name) {
    if (probability <= 0 || random.uniform() >= probability) return false;
    ++counts[name];
    return true;
  }

  /// Waits with the lock released, until the time is over, the faults change or the power is cut.
  void delay(std::unique_lock<std::mutex>& lock, Random& random, const FaultDelay& wanted, const char* name) {
    if (!injects(random, wanted.probability, name)) return;
    const std::uint64_t version = plan_version;
    clock.wait(lock, changed, wanted.seconds, [&] { return plan_version != version || !powered; });
  }

  void change_plan(const FaultPlan& wanted) {
    plan = wanted;
    ++plan_version;
    changed.notify_all();
  }

  bool affects_writes() const {
    return plan.flip_on_write > 0 || plan.torn_write > 0 || plan.write_error > 0 || plan.no_space > 0 ||
           plan.delay_on_write.probability > 0;
  }

  /// no_space when the files would exceed the space limit.
  Status grow(const std::filesystem::path& path, std::uint64_t end) {
    std::uint64_t& size = sizes[path];
    const std::uint64_t grown = std::max(size, end) - size;
    if (grown > 0 && plan.space_bytes != 0 && used_bytes + grown > plan.space_bytes) {
      ++counts["space_bytes"];
      return injected(ErrorCode::no_space, path, "cannot be written: disk full");
    }
    size += grown;
    used_bytes += grown;
    return {};
  }

  const Clock& clock;
  std::shared_ptr<FileDevice> inner;
  mutable std::mutex mutex;  // held during transfers only where power may be cut: a cut needs their order
  std::condition_variable changed;
  FaultPlan plan;
  std::uint64_t plan_version = 0;
  Streams entries{0}, index{0};  // separate for the index, whose access pattern depends on its cache and log
  Random power_random{0};
  std::optional<UnflushedLog> log;
  std::map<std::string, std::uint64_t> counts;
  std::map<std::filesystem::path, std::uint64_t> sizes;  // of files written through here
  std::uint64_t used_bytes = 0;
  std::uint64_t power_cycle = 0;  // files opened in an earlier cycle are dead
  bool powered = true;
};

class FaultyDevice::File final : public DeviceFile {
 public:
  File(std::shared_ptr<State> state, Streams& streams, std::unique_ptr<DeviceFile> inner, std::filesystem::path path)
      : state_(std::move(state)),
        streams_(streams),
        inner_(std::move(inner)),
        path_(std::move(path)),
        power_cycle_(state_->power_cycle) {}

  Status read(std::uint64_t offset, std::span<std::byte> target) override {
    KV_TRY(before_read());
    KV_TRY(inner_->read(offset, target));
    return after_read(target);
  }

  // Faults are applied to transfers on their way in and out; the inner device runs the transfers, several at a time.
  Status read_many(TransferBatch& batch) override {
    FaultyReads reads(*this, batch);
    const Status done = inner_->read_many(reads);
    if (!reads.fault()) return reads.fault();
    return done;
  }

  Status write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    std::unique_lock lock(state_->mutex);
    State& state = *state_;
    KV_TRY(before_write(lock));
    if (state.injects(streams_.write, state.plan.write_error, "write_error"))
      return injected(ErrorCode::io, path_, "cannot be written");
    if (state.injects(streams_.write, state.plan.no_space, "no_space"))
      return injected(ErrorCode::no_space, path_, "cannot be written: disk full");
    KV_TRY(state.grow(path_, offset + bytes.size()));
    if (state.log) KV_TRY(state.log->before_write(path_, *inner_, offset, bytes.size()));
    if (state.injects(streams_.write, state.plan.torn_write, "torn_write"))
      bytes = bytes.first(streams_.write.below(bytes.size() / page_bytes + 1) * page_bytes);
    if (bytes.empty()) return {};
    std::optional<MappedMemory> copy;
    if (state.injects(streams_.write, state.plan.flip_on_write, "flip_on_write")) {
      KV_ASSIGN(auto memory, MappedMemory::map(bytes.size(), false));
      copy.emplace(std::move(memory));
      std::copy(bytes.begin(), bytes.end(), copy->bytes().begin());
      flip(copy->bytes().first(bytes.size()), streams_.write);
      bytes = copy->bytes().first(bytes.size());
    }
    if (!state.log) lock.unlock();
    return inner_->write(offset, bytes);
  }

  Status write_many(TransferBatch& batch) override {
    bool together = false;
    {
      const std::lock_guard lock(state_->mutex);
      together = !state_->log && !state_->affects_writes();
    }
    if (!together) return DeviceFile::write_many(batch);
    CountedWrites counted(*this, batch);
    const Status done = inner_->write_many(counted);
    if (!counted.fault()) return counted.fault();
    return done;
  }

  Status reserve(std::uint64_t offset, std::uint64_t bytes) override {
    {
      const std::lock_guard lock(state_->mutex);
      KV_TRY(alive());
      if (state_->log) return {};  // reserved but unwritten space would come back from a power cut
      if (bytes > 0) KV_TRY(state_->grow(path_, offset + bytes));
    }
    return inner_->reserve(offset, bytes);
  }

  Status sync() override {
    std::unique_lock lock(state_->mutex);
    State& state = *state_;
    KV_TRY(before_write(lock));
    if (state.injects(streams_.write, state.plan.sync_error, "sync_error"))
      return injected(ErrorCode::io, path_, "cannot be flushed");
    if (state.injects(streams_.write, state.plan.lost_sync, "lost_sync")) return {};
    if (!state.log) lock.unlock();
    KV_TRY(inner_->sync());
    if (state.log) state.log->file_flushed(path_);
    return {};
  }

  Expected<std::uint64_t> size() override {
    const std::lock_guard lock(state_->mutex);
    KV_TRY(alive());
    return inner_->size();
  }

  std::uint64_t next_data(std::uint64_t offset) override { return inner_->next_data(offset); }

  Status resize(std::uint64_t bytes) override {
    const std::lock_guard lock(state_->mutex);
    KV_TRY(alive());
    if (state_->log) KV_TRY(state_->log->before_resize(path_, *inner_, bytes));
    KV_TRY(inner_->resize(bytes));
    std::uint64_t& size = state_->sizes[path_];
    state_->used_bytes += bytes - size;  // modulo 2^64: also where the file shrinks
    size = bytes;
    return {};
  }

  bool direct() const override { return inner_->direct(); }

 private:
  Status alive() const {
    if (!state_->powered || power_cycle_ != state_->power_cycle)
      return injected(ErrorCode::io, path_, "the power is off");
    return {};
  }

  class FaultyReads final : public TransferBatch {
   public:
    FaultyReads(File& file, TransferBatch& batch) : file_(file), batch_(batch) {}

    std::optional<Transfer> next() override {
      if (!fault_) return std::nullopt;
      const std::optional<Transfer> transfer = batch_.next();
      if (!transfer) return std::nullopt;
      fault_ = file_.before_read();
      if (!fault_) return std::nullopt;
      in_flight_.push_back(transfer->bytes);
      return transfer;
    }
    Status done(std::size_t index) override {
      const std::span<std::byte> bytes = in_flight_.front();
      in_flight_.pop_front();
      if (!fault_) return fault_;
      if (fault_ = file_.after_read(bytes); !fault_) return fault_;
      return batch_.done(index);
    }
    const Status& fault() const { return fault_; }

   private:
    File& file_;
    TransferBatch& batch_;
    std::deque<std::span<std::byte>> in_flight_;
    Status fault_;
  };

  // No fault applies, but written bytes count toward the space limit.
  class CountedWrites final : public TransferBatch {
   public:
    CountedWrites(File& file, TransferBatch& batch) : file_(file), batch_(batch) {}

    std::optional<Transfer> next() override {
      if (!fault_) return std::nullopt;
      const std::optional<Transfer> transfer = batch_.next();
      if (!transfer) return std::nullopt;
      const std::lock_guard lock(file_.state_->mutex);
      if (fault_ = file_.state_->grow(file_.path_, transfer->offset + transfer->bytes.size()); !fault_)
        return std::nullopt;
      return transfer;
    }
    Status done(std::size_t index) override { return fault_ ? batch_.done(index) : fault_; }
    const Status& fault() const { return fault_; }

   private:
    File& file_;
    TransferBatch& batch_;
    Status fault_;
  };

  Status before_read() {
    std::unique_lock lock(state_->mutex);
    State& state = *state_;
    KV_TRY(alive());
    state.delay(lock, streams_.read, state.plan.delay_on_read, "delay_on_read");
    KV_TRY(alive());
    if (state.injects(streams_.read, state.plan.read_error, "read_error"))
      return injected(ErrorCode::io, path_, "cannot be read");
    if (state.injects(streams_.read, state.plan.short_read, "short_read"))
      return injected(ErrorCode::corrupt, path_, "ends early");
    return {};
  }

  Status after_read(std::span<std::byte> bytes) {
    const std::lock_guard lock(state_->mutex);
    State& state = *state_;
    KV_TRY(alive());
    if (!bytes.empty() && state.injects(streams_.arrival, state.plan.flip_on_read, "flip_on_read"))
      flip(bytes, streams_.arrival);
    return {};
  }

  Status before_write(std::unique_lock<std::mutex>& lock) {
    KV_TRY(alive());
    state_->delay(lock, streams_.write, state_->plan.delay_on_write, "delay_on_write");
    return alive();
  }

  static void flip(std::span<std::byte> bytes, Random& random) {
    bytes[random.below(bytes.size())] ^= std::byte{1} << static_cast<int>(random.below(8));
  }

  std::shared_ptr<State> state_;
  Streams& streams_;  // of the state
  std::unique_ptr<DeviceFile> inner_;
  std::filesystem::path path_;
  std::uint64_t power_cycle_;
};

FaultyDevice::FaultyDevice(const Clock& clock, std::shared_ptr<FileDevice> inner, std::uint64_t seed, FaultPlan plan,
                           PowerCuts power_cuts)
    : state_(std::make_shared<State>(clock, std::move(inner), seed, plan, power_cuts)) {}

FaultyDevice::~FaultyDevice() = default;

void FaultyDevice::set_plan(const FaultPlan& plan) {
  const std::lock_guard lock(state_->mutex);
  state_->change_plan(plan);
}

void FaultyDevice::inject(const InjectedFaults& faults) {
  const std::lock_guard lock(state_->mutex);
  state_->begin(faults.seed);
  state_->change_plan(faults.plan);
}

void FaultyDevice::cut_power() {
  const std::lock_guard lock(state_->mutex);
  state_->powered = false;
  state_->changed.notify_all();
}

Status FaultyDevice::restore_power() {
  const std::lock_guard lock(state_->mutex);
  ++state_->power_cycle;
  state_->powered = true;
  if (!state_->log) return {};
  state_->sizes.clear();  // recomputed as files are opened
  state_->used_bytes = 0;
  return state_->log->lose(state_->power_random);
}

std::map<std::string, std::uint64_t> FaultyDevice::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

Expected<std::unique_ptr<DeviceFile>> FaultyDevice::open(const std::filesystem::path& path, bool create) {
  return open_by(&FileDevice::open, path, create);
}

Expected<std::unique_ptr<DeviceFile>> FaultyDevice::open_cached(const std::filesystem::path& path, bool create) {
  return open_by(&FileDevice::open_cached, path, create);
}

Expected<std::unique_ptr<DeviceFile>> FaultyDevice::open_by(Opening opening, const std::filesystem::path& path,
                                                            bool create) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  auto file = (*state_->inner.*opening)(path, false);
  if (!file && create && file.error().code == ErrorCode::not_found) {
    file = (*state_->inner.*opening)(path, true);
    if (file && state_->log) state_->log->after_create(path);
  }
  if (!file) return tl::unexpected(std::move(file).error());
  if (const auto size = (*file)->size(); size && state_->sizes.try_emplace(path, *size).second)
    state_->used_bytes += *size;
  Streams& streams = opening == &FileDevice::open_cached ? state_->index : state_->entries;
  return std::make_unique<File>(state_, streams, std::move(*file), path);
}

Status FaultyDevice::remove(const std::filesystem::path& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  KV_TRY(state_->log ? state_->log->remove(path) : state_->inner->remove(path));
  if (const auto found = state_->sizes.find(path); found != state_->sizes.end()) {
    state_->used_bytes -= found->second;
    state_->sizes.erase(found);
  }
  return {};
}

Status FaultyDevice::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, from, "the power is off");
  KV_TRY(state_->inner->rename(from, to));
  if (state_->log) state_->log->after_rename(from, to);
  if (auto node = state_->sizes.extract(from); !node.empty()) {
    node.key() = to;
    state_->sizes.insert(std::move(node));
  }
  return {};
}

Status FaultyDevice::make_directory(const std::filesystem::path& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  return state_->inner->make_directory(path);
}

Expected<std::vector<std::filesystem::path>> FaultyDevice::list(const std::filesystem::path& directory) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, directory, "the power is off");
  auto paths = state_->inner->list(directory);
  if (paths) std::erase_if(*paths, UnflushedLog::is_hidden);
  return paths;
}

std::shared_ptr<void> FaultyDevice::register_memory(std::span<std::byte> memory, bool for_writes) {
  return state_->inner->register_memory(memory, for_writes);
}

std::string FaultyDevice::note() const {
  const std::string inner = state_->inner->note();
  const std::lock_guard lock(state_->mutex);
  if (!state_->plan.any()) return inner;
  return inner.empty() ? "faults injected" : inner + "; faults injected";
}

Status FaultyDevice::sync_directory(const std::filesystem::path& path) {
  std::unique_lock lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  state_->delay(lock, state_->index.write, state_->plan.delay_on_write, "delay_on_write");
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  if (state_->injects(state_->index.write, state_->plan.sync_error, "sync_error"))
    return injected(ErrorCode::io, path, "folder cannot be flushed");
  if (!state_->log) lock.unlock();
  KV_TRY(state_->inner->sync_directory(path));
  return state_->log ? state_->log->directory_flushed(path) : Status();
}

}  // namespace kvantage::inline tiers
