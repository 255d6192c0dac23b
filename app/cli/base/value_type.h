// What an option's value may be, in the words of help, reference, manual pages and errors. The library's own name says
// the type twice: "INT:INT in [1 - 64]".
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kvantage::cli {

struct ValueType {
  std::string name;     // "INT", "FLOAT", "TEXT"
  std::string choices;  // "auto,off"; empty: any value of the type
  std::string range;    // "1 to 64", "0 or more", "above 0"; empty: any
};

ValueType value_type(const CLI::Option& option);

/// "INT, 1 to 64", "INT=8, 1 to 64", "{auto,off}=auto".
std::string type_text(const ValueType& type, const std::string& default_value = {});

/// "auto, off": where text may break. Empty where any value of the type may be given.
std::string choices_text(const ValueType& type);

/// In a sentence: "a whole number from 1 to 64", "a number above 0", "one of auto, off".
std::string type_noun(const ValueType& type);

}  // namespace kvantage::cli
