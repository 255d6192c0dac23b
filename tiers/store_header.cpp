#include "tiers/store_header.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {
namespace {

static_assert(std::endian::native == std::endian::little, "the store is little-endian");
constexpr char magic[8] = {'K', 'V', 'S', 'T', 'O', 'R', 'E', '1'};
constexpr std::size_t label_offset = 80;

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

template <class T>
T get(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::size_t store_header_bytes(std::size_t label_bytes) {
  return round_up_to_page(label_offset + label_bytes + sizeof(std::uint64_t));
}

std::vector<std::byte> encode_store_header(const StoreHeader& header) {
  const std::string& label = header.info.label;
  std::vector<std::byte> bytes(store_header_bytes(label.size()));
  std::memcpy(bytes.data(), magic, sizeof magic);
  put(bytes, 8, store_format_version);
  put(bytes, 12, static_cast<std::uint32_t>(bytes.size()));
  put(bytes, 16, header.info.key.high);
  put(bytes, 24, header.info.key.low);
  put(bytes, 32, header.info.bytes);
  put(bytes, 40, header.info.header_bytes);
  put(bytes, 48, header.entry_checksum);
  put(bytes, 56, header.header_checksum);
  put(bytes, 64, header.sequence);
  put(bytes, 72, static_cast<std::uint32_t>(label.size()));
  std::memcpy(bytes.data() + label_offset, label.data(), label.size());
  const std::size_t checked = bytes.size() - sizeof(std::uint64_t);
  put(bytes, checked, checksum_of(std::span(bytes).first(checked)));
  return bytes;
}

bool plausible(const StoreHeader& header) {
  // A million tokens of an 8B model take 131 GB, and their header 4 MB. What is larger comes from somebody who wants
  // memory for it.
  constexpr std::uint64_t longest = std::uint64_t{1} << 42, longest_header = std::uint64_t{1} << 28;
  const EntryInfo& info = header.info;
  return info.bytes > 0 && info.bytes <= longest && info.header_bytes <= std::min(info.bytes, longest_header);
}

Expected<std::size_t> peek_store_header(std::span<const std::byte> first_page) {
  if (first_page.size() < page_bytes || std::memcmp(first_page.data(), magic, sizeof magic) != 0)
    return fail(ErrorCode::corrupt, "store header: not an entry of a store");
  const std::size_t length = get<std::uint32_t>(first_page, 12);
  const std::size_t label = get<std::uint32_t>(first_page, 72);
  if (label > max_label_bytes || length != store_header_bytes(label))
    return fail(ErrorCode::corrupt, "store header: impossible length");
  return length;
}

Expected<StoreHeader> decode_store_header(std::span<const std::byte> bytes) {
  KV_ASSIGN(const auto length, peek_store_header(bytes));
  if (length > bytes.size()) return fail(ErrorCode::corrupt, "store header: cut off");
  const std::size_t checked = length - sizeof(std::uint64_t);
  if (checksum_of(bytes.first(checked)) != get<std::uint64_t>(bytes, checked))
    return fail(ErrorCode::corrupt, "store header: wrong checksum");
  // After the checksum, so that a flipped bit is not mistaken for another version. Magic, lengths and checksum have the
  // same positions in every version.
  const auto version = get<std::uint32_t>(bytes, 8);
  if (version != store_format_version)
    return fail(ErrorCode::rejected_input, "store header: format " + std::to_string(version) +
                                               " is not known to this version; choose another folder");
  StoreHeader header;
  header.info.key = {get<std::uint64_t>(bytes, 16), get<std::uint64_t>(bytes, 24)};
  header.info.bytes = get<std::uint64_t>(bytes, 32);
  header.info.header_bytes = get<std::uint64_t>(bytes, 40);
  header.entry_checksum = get<std::uint64_t>(bytes, 48);
  header.header_checksum = get<std::uint64_t>(bytes, 56);
  header.sequence = get<std::uint64_t>(bytes, 64);
  header.info.label.assign(reinterpret_cast<const char*>(bytes.data()) + label_offset, get<std::uint32_t>(bytes, 72));
  if (!plausible(header)) return fail(ErrorCode::corrupt, "store header: impossible lengths");
  return header;
}

}  // namespace kvantage::inline tiers
