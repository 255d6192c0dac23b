// Methods that the user may add to a session's candidates, by the program's registry.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

struct MethodOffer {
  struct Known {
    QString text, summary;
  };
  std::vector<Known> known;
  /// The canonical text of a method, or what is wrong with it. Empty: nothing can be added.
  std::function<Expected<QString>(const QString& text)> read = {};
  /// The method of a TorchScript file, which sessions know from then on. Called on a thread of its own. Empty: this
  /// window adds none.
  using ReadFile = std::function<Expected<Known>(const QString& path)>;
  ReadFile read_file = {};
};

}  // namespace kvantage
