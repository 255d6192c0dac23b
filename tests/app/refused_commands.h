// What tests of refusals share: a model, a workload and a store with a run that was served, which no command may touch.
#pragma once

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <map>
#include <string>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  if (!write_text_file(file, text)) qFatal("cannot write %s", file.c_str());
}

inline std::string read(const std::filesystem::path& file) { return read_text_file(file).value(); }

// Every stored byte but what a database and a lock may write when they are only opened.
inline std::map<std::string, std::string> fingerprint(const std::filesystem::path& store) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store))
    if (entry.is_regular_file() && entry.path().filename().string().find("kvantage.db") == std::string::npos &&
        entry.path().extension() != ".lock")
      files[entry.path().string()] = digest_of(read(entry.path())).hex();
  const auto stores = open_stores(store / "kvantage.db", StoreAccess::read_only, machine_clock());
  if (!stores) qFatal("%s", stores.error().message.c_str());
  const auto runs = (*stores)->runs().runs();
  for (const RunSummary& run : runs.value()) {
    std::string journal = run.outcome;
    const auto events = (*stores)->runs().events(run.run_id);
    for (const Event& event : events.value()) journal += to_json(event).dump();
    files[run.run_id] = digest_of(journal).hex();
  }
  return files;
}

class RefusedCommands {
 protected:
  using path = std::filesystem::path;

  QTemporaryDir folder_;
  std::map<std::string, std::string> before_;  // of the store; empty without a model

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QString text(const std::string& name) const { return text_of(at(name)); }

  /// A copy of the good model or workload, to be spoiled.
  path copy_of(const path& from, const std::string& name) const {
    std::filesystem::create_directories(at(name).parent_path());
    std::filesystem::copy(from, at(name), std::filesystem::copy_options::recursive);
    std::filesystem::permissions(at(name), std::filesystem::perms::owner_all);
    for (const auto& entry : std::filesystem::directory_iterator(at(name)))
      std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
    return at(name);
  }

  QStringList run(const QStringList& rest, const QString& workload = {}, const QString& model = {}) const {
    QStringList words{"run",     workload.isEmpty() ? text("workload") : workload,
                      "--model", model.isEmpty() ? text("model") : model,
                      "--store", text("store")};
    if (!rest.contains("--policy"))
      words << "--policy"
            << "lru";
    if (!rest.contains("--limit"))
      words << "--limit"
            << "2";
    if (!rest.contains("--tier"))
      words << "--tier"
            << "dram=64MiB";
    return words + rest;
  }

  void expect(Answer answer, int exit_code, const QStringList& parts) {
    answer.error.remove(QRegularExpression("^Loading the model\n"));  // said where that takes a while
    QVERIFY2(answer.exit_code == exit_code, answer.text());
    QVERIFY2(answer.error_lines().size() == 1 && answer.error.endsWith('\n'), answer.text());
    QVERIFY2(answer.error.startsWith("error: "), answer.text());
    QVERIFY2(answer.is_of_short_lines(), answer.text());
    for (const QString& part : parts) QVERIFY2(answer.error.contains(part), qPrintable(part + "\n" + answer.text()));
    QVERIFY2(answer.error.contains(QRegularExpression("; |\\?|give a ")), answer.text());  // what to do about it
    QVERIFY2(answer.out.isEmpty(), answer.text());
  }

  void serve_a_run() {
    copy_of(model_directory(), "model");
    QVERIFY(write_workload(small_workload(2, 16, 5), at("workload")));
    const Answer answer = call(run({"--tier", "dram=1MiB", "--tier", "ssd=64MiB"}));
    QVERIFY2(answer.exit_code == 0, answer.text());
    before_ = fingerprint(at("store"));
    QVERIFY(before_.size() >= 3);  // two originals, a run
  }
};

}  // namespace kvantage::test
