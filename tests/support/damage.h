// Random damage to texts, for tests of parsers.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/support/time_limit.h"

namespace kvantage::test {

// What parsers trip over: limits of numbers, structure, quotes, line ends, broken letters.
inline const std::vector<std::string>& common_morsels() {
  static const std::vector<std::string> morsels{"-1",
                                                "0",
                                                "18446744073709551615",
                                                "18446744073709551616",
                                                "9223372036854775807",
                                                "4294967295",
                                                "4294967296",
                                                "1e308",
                                                "-0.0",
                                                "0.1234567891",
                                                "\"",
                                                "\"\"",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                "[[[[",
                                                "null",
                                                "true",
                                                ",",
                                                ",,",
                                                ":",
                                                "\n",
                                                "\r\n",
                                                "\r",
                                                " ",
                                                "\t",
                                                std::string(1, '\0'),
                                                "\xff",
                                                "\xEF\xBB\xBF",
                                                "\xC3",
                                                "\\u",
                                                "\\ud800",
                                                std::string(24, '\xff'),
                                                std::string(5000, 'a'),
                                                std::string(300, '[')};
  return morsels;
}

/// Damaged one to four times; `own`: morsels of the format.
inline std::string damaged(std::string text, Random& random, const std::vector<std::string>& own) {
  const auto morsel = [&]() -> const std::string& {
    const std::size_t which = random.below(common_morsels().size() + own.size());
    return which < own.size() ? own[which] : common_morsels()[which - own.size()];
  };
  for (std::uint64_t hits = 1 + random.below(4); hits > 0; --hits) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random.below(24), text.size() - at);
    switch (random.below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
      case 2:
        text.insert(at, morsel());
        break;
      case 3:
        text.replace(at, length, morsel());
        break;
      case 4:
        text.erase(at, length);
        break;
      case 5:
        text.resize(at);
        break;
      default:
        text.insert(random.below(text.size() + 1), text.substr(at, length));
        break;
    }
  }
  return text;
}

inline std::uint64_t fuzz_number(const char* variable, std::uint64_t otherwise) {
  bool is_number = false;
  const std::uint64_t number = qEnvironmentVariable(variable).toULongLong(&is_number);
  return is_number ? number : otherwise;
}

/// Of tests that take minutes for all, `./run test` makes one of `share`; programs with sanitizers make few as it
/// is.
inline std::uint64_t fuzz_executions(std::uint64_t executions, [[maybe_unused]] std::uint64_t share = 1) {
#ifdef KVANTAGE_FUZZ_FEWER
  share = 1;
#endif
  return fuzz_number("KVANTAGE_FUZZ_EXECUTIONS", is_long_run() ? 100 * executions : executions / share);
}

/// Tries a fuzz test makes where nothing else is asked for. The programs of tests/CMakeLists.txt that are built with
/// sanitizers for every run of the tests make fewer, as one takes ten times as long there.
constexpr std::uint64_t default_tries(std::uint64_t tries) {
#ifdef KVANTAGE_FUZZ_FEWER
  return tries / KVANTAGE_FUZZ_FEWER;
#else
  return tries;
#endif
}

}  // namespace kvantage::test
