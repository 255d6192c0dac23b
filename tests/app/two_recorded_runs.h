// A folder of a test with a database of two recorded runs of one group: "lru-id" and "evicpress-id", 40 requests each.
#pragma once

#include <QString>
#include <QTemporaryDir>
#include <filesystem>
#include <string>

#include "profiles/stores.h"
#include "tests/report/sample_runs.h"
#include "tests/support/command_line.h"

namespace kvantage::test {

class TwoRecordedRuns {
 protected:
  std::filesystem::path at(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  QString text(const std::string& name) const { return text_of(at(name)); }

  /// Writes the database; their group is "both".
  Status record_runs() {
    KV_ASSIGN(const auto stores, open_stores(database_.toStdString(), StoreAccess::read_write, machine_clock()));
    RunStore& runs = stores->runs();
    for (const char* policy : {"lru", "evicpress"}) {
      KV_TRY(runs.begin_run(policy + std::string("-id"), {{"policy", policy}, {"group", "both"}}));
      std::uint64_t sequence = 0;
      for (const RequestRecord& record : sample_run(3, policy, 40).records) {
        Event event;
        event.sequence = sequence++;
        event.monotonic_ns = static_cast<std::int64_t>(sequence) * 1000000;
        event.payload = events::RequestFinished{record};
        runs.append(event);
      }
      KV_TRY(runs.finish_run(policy + std::string("-id"), "finished"));
    }
    return {};
  }

  QTemporaryDir folder_;
  QString database_ = folder_.filePath(QStringLiteral("runs.sqlite"));
};

}  // namespace kvantage::test
