#include "tiers/s3/s3_refusal.h"

#include "core/base/json.h"
#include "tiers/s3/s3_xml.h"

namespace kvantage::inline s3 {

Error refusal_of(const S3Url& url, const S3Reply& reply, const std::string& what) {
  constexpr std::size_t max_code_bytes = 64, max_message_bytes = 200;
  const S3Fault fault = parse_fault(reply.body);
  std::string text = url.address() + ": " + what + ": " + std::to_string(reply.status);
  if (!fault.code.empty()) text += " " + printable(std::string_view(fault.code).substr(0, max_code_bytes));
  if (!fault.message.empty()) text += ": " + printable(std::string_view(fault.message).substr(0, max_message_bytes));
  const std::string region = printable(!reply.region.empty() ? reply.region : fault.region).substr(0, max_code_bytes);
  const bool elsewhere = !region.empty() && region != url.region;
  constexpr long wrong = 400, unauthorized = 401, forbidden = 403, absent = 404, no_room = 507;
  const bool moved = reply.status >= 300 && reply.status < wrong;
  if (elsewhere && (moved || reply.status == wrong))
    text += "; the bucket is in another region, write region=" + region;
  else if (moved)
    text += "; redirects are not followed, write the endpoint that answers for the bucket";
  const bool permanent = moved || reply.status == wrong || reply.status == unauthorized || reply.status == forbidden ||
                         reply.status == absent;
  return {permanent ? ErrorCode::rejected_input : reply.status == no_room ? ErrorCode::no_space : ErrorCode::io, text};
}

}  // namespace kvantage::inline s3
