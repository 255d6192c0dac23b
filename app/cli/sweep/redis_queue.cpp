#include "app/cli/sweep/redis_queue.h"

#include <algorithm>

#include "app/cli/base/interrupts.h"
#include "app/cli/sweep/renewing_lease.h"
#include "core/base/executor.h"
#include "tiers/remote/redis_credentials.h"

namespace kvantage::cli {
namespace {

constexpr const char* group = "workers";

tl::unexpected<Error> unlike(const std::string& what) {
  return fail(ErrorCode::rejected_input,
              "sweep: the server's " + what + " was not written by this program; choose another --name");
}

/// A server that cannot be reached or does not answer is an input that cannot be used.
Error about_server(Error error) {
  if (error.code != ErrorCode::io) return error;
  if (error.message.find("; ") == std::string::npos) error.message += "; check --workers and that the server runs";
  return {ErrorCode::rejected_input, std::move(error.message)};
}

}  // namespace

RedisQueue::RedisQueue(std::unique_ptr<RedisConnection> connection, std::string url, const std::string& name)
    : connection_(std::move(connection)),
      url_(std::move(url)),
      name_(name),
      plan_("kvantage:sweep:" + name + ":plan"),
      cells_("kvantage:sweep:" + name + ":cells"),
      published_("kvantage:sweep:" + name + ":published"),
      results_("kvantage:sweep:" + name + ":results"),
      runs_("kvantage:sweep:" + name + ":runs"),
      failures_("kvantage:sweep:" + name + ":failures") {}

Expected<std::unique_ptr<RedisQueue>> RedisQueue::connect(const std::string& text, const std::string& name) {
  auto parsed = parse_redis_url(text);
  if (!parsed) return fail(ErrorCode::usage, "--workers: " + parsed.error().message);
  if (parsed->deployment.kind != RedisKind::server)
    return fail(ErrorCode::usage, "--workers: a sweep needs a single server; write redis://host:port");
  KV_ASSIGN(const auto url, with_credentials(std::move(*parsed), UrlSource::user));
  const auto give_up = [] { return interrupted(); };
  KV_ASSIGN(auto connection,
            RedisConnection::connect(url, {}, {.executor = system_executor()}, give_up).map_error(about_server));
  return std::unique_ptr<RedisQueue>(new RedisQueue(std::move(connection), text, name));
}

Expected<RedisReply> RedisQueue::ask(std::initializer_list<std::string_view> words) {
  auto reply = connection_->command(words).map_error(about_server);
  if (reply && reply->is_error() && reply->text.find("NOGROUP") != std::string::npos)
    return fail(
        ErrorCode::rejected_input,
        "sweep '" + printable(name_) + "': is no longer on the server; its owner distributes it again with --resume");
  if (reply && reply->is_error())
    return fail(ErrorCode::rejected_input, "sweep: the server refused " + std::string(*words.begin()) + ": " +
                                               reply->text + "; check its version (6.2 or newer) and rights");
  return reply;
}

Expected<bool> RedisQueue::exists() {
  KV_ASSIGN(const auto reply, ask({"EXISTS", plan_, cells_, results_, published_}));
  return reply.integer > 0;
}

Expected<bool> RedisQueue::is_published() {
  KV_ASSIGN(const auto reply, ask({"EXISTS", plan_}));
  return reply.integer > 0;
}

Status RedisQueue::forget_failures(const std::set<std::string>& held) {
  KV_ASSIGN(const auto forgotten, forgettable(held));
  constexpr std::string_view script =
      "redis.call('HDEL', KEYS[1], ARGV[1]) redis.call('HDEL', KEYS[2], ARGV[1]) redis.call('SREM', KEYS[3], ARGV[1]) "
      "return 1";
  for (const std::string& id : forgotten) KV_TRY(ask({"EVAL", script, "3", results_, failures_, published_, id}));
  return {};
}

Status RedisQueue::publish(const SweepPlan& plan, const std::set<std::string>& held) {
  KV_ASSIGN(const auto made,
            connection_->command({"XGROUP", "CREATE", cells_, group, "0", "MKSTREAM"}).map_error(about_server));
  if (made.is_error() && !made.text.starts_with("BUSYGROUP")) return unlike("stream");
  KV_TRY(ask({"SET", plan_, dump_json(to_json(plan))}));
  // Atomic: marked as published and added to the stream, or neither.
  constexpr std::string_view script =
      "if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then redis.call('XADD', KEYS[2], '*', 'id', ARGV[1], 'cell', "
      "ARGV[2]) end return 1";
  const CellIds ids(plan);
  for (const SweepCell& cell : plan.cells) {
    if (const std::string id = ids.of(cell); held.contains(id)) {
      KV_TRY(ask({"HSETNX", results_, id, "{\"held\":true}"}));
      continue;
    }
    KV_TRY(ask({"EVAL", script, "2", published_, cells_, ids.of(cell), dump_json(to_json(cell))}));
  }
  return {};
}

Expected<std::set<std::string>> RedisQueue::finished() {
  KV_ASSIGN(const auto reply, ask({"HKEYS", results_}));
  std::set<std::string> ids;
  for (const RedisReply& item : reply.items) ids.insert(item.text);
  return ids;
}

Expected<std::optional<Json>> RedisQueue::result(const std::string& id) {
  KV_ASSIGN(const auto reply, ask({"HGET", results_, id}));
  if (!reply.is_text()) return std::optional<Json>();
  KV_ASSIGN(auto json, parse_json(reply.text, "result of cell " + id));
  return std::optional(std::move(json));
}

Expected<std::optional<SweepPlan>> RedisQueue::plan() {
  KV_ASSIGN(const auto reply, ask({"GET", plan_}));
  if (!reply.is_text()) return std::optional<SweepPlan>();
  KV_ASSIGN(const auto json, parse_json(reply.text, "the sweep's plan"));
  KV_ASSIGN(auto plan, sweep_plan_from_json(json, "the sweep's plan"));
  return std::optional(std::move(plan));
}

Expected<std::optional<RedisQueue::Taken>> RedisQueue::taken_from(const RedisReply& messages, bool from_another) {
  if (messages.items.empty()) return std::optional<Taken>();
  const RedisReply& message = messages.items.front();
  if (message.items.size() != 2 || message.items[1].items.size() != 4) return unlike("stream");
  Taken taken;
  taken.message = message.items[0].text;
  taken.id = message.items[1].items[1].text;
  taken.from_another = from_another;
  KV_ASSIGN(const auto json, parse_json(message.items[1].items[3].text, "cell " + printable(taken.id)));
  KV_ASSIGN(auto cell, sweep_cell_from_json(json, "cell " + printable(taken.id)));
  taken.cell = std::move(cell);
  return std::optional(std::move(taken));
}

Expected<std::optional<RedisQueue::Taken>> RedisQueue::take(const std::string& worker, double lease_seconds) {
  KV_ASSIGN(const auto fresh, ask({"XREADGROUP", "GROUP", group, worker, "COUNT", "1", "STREAMS", cells_, ">"}));
  if (!fresh.items.empty()) {
    if (fresh.items.front().items.size() != 2) return unlike("stream");
    return taken_from(fresh.items.front().items[1], false);
  }
  KV_ASSIGN(const auto left, ask({"XAUTOCLAIM", cells_, group, worker,
                                  std::to_string(static_cast<long long>(lease_seconds * 1000)), "0", "COUNT", "1"}));
  if (left.items.size() < 2) return unlike("stream");
  return taken_from(left.items[1], true);
}

Expected<bool> RedisQueue::has_result(const std::string& id) {
  KV_ASSIGN(const auto reply, ask({"HEXISTS", results_, id}));
  return reply.integer == 1;
}

Expected<bool> RedisQueue::finish(const Taken& taken, const Json& result, const std::string& run_text) {
  // Atomic: a result is never visible without its run, or vice versa. Nothing is written to a deleted sweep.
  constexpr std::string_view script =
      "if redis.call('EXISTS', KEYS[3]) == 0 then return redis.error_reply('NOGROUP') end "
      "local first = redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) "
      "if first == 1 and ARGV[3] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3]) end "
      "redis.call('XACK', KEYS[3], ARGV[4], ARGV[5]) return first";
  KV_ASSIGN(const auto set, ask({"EVAL", script, "3", results_, runs_, cells_, taken.id, dump_json(result), run_text,
                                 group, taken.message}));
  return set.integer == 1;
}

Status RedisQueue::hand_back(const Taken& taken, const std::string& worker, const std::string& why) {
  // Only the current holder of the message may return it: it may have been taken over by another.
  constexpr std::string_view script =
      "if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('NOGROUP') end "
      "if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 0 or redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1 then "
      "return 0 end "
      "local told = redis.call('HGET', KEYS[3], ARGV[3]) "
      "told = (told and told .. '\\n' or '') .. ARGV[5] "
      "redis.call('HSET', KEYS[3], ARGV[3], told) "
      "local _, lines = string.gsub(told, '\\n', '') "
      "if lines + 1 >= tonumber(ARGV[6]) then redis.call('HSETNX', KEYS[2], ARGV[3], ARGV[7]) "
      "else redis.call('XADD', KEYS[1], '*', 'id', ARGV[3], 'cell', ARGV[4]) end return 1";
  KV_TRY(ask({"EVAL", script, "3", cells_, results_, failures_, group, taken.message, taken.id,
              dump_json(to_json(taken.cell)), failure_line(worker, why), std::to_string(max_attempts),
              dump_json(failure_of(taken.cell, worker, why))}));
  return {};
}

Expected<std::map<std::string, std::vector<std::string>>> RedisQueue::failures() {
  KV_ASSIGN(const auto reply, ask({"HGETALL", failures_}));
  std::map<std::string, std::vector<std::string>> told;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    std::vector<std::string>& lines = told[reply.items[i].text];
    const std::string& text = reply.items[i + 1].text;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return told;
}

Expected<std::optional<std::string>> RedisQueue::run_of(const std::string& id) {
  KV_ASSIGN(auto reply, ask({"HGET", runs_, id}));
  return reply.is_text() ? std::optional(std::move(reply.text)) : std::nullopt;
}

Status RedisQueue::forget_run(const std::string& id) {
  KV_TRY(ask({"HDEL", runs_, id}));
  return {};
}

Status RedisQueue::renew(const std::string& worker, const Taken& taken) {
  KV_ASSIGN(const auto pending, ask({"XPENDING", cells_, group, taken.message, taken.message, "1"}));
  if (pending.items.size() != 1 || pending.items[0].items.size() < 2 || pending.items[0].items[1].text != worker)
    return {};
  KV_TRY(ask({"XCLAIM", cells_, group, worker, "0", taken.message, "JUSTID"}));
  return {};
}

std::unique_ptr<SweepLease> RedisQueue::renewing(const std::string& worker, const Taken& taken, double lease_seconds) {
  auto queue = std::make_shared<std::unique_ptr<RedisQueue>>();
  return std::make_unique<RenewingLease>(lease_seconds / 4,
                                         [url = url_, name = name_, worker, taken, queue = std::move(queue)] {
                                           // Retries while the server is briefly away; if it stays away, the cell goes
                                           // to another worker.
                                           if (*queue == nullptr)
                                             if (auto made = connect(url, name)) *queue = std::move(*made);
                                           if (*queue != nullptr && !(*queue)->renew(worker, taken)) queue->reset();
                                         });
}

SweepPlace RedisQueue::place() const {
  return {.sweep = "sweep '" + printable(name_) + "'",
          .where = "on the server",
          .another = "--name",
          .lost = "its keys were deleted, or the server lost its data",
          .worker_words = "--name " + name_ + " --workers " + without_credentials(url_)};
}

}  // namespace kvantage::cli
