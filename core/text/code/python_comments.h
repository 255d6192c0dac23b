// Python source without comments and docstrings, which CodeBLEU does not compare.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kvantage::inline code_quality {

/// `source` (valid UTF-8) without comments, empty lines and strings at the start of a statement or line, as the package
/// codebleu removes them: it writes the tokens of Python 3.11's module tokenize again, with a space for each column
/// between them. Nothing where that module refuses the source: it ends within brackets, a string or a continued line,
/// or a line ends an indentation that was not begun.
std::optional<std::string> without_comments(std::string_view source);

}  // namespace kvantage::inline code_quality
