// links: core_base
// GGUF files: every value and tensor is inside the file, tensors do not overlap, and a value has the type that it is
// read as.
#include <algorithm>

#include "core/base/gguf_file.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

template <class T>
bool is_read(const Expected<T>& value) {
  if (!value) test::check_file_refusal(value.error());
  return value.has_value();
}

void check_value(const GgufFile& file, const std::string& key, const GgufValue& value,
                 std::span<const std::byte> bytes) {
  test::must_hold(test::is_inside(value.bytes, bytes), "a value is inside the file");
  const bool is_list = value.type == GgufType::array;
  test::must_hold(is_list || value.count == 1, "a value that is no array is one");
  if (is_read(file.whole_number(key))) test::must_hold(!is_list, "an array is no number");
  if (is_read(file.number(key))) test::must_hold(!is_list, "an array is no number");
  if (is_read(file.flag(key))) test::must_hold(value.type == GgufType::boolean, "a flag is a boolean");
  if (is_read(file.text(key))) test::must_hold(value.type == GgufType::text, "a text is a text");
  if (const auto numbers = file.numbers(key); is_read(numbers))
    test::must_hold(is_list && numbers->size() == value.count, "an array has the numbers that it counts");
  if (const auto texts = file.texts(key); is_read(texts)) {
    test::must_hold(is_list && texts->size() == value.count, "an array has the texts that it counts");
    for (const std::string_view text : *texts)
      test::must_hold(test::is_inside(std::as_bytes(std::span(text)), bytes), "a text is inside the file");
  }
}

void check_tensors(const GgufFile& file, std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> all;
  for (const auto& [name, tensor] : file.tensors()) {
    test::must_hold(!name.empty() && tensor.type != nullptr, "a tensor has a name and a type");
    test::must_hold(!tensor.shape.empty() && tensor.shape.size() <= 4, "a tensor has 1 to 4 dimensions");
    std::uint64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) {
      test::must_hold(extent > 0, "an extent is positive");
      elements *= static_cast<std::uint64_t>(extent);
    }
    test::must_hold(elements / tensor.type->elements * tensor.type->bytes == tensor.bytes.size(),
                    "a tensor has the bytes of its shape");
    test::must_hold(test::is_inside(tensor.bytes, bytes), "a tensor is inside the file");
    all.push_back(tensor.bytes);
  }
  std::ranges::sort(all, {}, [](std::span<const std::byte> tensor) { return tensor.data(); });
  for (std::size_t i = 1; i < all.size(); ++i)
    test::must_hold(all[i - 1].data() + all[i - 1].size() <= all[i].data(), "tensors do not overlap");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = test::bytes_of(data, size);
  const auto file = GgufFile::parse(bytes, "a.gguf");
  if (!file) {
    test::check_file_refusal(file.error());
    return 0;
  }
  test::must_hold(file->version() == 2 || file->version() == 3, "only versions 2 and 3 are read");
  for (const auto& [key, value] : file->values()) check_value(*file, key, value, bytes);
  check_tensors(*file, bytes);
  return 0;
}
