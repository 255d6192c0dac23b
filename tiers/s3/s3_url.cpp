#include "tiers/s3/s3_url.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "tiers/url_text.h"

namespace kvantage::inline s3 {
namespace {

constexpr std::string_view s3_scheme = "s3://";
constexpr std::string_view s3_default_prefix = "kvantage", s3_default_region = "us-east-1";
constexpr const char* s3_right_form = "write url=s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION";

tl::unexpected<Error> s3_usage(const std::string& reason, const std::string& mend = s3_right_form) {
  return fail(ErrorCode::usage, "url: " + reason + "; " + mend);
}

bool all_of_letters(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [others](unsigned char letter) {
    return letter < 0x80 && (std::isalnum(letter) != 0 || others.find(static_cast<char>(letter)) != others.npos);
  });
}

// As Amazon allows them now; older names with capitals are not reachable by host name.
Status check_bucket(std::string_view bucket) {
  constexpr std::size_t shortest = 3, longest = 63;
  if (bucket.empty()) return s3_usage("no bucket");
  const bool plain = std::ranges::all_of(bucket, [](unsigned char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
  });
  if (!plain || bucket.size() < shortest || bucket.size() > longest || bucket.find("..") != bucket.npos ||
      bucket.front() == '.' || bucket.front() == '-' || bucket.back() == '.' || bucket.back() == '-')
    return s3_usage(quoted_part(bucket) + " is not the name of a bucket",
                    "it has 3 to 63 lower-case letters, digits, dots and hyphens");
  return {};
}

Status check_key_prefix(std::string_view prefix) {
  constexpr std::size_t longest = 256;
  const bool dots = prefix.find("//") != prefix.npos || ("/" + std::string(prefix) + "/").find("/./") != prefix.npos ||
                    ("/" + std::string(prefix) + "/").find("/../") != prefix.npos;
  if (prefix.size() > longest || dots || !all_of_letters(prefix, "-_./"))
    return s3_usage(quoted_part(prefix) + " is not a prefix of keys",
                    "it has up to 256 letters, digits, -, _, . and single slashes, and no folder . or ..");
  return {};
}

Status read_endpoint(std::string_view text, S3Url& url) {
  const std::string mend = "write endpoint=https://HOST:PORT";
  constexpr std::string_view secure = "https://", plain = "http://";
  if (text.find('@') != text.npos) return s3_usage("an endpoint holds no keys", mend);
  url.tls = text.starts_with(secure);
  if (!url.tls && !text.starts_with(plain))
    return s3_usage("endpoint " + quoted_part(text) + " does not begin with https:// or http://", mend);
  std::string_view rest = text.substr(url.tls ? secure.size() : plain.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  url.port = url.tls ? 443 : 80;
  std::string_view port;
  bool has_port = false;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == rest.npos) return s3_usage("the [ of an IPv6 address is not closed", mend);
    url.host = rest.substr(1, close - 1);
    const std::string_view after = rest.substr(close + 1);
    if (!after.empty() && !after.starts_with(':')) return s3_usage(quoted_part(after) + " follows the address", mend);
    has_port = !after.empty();
    if (has_port) port = after.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    url.host = rest.substr(0, colon);
    has_port = colon != rest.npos;
    if (has_port) port = rest.substr(colon + 1);
  }
  constexpr std::size_t longest_host = 253;
  const std::string_view others = rest.starts_with('[') ? ":." : "-._";
  if (url.host.empty() || url.host.size() > longest_host || !all_of_letters(url.host, others))
    return s3_usage("endpoint: " + quoted_part(url.host) + " is not a host name", mend);
  if (!has_port) return {};
  const auto number = number_within(port, 1, 65535);
  if (!number) return s3_usage("endpoint: " + quoted_part(port) + " is not a port", "give one from 1 to 65535");
  url.port = *number;
  return {};
}

Status check_region(std::string_view region) {
  constexpr std::size_t longest = 64;
  if (region.empty() || region.size() > longest || !all_of_letters(region, "-_"))
    return s3_usage("region " + quoted_part(region) + " is not a region", "write one like region=eu-central-1");
  return {};
}

