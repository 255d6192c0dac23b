#include "core/simulator/cache_order.h"

namespace kvantage {

void RankedHeap::up(std::size_t at, const Item& item) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!item.before(heap_[parent])) break;
    heap_[at] = heap_[parent];
    places_[heap_[at].number] = static_cast<std::uint32_t>(at);
    at = parent;
  }
  heap_[at] = item;
  places_[item.number] = static_cast<std::uint32_t>(at);
}

void RankedHeap::down(std::size_t at, const Item& item) {
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(item)) break;
    heap_[at] = heap_[child];
    places_[heap_[at].number] = static_cast<std::uint32_t>(at);
    at = child;
  }
  heap_[at] = item;
  places_[item.number] = static_cast<std::uint32_t>(at);
}

void RankedHeap::put(std::uint32_t number, double rank, std::uint64_t tie) {
  const Item item{rank, tie, number};
  std::size_t at = places_[number];
  if (at == absent) {
    at = heap_.size();
    heap_.push_back(item);
    up(at, item);
  } else if (item.before(heap_[at])) {
    up(at, item);
  } else {
    down(at, item);
  }
}

void RankedHeap::remove(std::uint32_t number) {
  const std::size_t at = places_[number];
  places_[number] = absent;
  const Item last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  if (at > 0 && last.before(heap_[(at - 1) / 2])) {
    up(at, last);
  } else {
    down(at, last);
  }
}

void S3FifoOrder::open(std::size_t, std::uint64_t capacity, const EntryBook& book) {
  book_ = &book;
  small_capacity_ = static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.1);
  main_capacity_ = capacity - small_capacity_;
  ghost_capacity_ = static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.9);
}

void S3FifoOrder::grow(std::size_t numbers) {
  small_.grow(numbers);
  main_.grow(numbers);
  ghost_.grow(numbers);
  places_.resize(numbers, Place::nowhere);
  uses_.resize(numbers, 0);
  returns_.resize(numbers, 0);
  remembered_.resize(numbers, 0);
  ghost_sizes_.resize(numbers, 0);
}

void S3FifoOrder::forget(std::uint32_t number) {
  ghost_.remove(number);
  ghost_size_ -= ghost_sizes_[number];
  remembered_[number] = 0;
}

void S3FifoOrder::announce(std::uint32_t number) {
  returns_[number] = remembered_[number];
  if (remembered_[number] != 0) forget(number);
}

void S3FifoOrder::push(Place place, std::uint32_t number) {
  places_[number] = place;
  (place == Place::small ? small_ : main_).add_newest(number);
  (place == Place::small ? small_size_ : main_size_) += book_->size(number);
}

void S3FifoOrder::add(std::uint32_t number) {
  uses_[number] = 0;
  const bool filling = !has_evicted_ && small_size_ >= small_capacity_;
  push(returns_[number] != 0 || filling ? Place::main : Place::small, number);
  returns_[number] = 0;
}

void S3FifoOrder::remove(std::uint32_t number) {
  const bool small = places_[number] == Place::small;
  (small ? small_ : main_).remove(number);
  (small ? small_size_ : main_size_) -= book_->size(number);
  places_[number] = Place::nowhere;
}

void S3FifoOrder::remember(std::uint32_t number) {
  const std::uint64_t size = book_->size(number);
  if (size > ghost_capacity_) return;
  while (ghost_size_ + size > ghost_capacity_ && !ghost_.empty()) forget(ghost_.oldest());
  ghost_sizes_[number] = size;
  ghost_size_ += size;
  remembered_[number] = 1;
  ghost_.add_newest(number);
}

std::uint32_t S3FifoOrder::take_victim() {
  has_evicted_ = true;
  const bool from_small = !small_.empty() && main_size_ <= main_capacity_;
  while (from_small && !small_.empty()) {
    const std::uint32_t number = small_.oldest();
    remove(number);
    if (uses_[number] < 2) {
      remember(number);
      return number;
    }
    uses_[number] = 0;
    push(Place::main, number);
  }
  for (;;) {
    const std::uint32_t number = main_.oldest();
    if (uses_[number] == 0) {
      remove(number);
      return number;
    }
    --uses_[number];
    main_.to_newest(number);
  }
}

}  // namespace kvantage
