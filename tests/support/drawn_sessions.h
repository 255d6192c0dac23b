// What tests share that draw sessions on virtual time by a seed.
#pragma once

#include <QTemporaryDir>

#include <filesystem>
#include <vector>

#include "tests/support/test_model.h"
#include "tests/support/virtual_session.h"

namespace kvantage::test {

/// The hashed model, and a folder for the locks of tiers; made once for a program.
struct SessionFolders {
  QTemporaryDir folder;
  std::filesystem::path model = std::filesystem::path(folder.path().toStdString()) / "model";
  std::filesystem::path locks = std::filesystem::path(folder.path().toStdString()) / "locks";
  SessionFolders() {
    std::filesystem::create_directories(model);
    if (const Status written = write_hashed_model(model, model_directory(), 2976); !written)
      qFatal("%s", written.error().message.c_str());
  }
};

inline SessionFolders& folders() {
  static SessionFolders made;
  return made;
}

template <class T>
const T& one_of(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}

}  // namespace kvantage::test
