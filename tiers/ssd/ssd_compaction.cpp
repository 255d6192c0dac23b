// The part of SsdStore that rewrites segments.
#include <algorithm>

#include "tiers/ssd/ssd_tier.h"

namespace kvantage::inline ssd {

Expected<SsdStore::Compaction> SsdStore::compact(const std::function<bool()>& progress) {
  // An entry that nobody holds would neither be moved nor be in an index that is made again: lost.
  if (!all_are_held()) return fail(ErrorCode::internal, name_ + ": compaction of entries that nobody holds");
  Compaction done;
  KV_TRY(commit({}));
  const std::uint32_t first = space_.next_number();
  for (const std::uint32_t number : space_.loose_segments()) {
    if (progress && !progress()) return fail(ErrorCode::cancelled, name_ + ": the compaction was stopped");
    KV_TRY(compact_segment(number, first, done));
    KV_TRY(commit({}));
  }
  return done;
}

// A retired entry leaves memory before its row leaves the index.
bool SsdStore::all_are_held() {
  for (const ReturnedRoom::Item& item : returned_->take()) returned_items_.push_back(item);
  return std::ranges::all_of(live_, [this](const auto& entry) {
    return !entry.second.expired() || std::ranges::find(returned_items_, entry.first,
                                                        &ReturnedRoom::Item::retired_sequence) != returned_items_.end();
  });
}

Status SsdStore::compact_segment(std::uint32_t number, std::uint32_t first_target, Compaction& done) {
  struct Move {
    std::shared_ptr<SegmentEntry> entry;
    std::shared_ptr<Room> room;
  };
  std::vector<std::shared_ptr<SegmentEntry>> entries;
  for (const auto& [sequence, weak] : live_)
    if (auto entry = weak.lock(); entry != nullptr && entry->room()->extent().segment == number)
      entries.push_back(std::move(entry));
  std::vector<Move> moves;
  std::vector<SegmentRow> rows;
  Status moved;
  std::uint64_t bad = 0;
  static const std::atomic<bool> never{false};
  for (const auto& entry : entries) {
    const auto bytes = read_whole(*entry);
    bad += !bytes;
    if (bad > 0) continue;  // the others are only verified
    const SegmentExtent target = space_.append(SegmentEntry::bytes_on_disk(entry->header()), first_target);
    moved = write_at(target, encode_store_header(entry->header()), bytes->bytes().first(entry->info().bytes), never);
    if (!moved) {
      free_room(target);
      break;
    }
    rows.push_back({entry->header(), target});
    moves.push_back({entry, std::make_shared<Room>(target, returned_)});
  }
  // An entry that cannot move keeps its segment: moving the rest would only lengthen the files.
  if (bad > 0 || !moved) {
    for (const Move& move : moves) free_room(move.room->extent());
    done.bad_entries += bad;
    if (bad > 0) stuck_.insert(number);
    return bad > 0 ? Status{} : moved;
  }
  const Status committed = rows.empty() ? Status{} : commit(rows);
  for (Move& move : moves) {
    if (!committed) {
      // May be in the index after a power cut: kept until another commit has settled the entry's location.
      returned_items_.push_back({move.room->extent(), 0});
      continue;
    }
    ++done.moved_entries;
    done.moved_bytes += move.entry->info().bytes;
    move.entry->move_to(std::move(move.room));
  }
  return committed;
}

}  // namespace kvantage::inline ssd
