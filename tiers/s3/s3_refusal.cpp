#include "tiers/s3/s3_refusal.h"

#include "core/base/json.h"
#include "tiers/s3/s3_xml.h"

namespace kvantage::inline s3 {

namespace {

constexpr std::size_t max_code_bytes = 64, max_message_bytes = 200;

std::string text_of(const S3Reply& reply, const S3Fault& fault) {
  std::string text = std::to_string(reply.status);
  if (!fault.code.empty()) text += " " + printable(std::string_view(fault.code).substr(0, max_code_bytes));
  if (!fault.message.empty()) text += ": " + printable(std::string_view(fault.message).substr(0, max_message_bytes));
  return text;
}

}  // namespace

std::string refusal_text(const S3Reply& reply) { return text_of(reply, parse_fault(reply.body)); }

bool lacks_header(const S3Reply& reply) {
  constexpr long not_implemented = 501;
  return reply.status == not_implemented || (!reply.is_success() && parse_fault(reply.body).code == "NotImplemented");
}

bool is_absent(const S3Reply& reply) {
  constexpr long absent = 404;
  return reply.status == absent && parse_fault(reply.body).code != "NoSuchBucket";
}

Error refusal_of(const S3Url& url, const S3Reply& reply, const std::string& what) {
  const S3Fault fault = parse_fault(reply.body);
  std::string text = url.address() + ": " + what + ": " + text_of(reply, fault);
  const std::string region = printable(!reply.region.empty() ? reply.region : fault.region).substr(0, max_code_bytes);
  const bool elsewhere = !region.empty() && region != url.region;
  constexpr long wrong = 400, unauthorized = 401, forbidden = 403, absent = 404, no_room = 507;
  const bool moved = reply.status >= 300 && reply.status < wrong;
  // Keys that are valid for a while answer 400 once they are not.
  const bool keys = reply.status == unauthorized || reply.status == forbidden ||
                    (reply.status == wrong && (fault.code == "ExpiredToken" || fault.code == "InvalidToken"));
  if (elsewhere && (moved || reply.status == wrong))
    text += "; the bucket is in another region, write region=" + region;
  else if (moved)
    text += "; redirects are not followed, write the endpoint that answers for the bucket";
  else if (keys)
    return {ErrorCode::unauthorized, "refused: credentials: " + text + "; check the keys and their rights"};
  const bool permanent = moved || reply.status == wrong || reply.status == absent;
  return {permanent ? ErrorCode::rejected_input : reply.status == no_room ? ErrorCode::no_space : ErrorCode::io, text};
}

}  // namespace kvantage::inline s3
