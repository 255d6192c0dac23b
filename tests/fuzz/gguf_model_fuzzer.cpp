// links: core_model
// The language model of a GGUF file: a config within the limits of this runtime, and tensors that can be widened.
#include <algorithm>

#include "core/model/gguf_blocks.h"
#include "core/model/gguf_model.h"
#include "tests/fuzz/model_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto bytes = test::bytes_of(data, size);
  const auto file = GgufFile::parse(bytes, "a.gguf");
  if (!file) return 0;  // the fuzzer `gguf` looks at refusals
  const auto config = config_of_gguf(*file);
  if (!config) {
    test::check_file_refusal(config.error());
    return 0;
  }
  test::check_config(*config);
  const auto tensors = tensors_of_gguf(*file, *config);
  if (!tensors) {
    test::check_file_refusal(tensors.error());
    return 0;
  }
  for (const auto& [name, tensor] : *tensors) {
    test::must_hold(test::is_inside(tensor.bytes, bytes), "a tensor is inside the file");
    test::must_hold(
        tensor.paired_heads == 0 || tensor.paired_heads == config->heads || tensor.paired_heads == config->kv_heads,
        "rotary pairs are of query or KV heads");
    const auto widen = widen_blocks(tensor.dtype);
    test::must_hold(widen != nullptr, "a stored type is one that is widened");
    std::size_t elements = 1;  // no more than the file has bytes for
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<std::size_t>(extent);
    std::vector<float> numbers(elements);
    widen(tensor.bytes, numbers);
  }
  return 0;
}
