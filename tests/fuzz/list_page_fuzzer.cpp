// links: tiers_s3
// Answers of a bucket's server: pages of a listing, and errors.
#include "tests/fuzz/fuzzing.h"
#include "tiers/s3/s3_xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const std::string text = test::text_of(data, size);
  const S3Fault fault = parse_fault(text);
  test::must_hold(fault.code.size() <= 4096 && fault.message.size() <= 4096, "texts of an error are within limits");
  const auto page = parse_list_page(text);
  if (!page) {
    test::check_file_refusal(page.error());
    return 0;
  }
  test::must_hold(page->objects.size() <= max_listed_objects, "a page is within its limits");
  for (const ListedObject& object : page->objects)
    test::must_hold(object.name.size() <= 4096 && object.etag.size() <= 4096, "texts of a page are within limits");
  return 0;
}
