// Cuts a template's source into texts and the tokens of its tags, with Jinja's control of white space as transformers
// sets it: trim_blocks and lstrip_blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline jinja {

struct JinjaToken {
  enum class Kind { data, begin_block, end_block, begin_print, end_print, name, text, integer, real, sign, end };
  Kind kind = Kind::end;
  std::string text;  // of a text token: its value
  int line = 0;      // from 1
  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
};

class JinjaLexer {
 public:
  /// `source`: valid UTF-8.
  explicit JinjaLexer(std::string_view source);
  /// All tokens, `end` last. rejected_input: "line 3: ..., ...".
  Expected<std::vector<JinjaToken>> run();

 private:
  tl::unexpected<Error> refuse(const std::string& reason) const;
  Status read_root();
  Status read_tag(bool is_block);
  Status read_token();
  Status read_text(char quote);
  void read_number();
  void read_name();
  Status read_raw();
  Status skip_comment();
  void add_data(std::string_view text);
  /// The text before a tag at `tag`, without what the tag's sign or lstrip_blocks takes from its end.
  std::string_view before_tag(std::size_t begin, std::size_t tag, bool is_block) const;
  /// After a tag whose sign is `sign`: the white space that it takes. `trims`: the newline of trim_blocks.
  void skip_after(char sign, bool trims);
  bool looking_at(std::string_view text) const { return std::string_view(source_).substr(at_).starts_with(text); }
  void advance(std::size_t bytes);

  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;  // the last token ended with a newline
  std::vector<JinjaToken> tokens_;
};

}  // namespace kvantage::inline jinja
