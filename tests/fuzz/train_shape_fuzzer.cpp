// links: core_train
// config.json of a folder whose training is resumed: the shape is one that can be trained, and is written the same.
#include "core/train/shape_file.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  static const test::MemoryFolder folder;
  folder.write("config.json", test::text_of(data, size));
  const auto shape = read_shape(folder.path());
  if (!shape) {
    test::check_file_refusal(shape.error());
    return 0;
  }
  test::must_hold(shape->hidden > 0 && shape->layers > 0 && shape->head_dim > 0 && shape->kv_heads > 0 &&
                      shape->query_heads % shape->kv_heads == 0,
                  "a shape is one of a model");
  OrderedJson written = shape_fields(*shape);
  written["model_type"] = "qwen2";
  folder.write("config.json", dump_json(written));
  const auto again = read_shape(folder.path());
  test::must_hold(again && dump_json(shape_fields(*again)) == dump_json(shape_fields(*shape)),
                  "a shape is read as it was written");
  return 0;
}
