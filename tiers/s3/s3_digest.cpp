#include "tiers/s3/s3_digest.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

namespace kvantage::inline s3 {
namespace {

std::string hex_digest(const EVP_MD* kind, const std::vector<std::span<const std::byte>>& parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  if (!context || kind == nullptr || ::EVP_DigestInit_ex(context.get(), kind, nullptr) != 1) return {};
  for (const auto part : parts)
    if (::EVP_DigestUpdate(context.get(), part.data(), part.size()) != 1) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (::EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1) return {};
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * std::size_t{length});
  for (unsigned int i = 0; i < length; ++i) text += {digits[digest[i] >> 4], digits[digest[i] & 15]};
  return text;
}

}  // namespace

std::string sha256_hex(const std::vector<std::span<const std::byte>>& parts) {
  return hex_digest(::EVP_sha256(), parts);
}

std::string md5_hex(const std::vector<std::span<const std::byte>>& parts) { return hex_digest(::EVP_md5(), parts); }

}  // namespace kvantage::inline s3
