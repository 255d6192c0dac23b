// links: tiers_remote
// Store headers on a server, whose checksums fit, with what follows them: no seal is accepted that the key did not
// make.
#include "tests/fuzz/fuzzing.h"
#include "tiers/remote/entry_seal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  auto bytes = test::bytes_of(data, size);
  const auto length = peek_store_header(bytes);
  if (length && *length <= bytes.size()) test::mend_checksum(bytes, *length - sizeof(std::uint64_t));
  static const SealKey key(BlockDigest{std::byte{7}});
  const auto sealed = decode_sealed_header(bytes, &key, "place");
  if (!sealed)
    test::check_refusal(sealed.error());
  else
    test::must_hold(!sealed->usable && sealed->seal == nullptr, "a seal without the key is refused");
  if (const auto plain = decode_sealed_header(bytes, nullptr, "place"); plain)
    test::must_hold(plain->seal == nullptr, "a store without a key has no seals");
  return 0;
}
