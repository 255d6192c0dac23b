// links: core_model
// safetensors files, with a header length that fits where the input begins with "{": every byte of the data belongs to
// one tensor, which has the bytes of its shape.
#include <algorithm>

#include "core/model/safetensors.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

/// A record separator is between header and data.
std::string with_length(const std::string& text) {
  if (!text.starts_with('{')) return text;
  const std::size_t end = std::min(text.find('\x1e'), text.size());
  const std::uint64_t length = end;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + text.substr(0, end) + text.substr(std::min(end + 1, text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = with_length(test::text_of(data, size));
  const auto bytes = std::as_bytes(std::span(text));
  const auto tensors = parse_safetensors(bytes, "a.safetensors");
  if (!tensors) {
    test::check_file_refusal(tensors.error());
    return 0;
  }
  std::size_t sum = 0;
  for (const auto& [name, tensor] : *tensors) {
    test::must_hold(test::is_inside(tensor.bytes, bytes), "a tensor is inside the file");
    std::uint64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) {
      test::must_hold(extent >= 0, "an extent is not negative");
      elements *= static_cast<std::uint64_t>(extent);
    }
    test::must_hold(elements == 0 ? tensor.bytes.empty() : tensor.bytes.size() % elements == 0,
                    "a tensor has the bytes of its shape");
    test::must_hold(!tensor.describe().empty(), "a tensor can be described");
    sum += tensor.bytes.size();
  }
  const auto header = test::number_at<std::uint64_t>(bytes, 0);
  test::must_hold(sum + header + sizeof header == bytes.size(), "every byte of the data belongs to one tensor");
  return 0;
}
