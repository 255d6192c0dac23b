// What holds of every refusal of a file that was damaged, for tests that damage files at random.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace kvantage::test {

/// One line of a length to read that begins with the file's name, says why and, behind "; ", how to fix it.
inline bool is_whole_refusal(const Error& error, const std::string& file) {
  const std::string& message = error.message;
  return error.code == ErrorCode::rejected_input && message.starts_with(file) &&
         message.find("; ") != std::string::npos && message.find('\n') == std::string::npos && message.size() < 2000;
}

/// How many were read and how many refused.
struct Outcomes {
  std::uint64_t read = 0, refused = 0;
  /// Neither all fine nor all broken: the damage is neither too light nor too heavy to find anything.
  bool mixed(std::uint64_t one_in = 100) const {
    const std::uint64_t all = read + refused;
    return all < 1000 || (read > all / one_in && refused > all / 100);
  }
};

}  // namespace kvantage::test
