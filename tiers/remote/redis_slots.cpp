#include "tiers/remote/redis_slots.h"

#include <cstdint>

extern "C" std::uint16_t kvantage_valkey_crc16(const char* bytes, int length);  // libvalkey's, renamed: Valkey.cmake

namespace kvantage::inline remote {

int slot_of(std::string_view key) {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos)
    if (const std::size_t close = key.find('}', open + 1); close != std::string_view::npos && close > open + 1)
      key = key.substr(open + 1, close - open - 1);
  return kvantage_valkey_crc16(key.data(), static_cast<int>(key.size())) % slot_count;
}

std::vector<std::string> bucket_tags(const std::string& prefix, RedisKind kind) {
  if (kind != RedisKind::cluster) return {prefix};
  constexpr int slots_of_one = slot_count / static_cast<int>(cluster_buckets);
  std::vector<std::string> tags(cluster_buckets);
  std::size_t found = 0;
  for (std::uint64_t number = 0; found < tags.size(); ++number) {
    std::string tag = prefix + "#" + std::to_string(number);
    std::string& place = tags[static_cast<std::size_t>(slot_of(tag) / slots_of_one)];
    if (!place.empty()) continue;
    place = std::move(tag);
    ++found;
  }
  return tags;
}

}  // namespace kvantage::inline remote
