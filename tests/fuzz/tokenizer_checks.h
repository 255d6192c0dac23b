// What must hold of a tokenizer that was loaded from whatever file.
#pragma once

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/text/tokenizer.h"
#include "tests/fuzz/fuzzing.h"

namespace kvantage::test {

inline void check_vocabulary(const Tokenizer& tokenizer) {
  const std::int32_t end = std::min(tokenizer.vocab_size(), 1000);
  for (std::int32_t id = 0; id < end; ++id)
    if (const std::string_view token = tokenizer.token(id); !token.empty())
      must_hold(tokenizer.id(token) == id, "a token has the id that it is found by");
  for (const std::int32_t id : {-1, tokenizer.vocab_size()})
    must_hold(tokenizer.token(id).empty(), "an id outside the vocabulary has no token");
  for (const auto& id : {tokenizer.bos_id(), tokenizer.eos_id()})
    must_hold(!id || (*id >= 0 && *id < tokenizer.vocab_size()), "ids of a config are in the vocabulary");
}

inline void check_text(const std::shared_ptr<const Tokenizer>& tokenizer, std::string_view text) {
  const auto ids = tokenizer->try_encode(text), framed = tokenizer->try_encode(text, true);
  must_hold(ids.has_value() == framed.has_value(), "special tokens around a text need no more steps");
  if (!ids) {
    check_file_refusal(ids.error());
    return;
  }
  for (const std::int32_t id : *framed) must_hold(id >= 0 && id < tokenizer->vocab_size(), "ids are in the vocabulary");
  const auto before = tokenizer->ids_before_text();
  must_hold(framed->size() >= before.size() + ids->size() &&
                std::equal(before.begin(), before.end(), framed->begin()) &&
                std::equal(ids->begin(), ids->end(), framed->begin() + static_cast<std::ptrdiff_t>(before.size())),
            "special tokens are around the ids of the text");
  const auto again = tokenizer->try_encode(text);  // of words that are cached now
  must_hold(again && *again == *ids, "a text has the same ids again");
  const std::string decoded = tokenizer->decode(*ids, false);
  must_hold(valid_utf8(decoded) == decoded, "decoded text is UTF-8");
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const std::int32_t id : *ids) streamed += stream.push(id);
  streamed += stream.finish();
  must_hold(valid_utf8(streamed) == streamed, "streamed text is UTF-8");
  if (const auto rest = tokenizer->try_encode_continuation(text); !rest) check_file_refusal(rest.error());
}

inline void check_tokenizer(const std::shared_ptr<const Tokenizer>& tokenizer) {
  check_vocabulary(*tokenizer);
  for (const char* text : {"", "Hello  world, it's 12345 o'clock\r\n\t!",
                           " <s>\xC3\xA9\xF0\x9F\xA6\x99<mask> \xFF\xC3 \xE2\x96\x81"
                           "a",
                           "aaaaaaaaaaaaaaaaab"})
    check_text(tokenizer, text);
}

}  // namespace kvantage::test
