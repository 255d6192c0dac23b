#include "tiers/faulty_device.h"

#include <algorithm>
#include <deque>

#include "tiers/mapped_memory.h"

namespace kvantage {
namespace {

tl::unexpected<Error> injected(ErrorCode code, const std::filesystem::path& path, const char* what) {
  return fail(code, path.string() + ": " + what + " (fault injected)");
}

}  // namespace

struct FaultyDevice::State {
  State(std::shared_ptr<FileDevice> device, std::uint64_t seed, const FaultPlan& faults)
      : inner(std::move(device)),
        plan(faults),
        read_random(derive_seed(seed, 1)),
        write_random(derive_seed(seed, 2)),
        power_random(derive_seed(seed, 3)),
        log(inner) {}

  bool strikes(Random& random, double probability, const char* name) {
    if (probability <= 0 || random.uniform() >= probability) return false;
    ++counts[name];
    return true;
  }

  std::shared_ptr<FileDevice> inner;
  mutable std::mutex mutex;  // also around the transfers: simple, and faults need no speed
  FaultPlan plan;
  Random read_random, write_random, power_random;
  UnflushedLog log;
  std::map<std::string, std::uint64_t> counts;
  std::map<std::filesystem::path, std::uint64_t> sizes;  // of files written through here
  std::uint64_t used_bytes = 0;
  std::uint64_t power_cycle = 0;  // files opened in an earlier one are dead
  bool powered = true;
};

class FaultyDevice::File final : public DeviceFile {
 public:
  File(std::shared_ptr<State> state, std::unique_ptr<DeviceFile> inner, std::filesystem::path path)
      : state_(std::move(state)), inner_(std::move(inner)), path_(std::move(path)), power_cycle_(state_->power_cycle) {}

  Status read(std::uint64_t offset, std::span<std::byte> target) override {
    const std::lock_guard lock(state_->mutex);
    State& state = *state_;
    KV_TRY(before_read());
    KV_TRY(inner_->read(offset, target));
    if (!target.empty() && state.strikes(state.read_random, state.plan.flip_on_read, "flip_on_read"))
      flip(target, state.read_random);
    return {};
  }

  // Faults strike transfers on their way in and out; the transfers themselves are the inner device's, several at a time.
  Status read_many(TransferBatch& batch) override {
    StruckBatch struck(*this, batch);
    const Status done = inner_->read_many(struck);
    if (!struck.fault()) return struck.fault();
    return done;
  }

  Status write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(state_->mutex);
    State& state = *state_;
    KV_TRY(alive());
    if (state.strikes(state.write_random, state.plan.write_error, "write_error"))
      return injected(ErrorCode::io, path_, "cannot be written");
    std::uint64_t& size = state.sizes[path_];
    const std::uint64_t grown = std::max(size, offset + bytes.size()) - size;
    if (state.plan.space_bytes != 0 && state.used_bytes + grown > state.plan.space_bytes) {
      ++state.counts["space_bytes"];
      return injected(ErrorCode::no_space, path_, "cannot be written: disk full");
    }
    size += grown;
    state.used_bytes += grown;
    KV_TRY(state.log.before_write(path_, *inner_, offset, bytes.size()));
    if (state.strikes(state.write_random, state.plan.torn_write, "torn_write"))
      bytes = bytes.first(state.write_random.below(bytes.size() / page_bytes + 1) * page_bytes);
    if (bytes.empty()) return {};
    if (!state.strikes(state.write_random, state.plan.flip_on_write, "flip_on_write"))
      return inner_->write(offset, bytes);
    auto copy = MappedMemory::map(bytes.size(), false);
    if (!copy) return tl::unexpected(std::move(copy).error());
    std::copy(bytes.begin(), bytes.end(), copy->bytes().begin());
    flip(copy->bytes().first(bytes.size()), state.write_random);
    return inner_->write(offset, copy->bytes().first(bytes.size()));
  }

  Status sync() override {
    const std::lock_guard lock(state_->mutex);
    State& state = *state_;
    KV_TRY(alive());
    if (state.strikes(state.write_random, state.plan.sync_error, "sync_error"))
      return injected(ErrorCode::io, path_, "cannot be flushed");
    if (state.strikes(state.write_random, state.plan.lost_sync, "lost_sync")) return {};
    KV_TRY(inner_->sync());
    state.log.file_flushed(path_);
    return {};
  }

  Expected<std::uint64_t> size() override {
    const std::lock_guard lock(state_->mutex);
    KV_TRY(alive());
    return inner_->size();
  }

