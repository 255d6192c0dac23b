// What parts on the engine's thread show to other threads.
#pragma once

#include <string>

#include "core/ports/stores.h"

namespace kvantage::inline engine {

/// The id of the run in progress, as others see it.
class PublishedRun {
 public:
  virtual ~PublishedRun() = default;
  virtual void set_run_id(const std::string& id) = 0;
};

/// The scope whose curves are in use, as others see it.
class PublishedScope {
 public:
  virtual ~PublishedScope() = default;
  virtual void set_scope(ProfileScope scope) = 0;
};

}  // namespace kvantage::inline engine
