// The reading half of SsdStore.
#include "tiers/entry_reading.h"
#include "tiers/ssd/ssd_tier.h"

namespace kvantage::inline ssd {
namespace {

TransferError transfer_error(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return {MissReason::missing, error};
    case ErrorCode::corrupt:
      return {MissReason::truncated, error};
    case ErrorCode::cancelled:
      return {MissReason::cancelled, error};
    default:
      return {MissReason::device, error};
  }
}

}  // namespace

TransferStatus SsdStore::read(const StoredEntry& stored, ReadSink& sink) {
  const auto& entry = static_cast<const SegmentEntry&>(stored);
  const auto room = entry.room();  // pinned while this reads
  const std::uint64_t data_offset = room->extent().offset + store_header_bytes(entry.info().label.size());
  EntryReading reading(entry.header(), data_offset, sink, read_scratch_.bytes(), name_);
  if (!sink.cancelled()) {
    auto file = device_->open(path_of(room->extent().segment), false);
    if (!file) return tl::unexpected(transfer_error(file.error()));
    const Status got = (*file)->read_many(reading);
    if (reading.failure()) return tl::unexpected(*reading.failure());
    if (!got) return tl::unexpected(transfer_error(got.error()));
  }
  if (!reading.complete()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
  return {};
}

TransferStatus SsdStore::verify(const StoredEntry& stored) {
  const auto& entry = static_cast<const SegmentEntry&>(stored);
  KV_TRY(read_whole(entry));
  return {};
}

tl::expected<MappedMemory, TransferError> SsdStore::read_whole(const SegmentEntry& entry) {
  const auto room = entry.room();
  auto file = device_->open(path_of(room->extent().segment), false);
  if (!file) return tl::unexpected(transfer_error(file.error()));
  return read_whole(**file, entry.header(), room->extent().offset);
}

tl::expected<MappedMemory, TransferError> SsdStore::read_whole(DeviceFile& file, const StoreHeader& header,
                                                               std::uint64_t offset) {
  auto memory = MappedMemory::map(header.info.bytes, false);
  if (!memory) return tl::unexpected(TransferError{MissReason::rejected, memory.error()});
  if (const Status got = file.read(offset + store_header_bytes(header.info.label.size()), memory->bytes()); !got)
    return tl::unexpected(transfer_error(got.error()));
  if (checksum_of(memory->bytes().first(header.info.bytes)) != header.entry_checksum)
    return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                         name_ + ": entry " + header.info.key.hex() + ": wrong checksum");
  return std::move(*memory);
}

}  // namespace kvantage::inline ssd
