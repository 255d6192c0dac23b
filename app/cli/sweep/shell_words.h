// Words of a command line, as a POSIX shell reads them without its expansions; report::shell_word() writes one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::cli {

/// Splits at spaces; '...', "..." and \ keep what a shell would keep. Nothing is expanded: $() and * are letters.
/// usage error where a quote has no end; `option` comes first in the message.
Expected<std::vector<std::string>> shell_words(std::string_view text, const std::string& option);

}  // namespace kvantage::cli
