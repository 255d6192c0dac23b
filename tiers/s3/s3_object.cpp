#include "tiers/s3/s3_object.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "tiers/s3/s3_etag.h"
#include "tiers/s3/s3_refusal.h"

namespace kvantage::inline s3 {
namespace {

constexpr std::uint64_t first_head_bytes = std::uint64_t{8} << 10;     // a header with a short label, and its seal
constexpr std::uint64_t first_sealed_bytes = std::uint64_t{64} << 10;  // of a store with a key
constexpr std::uint64_t max_head_bytes = std::uint64_t{64} << 20;      // more than any header with its seal
constexpr long s3_partial = 206, s3_absent = 404, s3_changed = 412, s3_no_range = 416;

/// The whole length in "bytes 0-9/20".
std::optional<std::uint64_t> whole_length(const std::string& content_range) {
  const std::size_t slash = content_range.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  std::uint64_t bytes = 0;
  const char* const end = content_range.data() + content_range.size();
  const auto [stop, code] = std::from_chars(content_range.data() + slash + 1, end, bytes);
  return code == std::errc{} && stop == end ? std::optional(bytes) : std::nullopt;
}

std::span<const std::byte> bytes_of_reply(const S3Reply& reply) { return std::as_bytes(std::span(reply.body)); }

std::uint64_t seal_bytes_of(std::uint64_t entry_bytes) {
  EntrySeal seal;
  return seal.bytes() + (entry_bytes + seal_block_bytes - 1) / seal_block_bytes * sizeof(BlockDigest);
}

}  // namespace

std::string S3Range::text() const { return "bytes=" + std::to_string(begin) + "-" + std::to_string(end - 1); }

bool S3Range::is_of(const std::string& content_range, std::uint64_t object_bytes) const {
  return content_range ==
         "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + std::to_string(object_bytes);
}

S3Request S3ObjectReader::request_for(const Digest128& key, std::uint64_t bytes, const std::string& etag) const {
  S3Request request{.path = s3_escaped(names_.entry(key), true),
                    .headers = {"Range: " + S3Range{0, bytes}.text()},
                    .max_reply_bytes = bytes};
  if (!etag.empty()) request.headers.push_back(if_match(etag));
  return request;
}

// No bytes: absent, replaced meanwhile, or empty.
Expected<S3ObjectReader::Head> S3ObjectReader::head_of(S3Reply reply, std::uint64_t asked) const {
  if (is_absent(reply) || reply.status == s3_changed || reply.status == s3_no_range) {
    reply.body.clear();
    return Head{std::move(reply), 0};
  }
  if (reply.status != s3_partial) return tl::unexpected(refusal_of(url_, reply, "reading an entry"));
  const auto whole = whole_length(reply.content_range);
  if (!whole || reply.body.size() != std::min(asked, *whole))
    return fail(ErrorCode::io, url_.address() + ": its answer is not the range of bytes that was asked for");
  return Head{std::move(reply), *whole};
}

// Of header and seal; 0: it is no object of a store.
std::uint64_t S3ObjectReader::needed_bytes(const Head& head) const {
  const auto length = peek_store_header(bytes_of_reply(head.reply));
  if (!length || *length >= head.object_bytes) return 0;
  // A seal is at least known by its first bytes.
  std::uint64_t needed = std::min(*length + seal_bytes_of(0), head.object_bytes);
  if (key_ != nullptr) needed = *length + seal_bytes_of(head.object_bytes - *length);  // of fewer bytes in fact
  return std::min({needed, head.object_bytes, max_head_bytes});
}

FoundObject S3ObjectReader::decoded(const Digest128& key, const Head& head) const {
  FoundObject found{FoundObject::State::foreign, {}};
  found.object.etag = head.reply.etag;
  if (head.reply.status == s3_absent || head.reply.etag.empty()) found.state = FoundObject::State::absent;
  const auto bytes = bytes_of_reply(head.reply);
  const auto length = peek_store_header(bytes);
  if (!length || *length > bytes.size()) return found;
  const auto header = decode_store_header(bytes.first(*length));
  if (!header || header->info.key != key) return found;
  const std::uint64_t seal_bytes = seal_bytes_of(header->info.bytes);
  const bool is_sealed = head.object_bytes == *length + seal_bytes + header->info.bytes;
  const bool is_plain = head.object_bytes == *length + header->info.bytes;
  if (!is_sealed && !is_plain) return found;
  const std::uint64_t begin = *length + (is_sealed && key_ != nullptr ? seal_bytes : 0);
  auto sealed = decode_sealed_header(
      key_ == nullptr ? bytes : bytes.first(std::min<std::uint64_t>(begin, bytes.size())), key_, names_.base());
  if (!sealed) return found;
  found.state =
      sealed->usable && is_sealed == (key_ != nullptr) ? FoundObject::State::usable : FoundObject::State::unsealed;
  if (found.state != FoundObject::State::usable) return found;
  found.object.header = std::move(sealed->header);
  found.object.seal = std::move(sealed->seal);
  found.object.data_offset = begin;
  return found;
}

Expected<std::vector<FoundObject>> S3ObjectReader::read(std::span<const Digest128> keys, const GiveUp& give_up) const {
  const std::uint64_t first = key_ != nullptr ? first_sealed_bytes : first_head_bytes;
  std::vector<S3Request> requests;
  requests.reserve(keys.size());
  for (const Digest128& key : keys) requests.push_back(request_for(key, first, {}));
  KV_ASSIGN(auto replies, client_.exchange_all(requests, give_up));
  std::vector<Head> heads;
  heads.reserve(keys.size());
  for (S3Reply& reply : replies) {
    KV_ASSIGN(auto head, head_of(std::move(reply), first));
    heads.push_back(std::move(head));
  }
  // Those with a long label or seal, one at a time: such a head may take much memory.
  std::vector<FoundObject> found;
  found.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t needed = needed_bytes(heads[i]);
    if (needed > heads[i].reply.body.size()) {
      KV_ASSIGN(auto reply, client_.exchange(request_for(keys[i], needed, heads[i].reply.etag), give_up));
      KV_ASSIGN(heads[i], head_of(std::move(reply), needed));
    }
    found.push_back(decoded(keys[i], heads[i]));
    heads[i] = {};
  }
  return found;
}

}  // namespace kvantage::inline s3
