// Methods of files: a scorer that runs elsewhere (core/ports/scorer_host.h) becomes a method like any other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/ports/scorer_host.h"

namespace kvantage::inline compression {

/// usage: not a name of lower-case letters, digits and '_', of 1 to 40 bytes, or one that the program's own methods,
/// budgets, codecs or decode-time eviction methods have.
Status check_method_alias(std::string_view alias);

/// From now on, in this process, parse_method() knows the host's scorer by name and alias, known_methods() lists it
/// and, where it declares that, parse_decode_eviction() and make_eviction() know it. Errors as check_method_alias(); a
/// scorer for decoding that reads what decoding does not record is refused, too. Any thread.
Status add_method_file(std::shared_ptr<ScorerHost> host);

/// The first name in a text form (of a method, a policy, decode-time eviction) that has the form of a file's method and
/// is not loaded; empty: there is none.
std::string unloaded_file_method(std::string_view text);

}  // namespace kvantage::inline compression
