#include "tiers/remote/entry_seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tiers/remote/secret_file.h"

namespace kvantage::inline remote {
namespace {

constexpr char magic[8] = {'K', 'V', 'S', 'E', 'A', 'L', '0', '1'};
constexpr std::string_view purpose = "kvantage entry seal";
constexpr std::size_t version_at = 8, block_bytes_at = 12, tag_at = 16, blocks_at = 48;

void append(std::vector<std::byte>& bytes, const void* data, std::size_t count) {
  const auto* const from = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), from, from + count);
}

std::uint64_t blocks_in(std::uint64_t entry_bytes) { return (entry_bytes + seal_block_bytes - 1) / seal_block_bytes; }

int digit_value(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::optional<BlockDigest> key_in(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  BlockDigest key{};
  if (text.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key[i] = static_cast<std::byte>(high * 16 + low);
  }
  return key;
}

bool is_seal(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof magic && std::memcmp(bytes.data(), magic, sizeof magic) == 0;
}

}  // namespace

BlockDigest block_digest(std::span<const std::byte> block) {
  BlockDigest digest{};
  unsigned int length = 0;
  (void)EVP_Digest(block.data(), block.size(), reinterpret_cast<unsigned char*>(digest.data()), &length, EVP_sha256(),
                   nullptr);
  return digest;
}

std::size_t EntrySeal::bytes() const { return blocks_at + blocks.size() * sizeof(BlockDigest); }

EntrySeal seal_of(std::span<const std::byte> entry) {
  EntrySeal seal;
  seal.blocks.reserve(blocks_in(entry.size()));
  for (std::size_t at = 0; at < entry.size(); at += seal_block_bytes)
    seal.blocks.push_back(block_digest(entry.subspan(at, std::min<std::size_t>(seal_block_bytes, entry.size() - at))));
  return seal;
}

Expected<std::shared_ptr<const SealKey>> SealKey::read(const std::filesystem::path& path) {
  KV_ASSIGN(const auto text, read_secret_file(path, "this key"));
  const auto wrong = [&path](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                path.string() + ": " + reason + "; make one with (umask 077; openssl rand -hex 32 > FILE)");
  };
  if (!text) return wrong("the file does not exist");
  const auto key = key_in(*text);
  if (!key) return wrong("is not a key of 64 hexadecimal digits");
  return std::make_shared<const SealKey>(*key);
}

// Fields of fixed length, or with their length before them: two different lists of fields are never the same bytes.
BlockDigest SealKey::tag_of(const std::string& place, std::span<const std::byte> header,
                            std::span<const std::byte> seal) const {
  std::vector<std::byte> text;
  text.reserve(purpose.size() + sizeof(std::uint64_t) + place.size() + header.size() + seal.size());
  const std::uint64_t place_bytes = place.size();
  append(text, purpose.data(), purpose.size());
  append(text, &place_bytes, sizeof place_bytes);
  append(text, place.data(), place.size());
  append(text, header.data(), header.size());  // its length is in it
  append(text, seal.data(), tag_at);
  append(text, seal.data() + blocks_at, seal.size() - blocks_at);
  BlockDigest tag{};
  unsigned int length = 0;
  (void)HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(),
             reinterpret_cast<unsigned char*>(tag.data()), &length);
  return tag;
}

std::vector<std::byte> SealKey::encode(const std::string& place, std::span<const std::byte> header,
                                       const EntrySeal& seal) const {
  const auto block_bytes = static_cast<std::uint32_t>(seal_block_bytes);
  std::vector<std::byte> bytes;
  bytes.reserve(seal.bytes());
  append(bytes, magic, sizeof magic);
  append(bytes, &seal_version, sizeof seal_version);
  append(bytes, &block_bytes, sizeof block_bytes);
  bytes.resize(blocks_at);
  for (const BlockDigest& block : seal.blocks) append(bytes, block.data(), block.size());
  const BlockDigest tag = tag_of(place, header, bytes);
  std::memcpy(bytes.data() + tag_at, tag.data(), tag.size());
  return bytes;
}

std::optional<EntrySeal> SealKey::decode(const std::string& place, std::span<const std::byte> header,
                                         std::span<const std::byte> bytes, std::uint64_t entry_bytes) const {
  if (!is_seal(bytes) || bytes.size() < blocks_at || (bytes.size() - blocks_at) % sizeof(BlockDigest) != 0 ||
      (bytes.size() - blocks_at) / sizeof(BlockDigest) != blocks_in(entry_bytes))
    return std::nullopt;
  std::uint32_t version = 0, block_bytes = 0;
  std::memcpy(&version, bytes.data() + version_at, sizeof version);
  std::memcpy(&block_bytes, bytes.data() + block_bytes_at, sizeof block_bytes);
  if (version != seal_version || block_bytes != seal_block_bytes) return std::nullopt;
  const BlockDigest tag = tag_of(place, header, bytes);
  if (tag == BlockDigest{} || CRYPTO_memcmp(tag.data(), bytes.data() + tag_at, tag.size()) != 0) return std::nullopt;
  EntrySeal seal;
  seal.blocks.resize((bytes.size() - blocks_at) / sizeof(BlockDigest));
  for (std::size_t i = 0; i < seal.blocks.size(); ++i)
    std::memcpy(seal.blocks[i].data(), bytes.data() + blocks_at + i * sizeof(BlockDigest), sizeof(BlockDigest));
  return seal;
}

Expected<SealedHeader> decode_sealed_header(std::span<const std::byte> value, const SealKey* key,
                                            const std::string& place) {
  KV_ASSIGN(auto header, decode_store_header(value));
  const std::size_t length = store_header_bytes(header.info.label.size());  // decode_store_header() has compared it
  const auto rest = value.subspan(length);
  SealedHeader found{std::move(header), nullptr, true};
  if (key == nullptr) {
    found.usable = !is_seal(rest);
    return found;
  }
  auto seal = key->decode(place, value.first(length), rest, found.header.info.bytes);
  found.usable = seal.has_value();
  if (seal) found.seal = std::make_shared<const EntrySeal>(std::move(*seal));
  return found;
}

}  // namespace kvantage::inline remote
