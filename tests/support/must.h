// For what a test's own steps need: a failure there ends the program with its message.
#pragma once

#include <QtGlobal>

#include "core/base/error.h"

namespace kvantage::test {

inline void must(const Status& status) {
  if (!status) qFatal("%s", status.error().message.c_str());
}

}  // namespace kvantage::test
