#include "tiers/ring.h"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace kvantage::inline tiers {
namespace {

constexpr int refusals_forgiven = 1000;  // in a row: the kernel is temporarily short of resources

}  // namespace

/// One batch in progress on the ring.
class Ring::Run {
 public:
  Run(Ring& ring, PosixFile& file, TransferBatch& batch, Direction direction)
      : ring_(ring), file_(file), planner_(batch, planner_limits(ring.limits_)), direction_(direction) {
    for (std::size_t slot = depth; slot > 0; --slot) free_slots_.push_back(slot - 1);
  }

  Status operator()() {
    while (true) {
      fill();
      if (in_flight_ == 0) break;
      wait();
      fill();  // before the batch processes completions, which may take time
      if (status_) keep_first(planner_.deliver());
    }
    return status_;
  }

 private:
  struct Slot {
    DeviceRequest request;
    std::uint64_t asked_bytes = 0;  // counted as in flight
    std::uint64_t first = 0;        // start offset
    bool direct = false;
    int refusals = 0;
  };

  static RequestLimits planner_limits(const Limits& limits) {
    RequestLimits made;
    made.request_bytes = std::max<std::uint64_t>(4096, std::min(limits.request_bytes, limits.bytes_in_flight));
    made.first_bytes = std::max<std::uint64_t>(4096, limits.first_bytes);
    return made;
  }

  void keep_first(Status status) {
    if (status_ && !status) status_ = std::move(status);
  }

  std::uint64_t max_bytes_in_flight() const {
    const Limits& limits = ring_.limits_;
    return complete_bytes_ < limits.bytes_in_flight ? limits.bytes_in_flight
                                                    : std::max(limits.bytes_in_flight, limits.later_bytes_in_flight);
  }

  // Submits as many requests as may be in flight.
  void fill() {
    while (
        status_ && !ring_.broken_ && !free_slots_.empty() &&
        (in_flight_ == 0 || bytes_in_flight_ + planner_limits(ring_.limits_).request_bytes <= max_bytes_in_flight())) {
      std::optional<DeviceRequest> request = planner_.next();
      if (!request) break;
      const std::size_t index = free_slots_.back();
      free_slots_.pop_back();
      slots_[index] = Slot{std::move(*request), 0, 0, false, 0};
      slots_[index].asked_bytes = slots_[index].request.bytes;
      slots_[index].first = slots_[index].request.offset;
      ++in_flight_;
      bytes_in_flight_ += slots_[index].asked_bytes;
      if (bytes_in_flight_ > ring_.peak_) ring_.peak_ = bytes_in_flight_;
      prepare(index);
    }
    if (!ring_.broken_ && io_uring_sq_ready(ring_.ring_.get()) > 0) submit(0);
  }

  void prepare(std::size_t index) {
    Slot& slot = slots_[index];
    const DeviceRequest& request = slot.request;
    slot.direct = file_.direct();
    io_uring_sqe* const sqe = io_uring_get_sqe(ring_.ring_.get());  // there is one per slot
    const int fd = file_.fd();
    const iovec& first = request.parts.front();
    const auto length = static_cast<unsigned>(first.iov_len);
    const bool reading = direction_ == Direction::read;
    const int registered = request.parts.size() == 1
                               ? ring_.registered_index({static_cast<const std::byte*>(first.iov_base), first.iov_len})
                               : -1;
    if (registered >= 0) {
      ++ring_.registered_requests_;
      if (reading)
        io_uring_prep_read_fixed(sqe, fd, first.iov_base, length, request.offset, registered);
      else
        io_uring_prep_write_fixed(sqe, fd, first.iov_base, length, request.offset, registered);
    } else if (request.parts.size() == 1) {
      if (reading)
        io_uring_prep_read(sqe, fd, first.iov_base, length, request.offset);
      else
        io_uring_prep_write(sqe, fd, first.iov_base, length, request.offset);
    } else {
      const auto parts = static_cast<unsigned>(request.parts.size());
      if (reading)
        io_uring_prep_readv(sqe, fd, request.parts.data(), parts, request.offset);
      else
        io_uring_prep_writev(sqe, fd, request.parts.data(), parts, request.offset);
    }
    io_uring_sqe_set_data64(sqe, index);
    ++ring_.requests_;
  }

  // Submits prepared requests and waits for `wanted` completions.
  void submit(unsigned wanted) {
    const int done =
        wanted == 0 ? io_uring_submit(ring_.ring_.get()) : io_uring_submit_and_wait(ring_.ring_.get(), wanted);
    // Requests that it could not accept now stay prepared for the next call.
    const bool busy = done == -EINTR || done == -EAGAIN || done == -EBUSY;
    refusals_ = busy ? refusals_ + 1 : 0;
    if (done >= 0 || (busy && refusals_ < refusals_forgiven)) return;
    keep_first(fail_errno(-done, file_.path(), "the request ring failed"));
    ring_.broken_ = true;
    in_flight_ -= io_uring_sq_ready(ring_.ring_.get());  // these never started
  }

  void wait() {
    if (!ring_.broken_) submit(1);
    io_uring_cqe* cqe = nullptr;
    if (ring_.broken_ && in_flight_ > 0) {
      const int waited = io_uring_wait_cqe(ring_.ring_.get(), &cqe);
      // Requests in flight still write to their memory and complete in the shared queue, even if the call fails.
      if (waited < 0 && waited != -EINTR && !poll_again()) in_flight_ = 0;
    }
    while (io_uring_peek_cqe(ring_.ring_.get(), &cqe) == 0) {
      const auto index = static_cast<std::size_t>(io_uring_cqe_get_data64(cqe));
      const int result = cqe->res;
      io_uring_cqe_seen(ring_.ring_.get(), cqe);
      complete(index, result);
    }
  }

