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

void S3FifoOrder::open(std::uint64_t capacity, const EntryBook& book) {
  book_ = &book;
  small_capacity_ = capacity / 10;
  ghost_capacity_ = capacity - small_capacity_;
}

void S3FifoOrder::grow(std::size_t numbers) {
  small_.grow(numbers);
  main_.grow(numbers);
  ghost_.grow(numbers);
  places_.resize(numbers, Place::nowhere);
  uses_.resize(numbers, 0);
  ghost_sizes_.resize(numbers, 0);
}

void S3FifoOrder::add(std::uint32_t number) {
  uses_[number] = 0;
  if (places_[number] == Place::ghost) {
    ghost_.remove(number);
    ghost_size_ -= ghost_sizes_[number];
    to_main(number);
    return;
  }
  places_[number] = Place::small;
  small_.add_newest(number);
  small_size_ += book_->size(number);
}

void S3FifoOrder::to_main(std::uint32_t number) {
  places_[number] = Place::main;
  main_.add_newest(number);
}

void S3FifoOrder::remove(std::uint32_t number) {
  if (places_[number] == Place::small) {
    small_.remove(number);
    small_size_ -= book_->size(number);
  } else {
    main_.remove(number);
  }
  places_[number] = Place::nowhere;
}

void S3FifoOrder::remember(std::uint32_t number) {
  places_[number] = Place::ghost;
  ghost_.add_newest(number);
  ghost_size_ += ghost_sizes_[number] = book_->size(number);
  while (ghost_size_ > ghost_capacity_) {
    const std::uint32_t forgotten = ghost_.oldest();
    ghost_.remove(forgotten);
    ghost_size_ -= ghost_sizes_[forgotten];
    places_[forgotten] = Place::nowhere;
  }
}

std::uint32_t S3FifoOrder::take_victim() {
  for (;;) {
    if (!small_.empty() && (small_size_ > small_capacity_ || main_.empty())) {
      const std::uint32_t number = small_.oldest();
      small_.remove(number);
      small_size_ -= book_->size(number);
      if (uses_[number] > 1) {
        uses_[number] = 0;
        to_main(number);
        continue;
      }
      remember(number);
      return number;
    }
    const std::uint32_t number = main_.oldest();
    if (uses_[number] > 0) {
      --uses_[number];
      main_.to_newest(number);
      continue;
    }
    main_.remove(number);
    places_[number] = Place::nowhere;
    return number;
  }
}

}  // namespace kvantage
