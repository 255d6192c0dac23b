// One use of the device tier's store over the fake runtime, from opening to closing: entries of two pieces, of a few
// bytes and in a model's blocks, reads straight into pinned memory and through staging, the scrub. What fails is noted,
// and the rest is tried.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/cuda_memory.h"
#include "gpu/device/device_store.h"
#include "tests/gpu/device_checks.h"
#include "tests/gpu/fake/traced_memory.h"
#include "tests/gpu/resident_bench.h"

namespace kvantage::testing {

/// Buffers of a read in one piece of memory; the owner looks at each as it arrives.
class TracedSink final : public ReadSink {
 public:
  TracedSink(std::vector<ReadExtent> extents, std::span<std::byte> memory)
      : extents_(std::move(extents)), memory_(memory) {}

  std::span<const ReadExtent> extents() const override { return extents_; }
  std::span<std::byte> target(std::size_t index) override {
    return memory_.subspan(extents_[index].offset, extents_[index].bytes);
  }
  bool cancelled() const override { return false; }
  void finish(std::size_t index, double, double) override {
    fake_cuda().note_host_access("the owner's read", target(index), false);
    ++finished;
  }
  const Clock& clock() const override { return system_executor().clock(); }

  std::size_t finished = 0;

 private:
  std::vector<ReadExtent> extents_;
  std::span<std::byte> memory_;
};

struct ScriptOutcome {
  std::vector<Error> errors;
  int served = 0;  // reads that succeeded
  int wrong = 0;   // of them, with other bytes
};

class TierScript {
 public:
  static constexpr std::size_t large = gpu::Staging::slot_bytes + 20481, small = 777, leaves = 24576;
  static constexpr int reads = 6;

  TierScript() {
    for (const std::size_t bytes : {large, small, leaves}) contents_.push_back(bytes_of(bytes, bytes));
    buffer_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, buffer_bytes)));
    unpinned_.resize(large);
  }

  /// Opens the device, runs, closes.
  ScriptOutcome run() {
    ScriptOutcome outcome;
    auto opened = gpu::open_cuda_memory();
    if (!opened) {
      outcome.errors.push_back(opened.error());
      return outcome;
    }
    const auto memory = std::make_shared<TracedMemory>(std::move(*opened));
    run_on(memory, outcome);
    return outcome;
  }
  /// As run(), twice over one device if it opens: what fails the first time need not fail the second. Calls
  /// between() after the first.
  template <class Between>
  std::pair<ScriptOutcome, ScriptOutcome> run_twice(const Between& between) {
    std::pair<ScriptOutcome, ScriptOutcome> outcomes;
    auto opened = gpu::open_cuda_memory();
    if (!opened) {
      outcomes.first.errors.push_back(opened.error());
      between();
      outcomes.second = run();
      return outcomes;
    }
    const auto memory = std::make_shared<TracedMemory>(std::move(*opened));
    run_on(memory, outcomes.first);
    between();
    run_on(memory, outcomes.second);
    return outcomes;
  }

 private:
  static constexpr std::size_t buffer_bytes = (large + 4095) / 4096 * 4096;
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  using Entry = std::shared_ptr<StoredEntry>;

  void run_on(const std::shared_ptr<TracedMemory>& memory, ScriptOutcome& outcome) {
    const auto pin = memory->pin({buffer_.get(), buffer_bytes});  // without it reads go through staging
    const CacheBlockForm form = test::block_form(RaggedEntry::shape.head_dim, 4);
    auto store = gpu::DeviceStore::open(
        "device", memory, std::make_shared<gpu::DevicePool>(memory, 1 << 20), std::make_shared<gpu::CopyMeter>(),
        gpu::ResidentPool{{memory->info().memory, form},
                          std::make_shared<gpu::DevicePool>(memory, 1 << 20, form.block_bytes)});
    if (!store) {
      outcome.errors.push_back(store.error());
      return;
    }
    std::vector<Entry> entries;
    for (const auto& bytes : contents_) entries.push_back(put(**store, *bytes, outcome));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      read(**store, entries[i], *contents_[i], {buffer_.get(), contents_[i]->size()}, outcome);
      if (contents_[i]->size() == large) continue;  // emulated, its checksums take long
      if (entries[i] != nullptr) note((*store)->verify(*entries[i]), outcome);
    }
    entries[2].reset();  // its blocks are those of the next one
    entries[2] = put(**store, *contents_[1], outcome);
    read(**store, entries[2], *contents_[1], std::span(unpinned_).first(small), outcome);
    read(**store, entries[0], *contents_[0], unpinned_, outcome);
    use_blocks(**store, outcome);
  }
  void use_blocks(EntryStore& store, ScriptOutcome& outcome) {
    const Entry entry = put(store, *in_blocks_.bytes, outcome);
    if (entry == nullptr) return;
    if (store.residency(entry) == nullptr) outcome.errors.push_back({ErrorCode::internal, "it is not in blocks"});
    note(store.verify(*entry), outcome);
    read(store, entry, *in_blocks_.bytes, std::span(unpinned_).first(in_blocks_.bytes->size()), outcome);
  }
  Entry put(EntryStore& store, const DeviceBytes& bytes, ScriptOutcome& outcome) const {
    const EntryInfo info{digest_of(std::to_string(bytes.size())), bytes.size(), 1, "entry"};
    auto entry = store.put(info, bytes, never_);
    if (entry) return std::move(*entry);
    outcome.errors.push_back(entry.error());
    return nullptr;
  }
  static void read(EntryStore& store, const Entry& entry, const DeviceBytes& expected, std::span<std::byte> target,
                   ScriptOutcome& outcome) {
    if (entry == nullptr) return;
    std::memset(target.data(), 0x5a, target.size());
    fake_cuda().note_host_access("the owner's write", target, true);
    TracedSink sink(layers_of(expected, 3 << 20), target);
    const TransferStatus status = store.read(*entry, sink);
    note(status, outcome);
    if (!status) return;
    ++outcome.served;
    if (sink.finished != sink.extents().size() || std::memcmp(target.data(), expected.data(), expected.size()) != 0)
      ++outcome.wrong;
  }
  static void note(const TransferStatus& status, ScriptOutcome& outcome) {
    if (!status) outcome.errors.push_back(status.error().error);
  }

  std::vector<std::shared_ptr<const DeviceBytes>> contents_;
  std::unique_ptr<std::byte, Free> buffer_;
  DeviceBytes unpinned_;
  const RaggedEntry in_blocks_{1, 12};  // small: emulated, its checksums take long
  std::atomic<bool> never_{false};
};

}  // namespace kvantage::testing
