#include "tiers/shared_store.h"

#include <unistd.h>

#include <random>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {
namespace {

class WholeEntry final : public ReadSink {
 public:
  WholeEntry(std::span<std::byte> bytes, const Clock& clock)
      : bytes_(bytes), extent_{0, bytes.size(), {}}, clock_(clock) {}
  std::span<const ReadExtent> extents() const override { return {&extent_, 1}; }
  std::span<std::byte> target(std::size_t) override { return bytes_; }
  bool cancelled() const override { return false; }
  void finish(std::size_t, double, double) override {}
  const Clock& clock() const override { return clock_; }

 private:
  std::span<std::byte> bytes_;
  ReadExtent extent_;
  const Clock& clock_;
};

}  // namespace

std::string random_workbench() {
  std::random_device source;
  return Digest128{(std::uint64_t{source()} << 32) | source(), static_cast<std::uint64_t>(::getpid())}.hex();
}

TransferStatus verify_by_reading(EntryStore& store, const StoredEntry& entry, const std::string& tier,
                                 const Clock& clock) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // larger than any transfer
  const EntryInfo& info = entry.info();
  if (info.bytes > max_bytes)
    return fail_transfer(MissReason::rejected, ErrorCode::rejected_input,
                         tier + ": entry " + info.key.hex() + " is larger than 1 GiB");
  auto memory = MappedMemory::map(info.bytes, false);
  if (!memory) return tl::unexpected(TransferError{MissReason::rejected, memory.error()});
  WholeEntry whole(memory->bytes().first(info.bytes), clock);
  return store.read(entry, whole);
}

}  // namespace kvantage::inline tiers
