// Names of objects of a store in a bucket. SCOPE: entries of one model and workload, separate from others.
//
//   PREFIX/v1/SCOPE/e/KEY   the entry with that key: store header (tiers/store_header.h), seal if there is a key for it
//                           (tiers/remote/entry_seal.h), bytes. Equal entries are equal objects, whoever stores them.
//   PREFIX/v1/SCOPE/w/ID    empty, written again and again by a workbench that uses the store
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/digest.h"

namespace kvantage::inline s3 {

/// `text` with everything but letters, digits and -_.~ as %XX, as signatures need it; slashes stay if `slashes`.
std::string s3_escaped(std::string_view text, bool slashes);

class S3Names {
 public:
  S3Names(const std::string& prefix, const std::string& scope);

  /// What names this store in seals.
  const std::string& base() const { return base_; }
  std::string entries() const { return base_ + "e/"; }
  std::string workbenches() const { return base_ + "w/"; }
  std::string entry(const Digest128& key) const { return entries() + key.hex(); }
  /// Nothing for objects of others.
  std::optional<Digest128> key_in(std::string_view name) const;

 private:
  std::string base_;
};

}  // namespace kvantage::inline s3
