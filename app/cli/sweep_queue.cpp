#include "app/cli/sweep_queue.h"

#include <chrono>
#include <cstdlib>

namespace kvantage::cli {
namespace {

constexpr const char* group = "workers";

tl::unexpected<Error> unlike(const std::string& what) {
  return fail(ErrorCode::rejected_input, "sweep: the server's " + what + " is not as written here; choose another --name");
}

}  // namespace

SweepQueue::SweepQueue(std::unique_ptr<RedisConnection> connection, const std::string& name)
    : connection_(std::move(connection)),
      plan_("kvantage:sweep:" + name + ":plan"),
      cells_("kvantage:sweep:" + name + ":cells"),
      published_("kvantage:sweep:" + name + ":published"),
      results_("kvantage:sweep:" + name + ":results") {}

Expected<std::unique_ptr<SweepQueue>> SweepQueue::connect(const std::string& text, const std::string& name) {
  auto url = parse_redis_url(text);
  if (!url) return fail(ErrorCode::usage, "--workers: " + url.error().message);
  if (const char* password = std::getenv(redis_password_variable); password != nullptr && url->password.empty()) url->password = password;
  auto connection = RedisConnection::connect(*url, {});
  if (!connection) return tl::unexpected(connection.error());
  return std::unique_ptr<SweepQueue>(new SweepQueue(std::move(*connection), name));
}

Expected<RedisReply> SweepQueue::ask(std::initializer_list<std::string_view> words) {
  auto reply = connection_->command(words);
  if (reply && reply->is_error()) return fail(ErrorCode::rejected_input, "sweep: the server refused " + std::string(*words.begin()) + ": " + reply->text + "; check its version (6.2 or newer) and rights");
  return reply;
}

Expected<bool> SweepQueue::exists() {
  const auto reply = ask({"EXISTS", plan_, cells_, results_});
  if (!reply) return tl::unexpected(reply.error());
  return reply->integer > 0;
}

Status SweepQueue::forget() {
  const auto reply = ask({"DEL", plan_, cells_, published_, results_});
  return reply ? Status() : tl::unexpected(reply.error());
}

Status SweepQueue::publish(const SweepPlan& plan) {
  const auto made = connection_->command({"XGROUP", "CREATE", cells_, group, "0", "MKSTREAM"});
  if (!made) return tl::unexpected(made.error());
  if (made->is_error() && !made->text.starts_with("BUSYGROUP")) return unlike("stream");
  const auto set = ask({"SET", plan_, to_json(plan).dump()});
  if (!set) return tl::unexpected(set.error());
  // Known as published and in the stream at once, or neither.
  constexpr std::string_view script =
      "if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then redis.call('XADD', KEYS[2], '*', 'id', ARGV[1], 'cell', ARGV[2]) end return 1";
  for (const SweepCell& cell : plan.cells) {
    const auto added = ask({"EVAL", script, "2", published_, cells_, cell_id(plan, cell), to_json(cell).dump()});
    if (!added) return tl::unexpected(added.error());
  }
  return {};
}

Expected<std::set<std::string>> SweepQueue::finished() {
  const auto reply = ask({"HKEYS", results_});
  if (!reply) return tl::unexpected(reply.error());
  std::set<std::string> ids;
  for (const RedisReply& item : reply->items) ids.insert(item.text);
  return ids;
}

Expected<std::optional<Json>> SweepQueue::result(const std::string& id) {
  const auto reply = ask({"HGET", results_, id});
  if (!reply) return tl::unexpected(reply.error());
  if (!reply->is_text()) return std::optional<Json>();
  auto json = parse_json(reply->text, "result of cell " + id);
  if (!json) return tl::unexpected(json.error());
  return std::optional(std::move(*json));
}

Expected<std::optional<SweepPlan>> SweepQueue::plan() {
  const auto reply = ask({"GET", plan_});
  if (!reply) return tl::unexpected(reply.error());
  if (!reply->is_text()) return std::optional<SweepPlan>();
  const auto json = parse_json(reply->text, "the sweep's plan");
  if (!json) return tl::unexpected(json.error());
  auto plan = sweep_plan_from_json(*json, "the sweep's plan");
  if (!plan) return tl::unexpected(plan.error());
  return std::optional(std::move(*plan));
}

Expected<std::optional<SweepQueue::Taken>> SweepQueue::taken_from(const RedisReply& messages, bool from_another) {
  if (messages.items.empty()) return std::optional<Taken>();
  const RedisReply& message = messages.items.front();
  if (message.items.size() != 2 || message.items[1].items.size() != 4) return unlike("stream");
  Taken taken;
  taken.message = message.items[0].text;
  taken.id = message.items[1].items[1].text;
  taken.from_another = from_another;
  const auto json = parse_json(message.items[1].items[3].text, "cell " + printable(taken.id));
  if (!json) return tl::unexpected(json.error());
  auto cell = sweep_cell_from_json(*json, "cell " + printable(taken.id));
  if (!cell) return tl::unexpected(cell.error());
  taken.cell = std::move(*cell);
  return std::optional(std::move(taken));
}

Expected<std::optional<SweepQueue::Taken>> SweepQueue::take(const std::string& worker, double lease_seconds) {
  const auto fresh = ask({"XREADGROUP", "GROUP", group, worker, "COUNT", "1", "STREAMS", cells_, ">"});
  if (!fresh) return tl::unexpected(fresh.error());
  if (!fresh->items.empty()) {
    if (fresh->items.front().items.size() != 2) return unlike("stream");
    return taken_from(fresh->items.front().items[1], false);
  }
  const auto left = ask({"XAUTOCLAIM", cells_, group, worker, std::to_string(static_cast<long long>(lease_seconds * 1000)), "0", "COUNT", "1"});
  if (!left) return tl::unexpected(left.error());
  if (left->items.size() < 2) return unlike("stream");
  return taken_from(left->items[1], true);
}

Expected<bool> SweepQueue::has_result(const std::string& id) {
  const auto reply = ask({"HEXISTS", results_, id});
  if (!reply) return tl::unexpected(reply.error());
  return reply->integer == 1;
}

Expected<bool> SweepQueue::finish(const Taken& taken, const Json& result) {
  const auto set = ask({"HSETNX", results_, taken.id, result.dump()});
  if (!set) return tl::unexpected(set.error());
  const auto done = ask({"XACK", cells_, group, taken.message});
  if (!done) return tl::unexpected(done.error());
  return set->integer == 1;
}

Status SweepQueue::renew(const std::string& worker, const Taken& taken) {
  const auto pending = ask({"XPENDING", cells_, group, taken.message, taken.message, "1"});
  if (!pending) return tl::unexpected(pending.error());
  if (pending->items.size() != 1 || pending->items[0].items.size() < 2 || pending->items[0].items[1].text != worker) return {};
  const auto claimed = ask({"XCLAIM", cells_, group, worker, "0", taken.message, "JUSTID"});
  return claimed ? Status() : tl::unexpected(claimed.error());
}

SweepLease::SweepLease(std::string url, std::string name, std::string worker, SweepQueue::Taken taken, double lease_seconds)
    : thread_([this, url = std::move(url), name = std::move(name), worker = std::move(worker), taken = std::move(taken), lease_seconds] {
        std::unique_ptr<SweepQueue> queue;
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, std::chrono::duration<double>(lease_seconds / 4), [this] { return over_; })) {
          lock.unlock();
          // A server that is away for a moment is asked again; one that stays away lets the cell go to another.
          if (queue == nullptr)
            if (auto made = SweepQueue::connect(url, name)) queue = std::move(*made);
          if (queue != nullptr && !queue->renew(worker, taken)) queue.reset();
          lock.lock();
        }
      }) {}

SweepLease::~SweepLease() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace kvantage::cli
