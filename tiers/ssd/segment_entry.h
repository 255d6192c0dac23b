// An entry in a segment file, its space there, and the names of such files.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/entry_store.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_space.h"
#include "tiers/store_header.h"

namespace kvantage::inline ssd {

/// Unused space on its way back to the store. Any thread adds, the writing thread takes.
class ReturnedRoom {
 public:
  struct Item {
    SegmentExtent extent;
    std::uint64_t retired_sequence = 0;  // 0: the entry was moved
  };
  void add(const Item& item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
  }
  std::vector<Item> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Item> items_;
};

/// Location of one version of an entry. Shared by the entry and all reads in flight.
class Room {
 public:
  Room(SegmentExtent extent, std::shared_ptr<ReturnedRoom> returned)
      : extent_(extent), returned_(std::move(returned)) {}
  ~Room() {
    if (give_back_) returned_->add({extent_, retired_sequence_});
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  const SegmentExtent& extent() const { return extent_; }

 private:
  friend class SegmentEntry;
  SegmentExtent extent_;
  std::shared_ptr<ReturnedRoom> returned_;
  // Written by the entry under its lock, read after the last holder released it.
  bool give_back_ = false;
  std::uint64_t retired_sequence_ = 0;
};

class SegmentEntry final : public StoredEntry {
 public:
  SegmentEntry(StoreHeader header, std::shared_ptr<Room> room)
      : StoredEntry(header.info), header_(std::move(header)), room_(std::move(room)) {}

  std::uint64_t sequence() const override { return header_.sequence; }
  std::uint64_t overhead_bytes() const override { return bytes_on_disk(header_) - info().bytes; }
  void retire() override {
    const std::lock_guard lock(mutex_);
    if (retired_) return;
    retired_ = true;
    room_->give_back_ = true;
    room_->retired_sequence_ = header_.sequence;
  }

  const StoreHeader& header() const { return header_; }
  std::shared_ptr<const Room> room() const {
    const std::lock_guard lock(mutex_);
    return room_;
  }
  /// The entry's bytes are now in `room`; reads in flight keep using the old location. False, and `room` is returned,
  /// if the entry was retired meanwhile.
  bool move_to(std::shared_ptr<Room> room) {
    const std::lock_guard lock(mutex_);
    (retired_ ? room : room_)->give_back_ = true;
    if (!retired_) std::swap(room_, room);
    return !retired_;
  }

  static std::uint64_t bytes_on_disk(const StoreHeader& header) {
    return store_header_bytes(header.info.label.size()) + round_up_to_page(header.info.bytes);
  }

 private:
  StoreHeader header_;
  mutable std::mutex mutex_;
  std::shared_ptr<Room> room_;
  bool retired_ = false;
};

/// "segment-00000012.kvsegment".
std::string segment_file_name(std::uint32_t number);
/// Nothing for any other name: foreign files are left alone.
std::optional<std::uint32_t> parse_segment_file_name(const std::string& name);
inline constexpr const char* index_file_name = "index.sqlite";

}  // namespace kvantage::inline ssd
