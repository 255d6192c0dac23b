#include "profiles/writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace kvantage::inline profiles {
namespace {

constexpr auto group_interval = std::chrono::milliseconds(100);
constexpr auto retry_interval = std::chrono::milliseconds(200);
constexpr std::size_t group_items = 4096;
constexpr int tries_while_waited_for = 3;
constexpr int tries_at_close = 5;

bool passes(const Error& error) {
  return error.code == ErrorCode::busy || error.code == ErrorCode::no_space || error.code == ErrorCode::io;
}

}  // namespace

DatabaseWriter::DatabaseWriter(Database database)
    : database_(std::move(database)), thread_([this] { write_until_closed(); }) {}

DatabaseWriter::~DatabaseWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void DatabaseWriter::post(DatabaseChange change) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(change), nullptr});
    if (queue_.size() != 1 && queue_.size() < group_items) return;  // a group is already being collected
  }
  wake_.notify_one();
}

Status DatabaseWriter::apply(DatabaseChange change) {
  auto promise = std::make_shared<std::promise<Status>>();
  std::future<Status> done = promise->get_future();
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(change), std::move(promise)});
    ++waiting_;
  }
  wake_.notify_one();
  return done.get();
}

Status DatabaseWriter::flush() {
  KV_TRY(apply([](Database&) { return Status{}; }));
  const std::lock_guard lock(mutex_);
  if (!lasting_error_) return {};
  Error error = *std::exchange(lasting_error_, std::nullopt);
  return tl::unexpected(std::move(error));
}

std::optional<Error> DatabaseWriter::take_trouble() {
  const std::lock_guard lock(mutex_);
  return std::exchange(trouble_, std::nullopt);
}

// Commits to a deleted file succeed: nobody would notice before the session ends.
void DatabaseWriter::check_file() {
  if (gone_ || !database_.file_is_gone()) return;
  const std::lock_guard lock(mutex_);
  gone_ = true;
  trouble_ = Error{ErrorCode::io, database_.name() +
                                      ": was deleted or replaced while it is written to, so nothing of this session is "
                                      "kept; start again to record into a new file"};
}

void DatabaseWriter::write_until_closed() {
  std::deque<Item> group;
  int tries = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (group.empty()) {
        wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        wake_.wait_for(lock, group_interval,
                       [this] { return closing_ || waiting_ > 0 || queue_.size() >= group_items; });
      } else {
        wake_.wait_for(lock, retry_interval, [this] { return closing_; });
      }
      std::move(queue_.begin(), queue_.end(), std::back_inserter(group));
      queue_.clear();
      waiting_ = 0;
    }
    if (write_group(group)) {
      tries = 0;
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (!closing_) continue;
    if (++tries < tries_at_close) continue;
    spdlog::error("{}: {} changes could not be written before closing", database_.name(), group.size());
    for (Item& item : group)
      if (item.waiting)
        item.waiting->set_value(fail(ErrorCode::io, database_.name() + ": closed before the change was written"));
    return;
  }
}

bool DatabaseWriter::write_group(std::deque<Item>& group) {
  std::optional<Error> passing;
  // Results are reported after the commit: a change counts only then.
  std::vector<std::pair<std::shared_ptr<std::promise<Status>>, Status>> answers;
  std::optional<Error> lasting;
  {
    auto transaction = Transaction::begin(database_);
    if (!transaction) passing = transaction.error();
    for (std::size_t i = 0; !passing && i < group.size(); ++i) {
      // A change that fails permanently is undone alone; the others of the group stay.
      Status status = database_.execute("SAVEPOINT change");
      if (status) {
        status = group[i].change(database_);
        if (Status ended = database_.execute(status ? "RELEASE change" : "ROLLBACK TO change; RELEASE change");
            !ended && (status || !passes(status.error())))
          status = std::move(ended);
      }
      if (!status && (passes(status.error()) || !database_.in_transaction()))
        passing = status.error();
      else if (group[i].waiting)
        answers.emplace_back(group[i].waiting, std::move(status));
      else if (!status && !lasting)
        lasting = status.error();
    }
    if (!passing)
      if (Status committed = transaction->commit(); !committed) passing = committed.error();
  }
  if (!passing) {
    group.clear();
    check_file();
    if (lasting) {
      spdlog::error("{}", lasting->message);
      const std::lock_guard lock(mutex_);
      if (!lasting_error_) lasting_error_ = std::move(lasting);
    }
    for (auto& [waiting, status] : answers) waiting->set_value(std::move(status));
    return true;
  }
  spdlog::warn("{} ({} changes wait)", passing->message, group.size());
  std::erase_if(group, [&](Item& item) {
    if (!item.waiting || ++item.tries < tries_while_waited_for) return false;
    item.waiting->set_value(tl::unexpected(*passing));
    return true;
  });
  return group.empty();
}

}  // namespace kvantage::inline profiles
