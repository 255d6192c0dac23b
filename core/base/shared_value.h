// A value that never changes, shared by its copies: results that are handed out often are copied for little, however
// long their parts are.
#pragma once

#include <memory>
#include <utility>

namespace kvantage {

template <class T>
class SharedValue {
 public:
  /// T's default, without memory of its own.
  SharedValue() = default;
  SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const {
    static const T none{};
    return value_ != nullptr ? *value_ : none;
  }
  const T* operator->() const { return &**this; }
  /// By value; copies of one are equal at once.
  bool operator==(const SharedValue& other) const { return value_ == other.value_ || **this == *other; }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace kvantage
