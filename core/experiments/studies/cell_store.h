// What single cells of a figure measured, kept so that an interrupted figure continues with those that are left.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline studies {

/// A key holds all that the measurement depends on.
class CellStore {
 public:
  virtual ~CellStore() = default;
  /// Nothing: not kept, or damaged.
  virtual std::optional<Json> find(const Json& key) const = 0;
  /// Replaces what was kept under the key. Errors of writing.
  virtual Status keep(const Json& key, const Json& value) = 0;
};

/// A file a cell, named after the digest of its key.
class FolderCells final : public CellStore {
 public:
  /// `of`: what all keys depend on besides, such as the program. The folder is made with the first cell.
  FolderCells(std::filesystem::path folder, Json of) : folder_(std::move(folder)), of_(std::move(of)) {}

  std::optional<Json> find(const Json& key) const override;
  Status keep(const Json& key, const Json& value) override;
  /// Whether no cell is kept.
  bool empty() const;
  /// Forgets all of them, with the folder.
  void remove();

 private:
  Json whole(const Json& key) const;
  std::filesystem::path file_of(const Json& whole_key) const;

  const std::filesystem::path folder_;
  const Json of_;
};

}  // namespace kvantage::inline studies
