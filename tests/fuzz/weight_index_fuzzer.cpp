// links: core_model
// model.safetensors.index.json over two whole files: the tensors are those of the index, from files of the folder.
#include "core/base/json.h"
#include "core/model/safetensors.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

std::string two_tensors(const char* first, const char* second) {
  const auto entry = [](const char* name, int begin) {
    return std::string("\"") + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(begin + 4) + "]}";
  };
  const std::string header = "{" + entry(first, 0) + "," + entry(second, 4) + "}";
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(8, '\0');
}

/// `b` is in both files: the index says which.
const test::MemoryFolder& model_folder() {
  static const test::MemoryFolder folder;
  static const bool written = [] {
    folder.write("one.safetensors", two_tensors("a", "b"));
    folder.write("two.safetensors", two_tensors("b", "c"));
    return true;
  }();
  (void)written;
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = test::text_of(data, size);
  model_folder().write("model.safetensors.index.json", text);
  const auto files = WeightFiles::open(model_folder().path());
  if (!files) {
    test::check_file_refusal(files.error());
    return 0;
  }
  const auto index = parse_json(text, "index");
  test::must_hold(index && index->contains("weight_map"), "an index has a map of weights");
  const Json& map = index->at("weight_map");
  test::must_hold(files->tensors().size() == map.size(), "the tensors are those of the index");
  for (const auto& [tensor, file] : map.items()) {
    test::must_hold(files->tensors().contains(tensor), "a tensor of the index is there");
    test::must_hold(file == "one.safetensors" || file == "two.safetensors", "a tensor is from a file of the folder");
  }
  test::must_hold(files->tensor_bytes() == 4 * map.size() && !files->is_gguf(), "a tensor has its bytes");
  return 0;
}
