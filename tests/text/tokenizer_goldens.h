// What the library `tokenizers` makes of random Unicode strings (tests/parity/make_tokenizer_goldens.py and
// make_unigram_goldens.py): the strings, made again from a seed, and digests of ids and decoded texts.
#pragma once

#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode.h"

namespace kvantage::test {

inline std::uint32_t fnv(std::string_view bytes, std::uint32_t state = 0x811C9DC5) {
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * 0x01000193;
  return state;
}

inline std::string bytes_of(const std::vector<std::int32_t>& ids) {
  std::string bytes;
  for (const std::int32_t id : ids)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((id >> shift) & 0xFF));
  return bytes;
}

/// The generator of the scripts, number for number.
inline std::string make_string(const Json& tables, std::uint64_t seed, std::uint64_t index) {
  Random random(derive_seed(seed, index));
  const Json& fragments = tables.at("fragments");
  const Json& tokens = tables.at("tokens");
  const Json& blocks = tables.at("blocks");
  const std::uint64_t parts = index % 200 == 199 ? 150 : random.below(13);
  std::string text;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t kind = random.below(100);
    if (kind < 25) {
      const auto& fragment = fragments[random.below(fragments.size())].get_ref<const std::string&>();
      for (std::uint64_t times = 1 + random.below(4); times > 0; --times) text += fragment;
    } else if (kind < 35) {
      text += tokens[random.below(tokens.size())].get_ref<const std::string&>();
    } else if (kind < 45) {
      text += ' ';
    } else {
      const Json& block = blocks[random.below(blocks.size())];
      const auto low = block[0].get<std::uint64_t>();
      const auto high = block[1].get<std::uint64_t>();
      for (std::uint64_t times = 1 + random.below(6); times > 0; --times) {
        const auto character = static_cast<char32_t>(low + random.below(high - low + 1));
        if (character < 0xD800 || character >= 0xE000) text::append_character(text, character);
      }
    }
  }
  return text;
}

inline Json merged(const Json& base, const Json& patch) {
  if (!patch.is_object() || !base.is_object() || patch.contains("type")) return patch;
  Json result = base;
  for (const auto& [key, value] : patch.items())
    result[key] = merged(base.contains(key) ? base.at(key) : Json(), value);
  return result;
}

/// A folder of tests/goldens.
class TokenizerGoldens {
 public:
  explicit TokenizerGoldens(std::filesystem::path folder)
      : folder_(std::move(folder)),
        index_(read_json_file(folder_ / "goldens.json").value()),
        digests_(read_text_file(folder_ / "digests.bin").value()) {
    const Json tables =
        read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/tokenizers/generator.json").value();
    const auto seed = index_.at("seed").get<std::uint64_t>();
    const auto count = index_.at("strings").get<std::uint64_t>();
    strings_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) strings_.push_back(make_string(tables, seed, i));
  }

  const std::vector<std::string>& strings() const { return strings_; }

  std::size_t differentStrings() const {
    std::size_t different = 0;
    for (std::size_t i = 0; i < strings_.size(); ++i) different += fnv(strings_[i]) != digest_at(4 * i) ? 1 : 0;
    return different;
  }

  /// A column `variant` with a row for each.
  void addRows() const {
    QTest::addColumn<int>("variant");
    for (std::size_t i = 0; i < index_.at("variants").size(); ++i)
      QTest::newRow(index_.at("variants")[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
  }

  /// Strings whose ids or texts differ from the library's.
  std::size_t differentIds(std::size_t variant) const {
    const Json& entry = index_.at("variants")[variant];
    const Json base = read_json_file(folder_ / entry.at("base").get<std::string>() / "tokenizer.json").value();
    const auto read = Tokenizer::parse(merged(base, entry.at("patch")).dump(), "", entry.at("name").get<std::string>());
    if (!read) qFatal("%s", read.error().message.c_str());
    const Tokenizer& tokenizer = **read;
    const auto count = entry.at("count").get<std::size_t>();
    const auto offset = entry.at("offset").get<std::size_t>();
    std::size_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto plain = tokenizer.encode(strings_[i]);
      const auto framed = tokenizer.encode(strings_[i], true);
      std::string bytes = bytes_of(plain) + "\xff\xff\xff\xff" + bytes_of(framed);
      bytes += tokenizer.decode(plain, false) + std::string(1, '\0') + tokenizer.decode(framed);
      if (fnv(bytes) == digest_at(offset + 4 * i)) continue;
      if (different++ < 5) qWarning("string %zu differs: %s", i, Json(strings_[i]).dump(-1, ' ', true).c_str());
    }
    return different;
  }

 private:
  std::uint32_t digest_at(std::size_t offset) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(digests_.at(offset + i))) << (8 * i);
    return value;
  }

  std::filesystem::path folder_;
  Json index_;
  std::string digests_;
  std::vector<std::string> strings_;
};

}  // namespace kvantage::test
