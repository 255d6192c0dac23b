#include "tiers/remote/redis_reply.h"

#include <valkey/read.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline remote {
namespace {

RedisReply::Kind kind_of(int type) {
  switch (type) {
    case VALKEY_REPLY_STRING:
    case VALKEY_REPLY_STATUS:
      return RedisReply::Kind::text;
    case VALKEY_REPLY_ERROR:
      return RedisReply::Kind::error;
    case VALKEY_REPLY_INTEGER:
      return RedisReply::Kind::integer;
    case VALKEY_REPLY_ARRAY:
      return RedisReply::Kind::list;
    default:
      return RedisReply::Kind::nil;
  }
}

// The reply at this position: the root, or the next item of the enclosing list. Null makes libvalkey reject the whole
// reply. A list grows as its items arrive, regardless of the announced length.
RedisReply* place_of(const valkeyReadTask* task) {
  auto& ledger = *static_cast<ReplyParser::Ledger*>(task->privdata);
  const auto refuse = [&ledger](std::string reason) {
    ledger.refusal = std::move(reason);
    return nullptr;
  };
  // Only RESP2 was negotiated.
  if (task->type != VALKEY_REPLY_NIL && kind_of(task->type) == RedisReply::Kind::nil)
    return refuse("a reply of an unexpected type");
  if (++ledger.elements > ledger.limits.elements)
    return refuse("a reply of more than " + std::to_string(ledger.limits.elements) + " elements");
  try {
    RedisReply* const reply =
        task->parent == nullptr ? new RedisReply : &static_cast<RedisReply*>(task->parent->obj)->items.emplace_back();
    reply->kind = kind_of(task->type);
    return reply;
  } catch (const std::bad_alloc&) {
    return refuse("a reply larger than the free memory");
  }
}

void* create_text(const valkeyReadTask* task, char* text, std::size_t length) {
  RedisReply* const reply = place_of(task);
  try {
    if (reply != nullptr) reply->text = reply->is_error() ? refusal_text({text, length}) : std::string(text, length);
  } catch (const std::bad_alloc&) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
  return reply;
}
void* create_list(const valkeyReadTask* task, std::size_t length) {
  auto& ledger = *static_cast<ReplyParser::Ledger*>(task->privdata);
  if (length <= ledger.limits.elements) return place_of(task);
  ledger.refusal = "a list of " + std::to_string(length) + " elements";
  return nullptr;
}
void* create_integer(const valkeyReadTask* task, long long value) {
  RedisReply* const reply = place_of(task);
  if (reply != nullptr) reply->integer = value;
  return reply;
}
void* create_nil(const valkeyReadTask* task) {
  RedisReply* const reply = place_of(task);
  if (reply != nullptr) reply->kind = RedisReply::Kind::nil;  // a list or value of length -1
  return reply;
}
void* create_double(const valkeyReadTask* task, double, char*, std::size_t) { return place_of(task); }
void* create_bool(const valkeyReadTask* task, int) { return place_of(task); }
void free_root(void* reply) { delete static_cast<RedisReply*>(reply); }

valkeyReplyObjectFunctions functions{create_text, create_list, create_integer, create_double,
                                     create_nil,  create_bool, free_root};

}  // namespace

std::string refusal_text(std::string_view text) {
  constexpr std::size_t max_bytes = 200;
  return printable(text.substr(0, max_bytes));
}

ReplyParser::ReplyParser(const ReplyLimits& limits)
    : ledger_{limits, 0, 0, {}}, reader_(::valkeyReaderCreateWithFunctions(&functions), &::valkeyReaderFree) {
  if (reader_ == nullptr) throw std::bad_alloc();
  reader_->privdata = &ledger_;
  reader_->maxelements = 0;  // create_list() enforces the limit
  reader_->maxdepth = limits.depth;
}

ReplyParser::~ReplyParser() = default;

// It quotes what was sent.
std::string ReplyParser::reader_error() const {
  std::string text = shown_line(reader_->errstr);
  std::ranges::replace(text, '"', '\'');
  return "an invalid reply (" + text + ")";
}

tl::unexpected<Error> ReplyParser::refused(const std::string& otherwise) const {
  return fail(ErrorCode::rejected_input, "the server sent " + (ledger_.refusal.empty() ? otherwise : ledger_.refusal) +
                                             ", which no KVantage store contains; check the address");
}

Status ReplyParser::feed(std::string_view bytes) {
  ledger_.bytes += bytes.size();
  if (::valkeyReaderFeed(reader_.get(), bytes.data(), bytes.size()) == VALKEY_OK) return {};
  return refused(reader_error());
}

Expected<std::optional<RedisReply>> ReplyParser::next() {
  void* found = nullptr;
  if (::valkeyReaderGetReply(reader_.get(), &found) != VALKEY_OK) return refused(reader_error());
  if (found == nullptr) {
    KV_TRY(check_unfinished());
    return std::optional<RedisReply>();
  }
  const std::unique_ptr<RedisReply> root(static_cast<RedisReply*>(found));
  ledger_.elements = 0;
  ledger_.bytes = reader_->len - reader_->pos;  // of the replies after it
  return std::optional(std::move(*root));
}

// Checks the received part of a reply before waiting for the rest.
Status ReplyParser::check_unfinished() {
  if (ledger_.bytes > ledger_.limits.bytes)
    return refused("a reply of more than " + format_bytes(ledger_.limits.bytes));
  if (reader_->ridx < 0 || reader_->pos >= reader_->len) return {};
  const std::string_view rest(reader_->buf + reader_->pos, reader_->len - reader_->pos);
  if (rest.substr(0, ledger_.limits.line_bytes).find("\r\n") == std::string_view::npos) {
    if (rest.size() < ledger_.limits.line_bytes) return {};
    return refused("a line of more than " + format_bytes(ledger_.limits.line_bytes));
  }
  // Do not wait for a value that exceeds the total limit.
  std::uint64_t announced = 0;
  if (reader_->task[reader_->ridx]->type == VALKEY_REPLY_STRING &&
      std::from_chars(rest.data(), rest.data() + rest.size(), announced).ec == std::errc{} &&
      announced > ledger_.limits.bytes)
    return refused("a value of " + std::to_string(announced) + " bytes");
  return {};
}

}  // namespace kvantage::inline remote