  // Sleeps briefly. False when waiting for the requests in flight has failed for a minute.
  bool poll_again() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ++looks_ < 60'000;
  }

  void complete(std::size_t index, int result) {
    Slot& slot = slots_[index];
    if (result < 0 && status_ && !ring_.broken_) {
      const bool again = (result == -EINTR || result == -EAGAIN) && ++slot.refusals < refusals_forgiven;
      const bool buffered_now =
          result == -EINVAL && slot.direct && (file_.leave_direct_mode(EINVAL) || !file_.direct());
      if (again || buffered_now) return prepare(index);
    }
    const bool reading = direction_ == Direction::read;
    if (result < 0) {
      keep_first(fail_errno(-result, file_.path(), reading ? "cannot be read" : "cannot be written"));
    } else if (result == 0) {
      keep_first(reading ? fail_cut_off(file_.path(), slot.request.offset, slot.request.bytes)
                         : fail_errno(ENOSPC, file_.path(), "cannot be written"));
    } else {
      slot.request.advance(static_cast<std::size_t>(result));
      if (slot.request.bytes > 0 && status_ && !ring_.broken_) return prepare(index);
      if (slot.request.bytes == 0) {
        if (reading) file_.drop_page_cache(slot.first, slot.asked_bytes);
        planner_.finish(slot.request);
      }
    }
    --in_flight_;
    bytes_in_flight_ -= slot.asked_bytes;
    complete_bytes_ += slot.asked_bytes;
    free_slots_.push_back(index);
  }

  Ring& ring_;
  PosixFile& file_;
  RequestPlanner planner_;
  const Direction direction_;
  Slot slots_[depth];
  std::vector<std::size_t> free_slots_;
  std::size_t in_flight_ = 0;  // requests
  std::uint64_t bytes_in_flight_ = 0;
  std::uint64_t complete_bytes_ = 0;
  int refusals_ = 0;
  int looks_ = 0;  // while the ring cannot be waited on
  Status status_;
};

Ring::Ring(const Limits& limits) : limits_(limits), ring_(std::make_unique<io_uring>()) {}

Expected<std::unique_ptr<Ring>> Ring::create(const Limits& limits) {
  std::unique_ptr<Ring> ring(new Ring(limits));
  // Newer kernels complete requests without interrupting the waiting thread.
  int code = io_uring_queue_init(2 * depth, ring->ring_.get(), IORING_SETUP_COOP_TASKRUN);
  if (code == -EINVAL) code = io_uring_queue_init(2 * depth, ring->ring_.get(), 0);
  if (code < 0) return fail(ErrorCode::io, std::string("io_uring refused here (") + std::strerror(-code) + ")");
  ring->open_ = true;
  ring->slots_ready_ = io_uring_register_buffers_sparse(ring->ring_.get(), registered_slots) == 0;
  ring->registered_.resize(registered_slots);
  return ring;
}

Ring::~Ring() { close(); }

void Ring::close() {
  const std::lock_guard lock(slots_mutex_);
  if (std::exchange(open_, false)) io_uring_queue_exit(ring_.get());
}

Status Ring::run(PosixFile& file, TransferBatch& batch, Direction direction) {
  const std::lock_guard lock(mutex_);
  if (broken_) return fail(ErrorCode::io, file.path().string() + ": the request ring is closed");
  Status status = Run(*this, file, batch, direction)();
  if (broken_) close();
  return status;
}

bool Ring::register_memory(std::span<std::byte> memory) {
  const std::lock_guard lock(slots_mutex_);
  if (!open_ || !slots_ready_ || memory.empty()) return false;
  const auto slot = std::find_if(registered_.begin(), registered_.end(), [](auto used) { return used.empty(); });
  if (slot == registered_.end()) return false;
  const iovec part{memory.data(), memory.size()};
  const __u64 tag = 0;
  const auto index = static_cast<unsigned>(slot - registered_.begin());
  if (io_uring_register_buffers_update_tag(ring_.get(), index, &part, &tag, 1) != 1) return false;
  *slot = memory;
  return true;
}

void Ring::unregister_memory(std::span<std::byte> memory) {
  const std::lock_guard lock(slots_mutex_);
  const auto slot = std::find_if(registered_.begin(), registered_.end(), [&](auto used) {
    return used.data() == memory.data() && used.size() == memory.size();
  });
  if (slot == registered_.end()) return;
  *slot = {};
  const iovec none{nullptr, 0};
  const __u64 tag = 0;
  if (open_)
    io_uring_register_buffers_update_tag(ring_.get(), static_cast<unsigned>(slot - registered_.begin()), &none, &tag,
                                         1);
}

int Ring::registered_index(std::span<const std::byte> bytes) const {
  const std::lock_guard lock(slots_mutex_);
  for (std::size_t i = 0; i < registered_.size(); ++i)
    if (!registered_[i].empty() && bytes.data() >= registered_[i].data() &&
        bytes.data() + bytes.size() <= registered_[i].data() + registered_[i].size())
      return static_cast<int>(i);
  return -1;
}

}  // namespace kvantage::inline tiers
