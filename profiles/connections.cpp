#include "profiles/connections.h"

namespace kvantage::inline profiles {

Expected<ReadLease> Connections::read() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Database database = std::move(idle_.back());
      idle_.pop_back();
      return ReadLease(*this, std::move(database));
    }
  }
  KV_ASSIGN(auto database, Database::open(path_, read_mode_));
  return ReadLease(*this, std::move(database));
}

ReadLease::~ReadLease() {
  constexpr std::size_t idle_connections = 4;
  if (home_ == nullptr) return;
  const std::lock_guard lock(home_->mutex_);
  if (home_->idle_.size() < idle_connections) home_->idle_.push_back(std::move(database_));
}

Status Connections::write(DatabaseChange change) {
  if (!writer_) return fail(ErrorCode::rejected_input, name() + ": opened for reading only; nothing was written");
  return writer_->apply(std::move(change));
}

}  // namespace kvantage::inline profiles
