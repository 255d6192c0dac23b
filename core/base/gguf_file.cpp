#include "core/base/gguf_file.h"

#include <array>
#include <cmath>

#include "core/base/gguf_scalars.h"

namespace kvantage {
namespace {

using gguf::in_quotes, gguf::is_number, gguf::is_whole_number, gguf::number_at, gguf::scalar_bytes;

double as_double(GgufType type, const std::byte* bytes) {
  switch (type) {
    case GgufType::u8:
      return number_at<std::uint8_t>(bytes);
    case GgufType::i8:
      return number_at<std::int8_t>(bytes);
    case GgufType::u16:
      return number_at<std::uint16_t>(bytes);
    case GgufType::i16:
      return number_at<std::int16_t>(bytes);
    case GgufType::u32:
      return number_at<std::uint32_t>(bytes);
    case GgufType::i32:
      return number_at<std::int32_t>(bytes);
    case GgufType::f32:
      return static_cast<double>(number_at<float>(bytes));
    case GgufType::u64:
      return static_cast<double>(number_at<std::uint64_t>(bytes));
    case GgufType::i64:
      return static_cast<double>(number_at<std::int64_t>(bytes));
    case GgufType::f64:
      return number_at<double>(bytes);
    default:
      return 0;
  }
}

}  // namespace

const char* to_string(GgufType type) {
  constexpr std::array names{"u8",   "i8",   "u16",   "i16", "u32", "i32", "f32",
                             "bool", "text", "array", "u64", "i64", "f64"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : "unknown";
}

tl::unexpected<Error> GgufFile::reject(const std::string& reason) const {
  return fail(ErrorCode::rejected_input, name_ + ": " + reason);
}

Expected<const GgufValue*> GgufFile::find(std::string_view key, std::string_view wanted) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    return reject("key " + in_quotes(key) + " (" + std::string(wanted) + ") is missing; convert the model again");
  return &found->second;
}

tl::unexpected<Error> GgufFile::wrong_type(std::string_view key, const GgufValue& value,
                                           std::string_view wanted) const {
  std::string type = to_string(value.type);
  if (value.type == GgufType::array) type += std::string(" of ") + to_string(value.element);
  return reject("key " + in_quotes(key) + " is of type " + type + " instead of " + std::string(wanted) +
                "; convert the model again");
}

Expected<std::uint64_t> GgufFile::whole_number(std::string_view key) const {
  constexpr std::string_view wanted = "a whole number";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (!is_whole_number(value->type)) return wrong_type(key, *value, wanted);
  const std::byte* bytes = value->bytes.data();
  if (value->type == GgufType::u64) return number_at<std::uint64_t>(bytes);
  if (value->type == GgufType::i64) {
    const auto number = number_at<std::int64_t>(bytes);
    if (number >= 0) return static_cast<std::uint64_t>(number);
  } else if (const double number = as_double(value->type, bytes); number >= 0) {
    return static_cast<std::uint64_t>(number);
  }
  return reject("key " + in_quotes(key) + " is negative; convert the model again");
}

Expected<double> GgufFile::number(std::string_view key) const {
  constexpr std::string_view wanted = "a number";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (!is_number(value->type)) return wrong_type(key, *value, wanted);
  const double number = as_double(value->type, value->bytes.data());
  if (!std::isfinite(number)) return reject("key " + in_quotes(key) + " is not finite; convert the model again");
  return number;
}

Expected<bool> GgufFile::flag(std::string_view key) const {
  constexpr std::string_view wanted = "bool";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (value->type != GgufType::boolean) return wrong_type(key, *value, wanted);
  return value->bytes[0] != std::byte{0};
}

Expected<std::string_view> GgufFile::text(std::string_view key) const {
  constexpr std::string_view wanted = "text";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (value->type != GgufType::text) return wrong_type(key, *value, wanted);
  const auto characters = value->bytes.subspan(8);
  return std::string_view(reinterpret_cast<const char*>(characters.data()), characters.size());
}

Expected<std::vector<std::string_view>> GgufFile::texts(std::string_view key) const {
  constexpr std::string_view wanted = "array of text";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (value->type != GgufType::array || value->element != GgufType::text) return wrong_type(key, *value, wanted);
  std::vector<std::string_view> list;
  list.reserve(static_cast<std::size_t>(value->count));
  for (auto rest = value->bytes; !rest.empty();) {
    const auto size = static_cast<std::size_t>(number_at<std::uint64_t>(rest.data()));
    list.emplace_back(reinterpret_cast<const char*>(rest.data()) + 8, size);
    rest = rest.subspan(8 + size);
  }
  return list;
}

Expected<std::vector<double>> GgufFile::numbers(std::string_view key) const {
  constexpr std::string_view wanted = "array of numbers";
  KV_ASSIGN(const auto value, find(key, wanted));
  if (value->type != GgufType::array || !is_number(value->element)) return wrong_type(key, *value, wanted);
  std::vector<double> list(static_cast<std::size_t>(value->count));
  const std::size_t each = scalar_bytes(value->element);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = as_double(value->element, value->bytes.data() + i * each);
  return list;
}

}  // namespace kvantage
