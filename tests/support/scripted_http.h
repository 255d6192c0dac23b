// An HTTP server on a loopback port that answers as a test says: in the place of a bucket's answers whatever a hostile
// or confused server may send.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/scripted_listener.h"

namespace kvantage::test {

struct HttpMessage {
  std::string method, target;                  // "/bucket/name?query"
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

/// A whole answer.
inline std::string http_answer(int status, const std::string& body = {}, const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

/// What an empty bucket answers.
inline std::string answer_of_empty_bucket(const HttpMessage& request) {
  if (request.method == "PUT") return http_answer(200, {}, "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n");
  if (request.target.find("list-type=2") != std::string::npos)
    return http_answer(200,
                       "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  if (request.method == "DELETE") return "HTTP/1.1 204 No Content\r\n\r\n";
  if (request.method == "HEAD") return "HTTP/1.1 404 Not Found\r\n\r\n";
  return http_answer(404, "<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>");
}

class HttpPeer : public ScriptedPeer {
 public:
  using Message = HttpMessage;
  using ScriptedPeer::ScriptedPeer;

  std::optional<HttpMessage> read() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return std::nullopt;
    HttpMessage message;
    const std::string head = received_.substr(0, end);
    received_.erase(0, end + 4);
    const std::size_t line_end = head.find("\r\n");
    const std::string line = head.substr(0, line_end);
    message.method = line.substr(0, line.find(' '));
    message.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
    for (std::size_t at = line_end; at != std::string::npos && at < head.size();) {
      at += 2;
      const std::size_t next = head.find("\r\n", at);
      const std::string field = head.substr(at, next == std::string::npos ? next : next - at);
      const std::size_t colon = field.find(": ");
      if (colon != std::string::npos) {
        std::string name = field.substr(0, colon);
        for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        message.headers[name] = field.substr(colon + 2);
      }
      at = next;
    }
    if (!message.header("expect").empty() && !send("HTTP/1.1 100 Continue\r\n\r\n")) return std::nullopt;
    const auto length = static_cast<std::size_t>(std::atoll(message.header("content-length").c_str()));
    while (received_.size() < length)
      if (!receive()) return std::nullopt;
    message.body = received_.substr(0, length);
    received_.erase(0, length);
    return message;
  }
};

class ScriptedHttp : public ScriptedListener<HttpPeer> {
 public:
  explicit ScriptedHttp(Script script = {}) : ScriptedListener(std::move(script), answer_of_empty_bucket) {}

  std::string url() const {
    return "s3://archive/kv?endpoint=http://127.0.0.1:" + std::to_string(port()) + "&region=eu-test-1";
  }
  std::vector<HttpMessage> requests() const { return messages(); }
};

}  // namespace kvantage::test
