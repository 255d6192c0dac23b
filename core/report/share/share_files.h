// The page of a shared run, as in resources/share: cmake/Share.cmake makes texts of the files.
#pragma once

#include <string_view>

namespace kvantage::inline share {

struct ShareFiles {
  std::string_view page;  // HTML with {{policy}}, {{title}}, {{style}}, {{data}} and {{script}}
  std::string_view style, script;
  std::string_view style_sha256, script_sha256;  // in hexadecimal digits
};
const ShareFiles& share_files();

}  // namespace kvantage::inline share
