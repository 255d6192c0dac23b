// The measured decode options of all contexts: what plans see of them, with expected quality as for compressed forms,
// and their place in the database. They are stored by context, whose key includes the instruction set: latencies of
// another processor are not used.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/policy/decode_option.h"
#include "core/policy/quality_pool.h"
#include "core/ports/stores.h"
#include "core/store/engine_services.h"

namespace kvantage::inline quality {

class DecodeOptions {
 public:
  explicit DecodeOptions(const EngineServices& services) : services_(services) {}

  void forget() { measured_.clear(); }
  /// Replaces all by those of `scope`. Records of another version or damaged ones are left out: they are measured
  /// again.
  Status load(const ProfileScope& scope, ProfileStore& store);
  Status save(const ProfileScope& scope, ProfileStore& store, std::size_t context) const;

  /// The session's, in canonical text, without "none".
  void use(std::vector<std::string> options) { wanted_ = std::move(options); }
  /// What to measure: nothing if each of the session's is there, else "none" and those that are missing. "none" is
  /// measured again, so that all latencies are of the same minute.
  std::vector<std::string> missing(std::size_t context) const;
  /// Adds to the context's, replacing those of the same text.
  void replace(std::size_t context, std::vector<DecodeOption> measured);
  /// Recomputes expected quality from all contexts.
  void pool();
  /// The session's measured ones, "none" first.
  std::vector<DecodeOption> of(std::size_t context) const;

 private:
  const DecodeOption* find(std::size_t context, const std::string& option) const;

  EngineServices services_;
  std::vector<std::string> wanted_;
  std::map<std::size_t, std::vector<DecodeOption>> measured_;
  QualityPool pool_;
};

}  // namespace kvantage::inline quality