std::string in_brackets_if_v6(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string s3_origin(bool tls, const std::string& host, int port) {
  const bool default_port = port == (tls ? 443 : 80);
  return (tls ? "https://" : "http://") + in_brackets_if_v6(host) +
         (default_port ? std::string() : ":" + std::to_string(port));
}

/// Parameters as written, before defaults.
struct S3Parameters {
  std::optional<std::string> endpoint = {}, region = {}, addressing_style = {};
};

Expected<S3Parameters> read_s3_parameters(std::string_view text) {
  S3Parameters read;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end), name = part.substr(0, part.find('='));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::optional<std::string>* const place = name == "endpoint"           ? &read.endpoint
                                              : name == "region"           ? &read.region
                                              : name == "addressing_style" ? &read.addressing_style
                                                                           : nullptr;
    const auto value = name.size() < part.size() ? percent_decoded(part.substr(name.size() + 1)) : std::nullopt;
    if (place == nullptr || !value)
      return s3_usage("what follows the ? is not a parameter", "they are endpoint=, region= and addressing_style=");
    if (place->has_value()) return s3_usage(std::string(name) + " is given twice", "leave one out");
    *place = *value;
  }
  return read;
}

}  // namespace

bool is_s3_url(std::string_view text) { return text.starts_with(s3_scheme); }

bool S3Url::is_amazon() const {
  const std::string of_region = "s3." + region + ".amazonaws.com";
  return tls && port == 443 && (host == of_region || host == of_region + ".cn");
}

bool S3Url::bucket_in_host() const {
  if (addressing != S3Addressing::automatic) return addressing == S3Addressing::host;
  return is_amazon() && bucket.find('.') == std::string::npos;
}

std::string S3Url::origin() const { return s3_origin(tls, server_host(), port); }

std::string S3Url::address() const {
  return std::string(s3_scheme) + bucket + "/" + prefix + " at " + in_brackets_if_v6(host) + ":" + std::to_string(port);
}

std::string S3Url::shown() const {
  std::string text = std::string(s3_scheme) + bucket + "/" + prefix + "?endpoint=" + s3_origin(tls, host, port);
  text += "&region=" + region;
  if (addressing != S3Addressing::automatic)
    text += std::string("&addressing_style=") + (addressing == S3Addressing::host ? "virtual" : "path");
  return text;
}

Expected<S3Url> parse_s3_url(std::string_view text, const S3Defaults& defaults) {
  if (!is_s3_url(text)) return s3_usage("it does not begin with s3://");
  std::string_view rest = text.substr(s3_scheme.size());
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  const std::string_view parameters = rest.substr(std::min(mark + 1, rest.size()));
  rest = rest.substr(0, mark);
  if (rest.find('@') != rest.npos)
    return s3_usage("an address of a bucket holds no keys",
                    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into the file of S3 keys");
  S3Url url;
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.bucket = rest.substr(0, slash);
  KV_TRY(check_bucket(url.bucket));
  std::string_view prefix = rest.substr(slash);
  while (prefix.starts_with('/')) prefix.remove_prefix(1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  url.prefix = prefix.empty() ? s3_default_prefix : prefix;
  KV_TRY(check_key_prefix(url.prefix));
  KV_ASSIGN(const auto written, read_s3_parameters(parameters));
  url.region = written.region ? *written.region : defaults.region;
  if (url.region.empty() && !written.region) url.region = s3_default_region;
  KV_TRY(check_region(url.region));
  std::string endpoint = written.endpoint ? *written.endpoint : defaults.endpoint;
  if (endpoint.empty() && !written.endpoint) endpoint = "https://s3." + url.region + ".amazonaws.com";
  KV_TRY(read_endpoint(endpoint, url));
  if (written.addressing_style) {
    const std::string& style = *written.addressing_style;
    if (style != "path" && style != "virtual")
      return s3_usage("addressing_style " + quoted_part(style) + " is neither path nor virtual",
                      "leave it out for what fits the endpoint");
    url.addressing = style == "path" ? S3Addressing::path : S3Addressing::host;
  }
  return url;
}

}  // namespace kvantage::inline s3