  Status resize(std::uint64_t bytes) override {
    const std::lock_guard lock(state_->mutex);
    KV_TRY(alive());
    return inner_->resize(bytes);
  }

  bool direct() const override { return inner_->direct(); }

 private:
  Status alive() const {
    if (!state_->powered || power_cycle_ != state_->power_cycle)
      return injected(ErrorCode::io, path_, "the power is off");
    return {};
  }

  class StruckBatch final : public TransferBatch {
   public:
    StruckBatch(File& file, TransferBatch& batch) : file_(file), batch_(batch) {}

    std::optional<Transfer> next() override {
      if (!fault_) return std::nullopt;
      const std::optional<Transfer> transfer = batch_.next();
      if (!transfer) return std::nullopt;
      const std::lock_guard lock(file_.state_->mutex);
      fault_ = file_.before_read();
      if (!fault_) return std::nullopt;
      under_way_.push_back(transfer->bytes);
      return transfer;
    }
    Status done(std::size_t index) override {
      const std::span<std::byte> bytes = under_way_.front();
      under_way_.pop_front();
      {
        const std::lock_guard lock(file_.state_->mutex);
        if (!fault_) return fault_;
        if (fault_ = file_.alive(); !fault_) return fault_;
        if (file_.state_->strikes(file_.state_->read_random, file_.state_->plan.flip_on_read, "flip_on_read"))
          flip(bytes, file_.state_->read_random);
      }
      return batch_.done(index);
    }
    const Status& fault() const { return fault_; }

   private:
    File& file_;
    TransferBatch& batch_;
    std::deque<std::span<std::byte>> under_way_;
    Status fault_;
  };

  // With the lock held.
  Status before_read() {
    State& state = *state_;
    KV_TRY(alive());
    if (state.strikes(state.read_random, state.plan.read_error, "read_error"))
      return injected(ErrorCode::io, path_, "cannot be read");
    if (state.strikes(state.read_random, state.plan.short_read, "short_read"))
      return injected(ErrorCode::corrupt, path_, "ends early");
    return {};
  }

  static void flip(std::span<std::byte> bytes, Random& random) {
    bytes[random.below(bytes.size())] ^= std::byte{1} << static_cast<int>(random.below(8));
  }

  std::shared_ptr<State> state_;
  std::unique_ptr<DeviceFile> inner_;
  std::filesystem::path path_;
  std::uint64_t power_cycle_;
};

FaultyDevice::FaultyDevice(std::shared_ptr<FileDevice> inner, std::uint64_t seed, FaultPlan plan)
    : state_(std::make_shared<State>(std::move(inner), seed, plan)) {}

FaultyDevice::~FaultyDevice() = default;

void FaultyDevice::set_plan(const FaultPlan& plan) {
  const std::lock_guard lock(state_->mutex);
  state_->plan = plan;
}

void FaultyDevice::cut_power() {
  const std::lock_guard lock(state_->mutex);
  state_->powered = false;
}

Status FaultyDevice::restore_power() {
  const std::lock_guard lock(state_->mutex);
  ++state_->power_cycle;
  state_->powered = true;
  return state_->log.lose(state_->power_random);
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

Expected<std::unique_ptr<DeviceFile>> FaultyDevice::open_by(Opening opening, const std::filesystem::path& path, bool create) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  auto file = (*state_->inner.*opening)(path, false);
  if (!file && create && file.error().code == ErrorCode::not_found) {
    file = (*state_->inner.*opening)(path, true);
    if (file) state_->log.after_create(path);
  }
  if (!file) return tl::unexpected(std::move(file).error());
  if (const auto size = (*file)->size(); size && state_->sizes.try_emplace(path, *size).second)
    state_->used_bytes += *size;
  return std::make_unique<File>(state_, std::move(*file), path);
}

Status FaultyDevice::remove(const std::filesystem::path& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  KV_TRY(state_->log.remove(path));
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
  state_->log.after_rename(from, to);
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
  return inner.empty() ? "faults injected" : inner + "; faults injected";
}

Status FaultyDevice::sync_directory(const std::filesystem::path& path) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->powered) return injected(ErrorCode::io, path, "the power is off");
  if (state_->strikes(state_->write_random, state_->plan.sync_error, "sync_error"))
    return injected(ErrorCode::io, path, "folder cannot be flushed");
  KV_TRY(state_->inner->sync_directory(path));
  return state_->log.directory_flushed(path);
}

}  // namespace kvantage
