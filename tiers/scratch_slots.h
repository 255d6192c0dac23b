// Scratch memory of an I/O thread in equal slots, acquired and released in the same order, as transfers are.
#pragma once

#include <cstddef>
#include <span>

namespace kvantage::inline tiers {

class ScratchSlots {
 public:
  static constexpr std::size_t slot_bytes = std::size_t{1} << 20;
  static constexpr std::size_t count = 4;
  static constexpr std::size_t all_bytes = slot_bytes * count;

  /// `memory`: all_bytes, aligned to 4 KiB.
  explicit ScratchSlots(std::span<std::byte> memory) : memory_(memory) {}

  bool has_free() const { return taken_ < count; }
  std::span<std::byte> take() {
    ++taken_;
    const std::size_t slot = next_++ % count;
    return memory_.subspan(slot * slot_bytes, slot_bytes);
  }
  /// Releases the oldest acquired slot.
  void give_back() { --taken_; }

 private:
  std::span<std::byte> memory_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace kvantage::inline tiers
