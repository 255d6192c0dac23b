#include "core/kvpr/offloaded_column.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/base/clock.h"

namespace kvantage::inline kvpr {

std::unique_ptr<OffloadedColumn::Member> OffloadedColumn::join(BufferLender& lender) {
  std::uint64_t first = 0;
  for (const Member* member : members_) first = std::max(first, member->computed_);
  const auto depth = static_cast<std::uint64_t>(layers_);
  first = (first + depth - 1) / depth * depth;
  std::unique_ptr<Member> member(new Member(shared_from_this(), lender, first));
  members_.push_back(member.get());
  return member;
}

// Reads that nobody waits for any more are canceled. Their buffers belong to the members' lenders, so the last member
// waits until all are back.
void OffloadedColumn::leave(const Member& member) {
  std::erase(members_, &member);
  for (const auto& [ticket, read] : in_flight_)
    if (members_.empty() || read.expired()) tier_.cancel(ticket);
  receive(completions_.poll());
  while (members_.empty() && !in_flight_.empty()) receive(completions_.wait(1));
}

void OffloadedColumn::receive(std::vector<Completion> completions) {
  for (Completion& completion : completions) {
    const auto found = in_flight_.find(completion.ticket);
    if (found == in_flight_.end()) continue;
    if (const auto read = found->second.lock()) {
      MatrixRead::Part& part = read->keys_values.ticket == completion.ticket ? read->keys_values : read->others;
      part.buffer = std::move(completion.buffer);
      part.status = completion.status;
      part.arrived_seconds = static_cast<double>(completion.pushed_ns) * 1e-9;
      part.device_seconds = completion.device_seconds;
      part.arrived = true;
    }
    if (completion.last) in_flight_.erase(found);
  }
}

OffloadedColumn::Member::~Member() { column_->leave(*this); }

bool OffloadedColumn::Member::may_compute() const {
  return std::ranges::all_of(column_->members_, [this](const Member* other) { return other->computed_ >= computed_; });
}

double OffloadedColumn::Member::predicted_seconds_of_all() const {
  return std::transform_reduce(column_->members_.begin(), column_->members_.end(), 0.0, std::plus<>(),
                               [](const Member* member) { return member->predicted_seconds_; });
}

Status OffloadedColumn::Member::read(const std::shared_ptr<MatrixRead>& read, WeightPart which) {
  const WeightEntry& entry = column_->weights_->layer(read->layer);
  const bool first = which == WeightPart::keys_values;
  const ReadExtent& extent = first ? entry.keys_values : entry.others;
  MatrixRead::Part& part = read->part(which);
  std::vector<std::unique_ptr<LeasedBuffer>> buffers(1);
  KV_ASSIGN(buffers.front(), lender_.lease(extent.bytes));
  part.bytes = first ? entry.key_value_bytes : entry.other_bytes;
  part.ticket = column_->tier_.submit_read(entry.key, {extent}, std::move(buffers), column_->completions_);
  column_->in_flight_.emplace(part.ticket, read);
  weight_bytes_ += extent.bytes;
  return {};
}

Expected<std::shared_ptr<MatrixRead>> OffloadedColumn::Member::request() {
  if (column_->weights_ == nullptr) return nullptr;
  std::erase_if(column_->reads_, [](const auto& read) { return read.second.expired(); });
  const std::uint64_t place = requested_++;
  std::weak_ptr<MatrixRead>& known = column_->reads_[place];
  if (auto begun = known.lock()) return begun;
  auto begun = std::make_shared<MatrixRead>();
  begun->layer = static_cast<int>(place % static_cast<std::uint64_t>(column_->layers_));
  KV_TRY(read(begun, WeightPart::keys_values));
  if (column_->loading_ == WeightLoading::whole) KV_TRY(read(begun, WeightPart::others));
  known = begun;
  return begun;
}

Status OffloadedColumn::Member::complete(const std::shared_ptr<MatrixRead>& begun) {
  return begun == nullptr || begun->others.ticket != 0 ? Status() : read(begun, WeightPart::others);
}

bool OffloadedColumn::Member::arrived(const MatrixRead& read, double seconds) {
  const auto there = [&] { return read.keys_values.arrived && read.others.arrived; };
  column_->receive(column_->completions_.poll());
  if (seconds <= 0 || there()) return there();
  const Clock& clock = column_->tier_.clock();
  const double start = clock.seconds();
  column_->receive(column_->completions_.wait(seconds));
  waited_seconds_ += clock.seconds() - start;
  return there();
}

Status OffloadedColumn::Member::wait(const MatrixRead::Part& part) {
  column_->receive(column_->completions_.poll());
  if (!part.arrived) {
    const Clock& clock = column_->tier_.clock();
    const double start = clock.seconds();
    while (!part.arrived) column_->receive(column_->completions_.wait(1));
    waited_seconds_ += clock.seconds() - start;
  }
  return part.status;
}

}  // namespace kvantage::inline kvpr
