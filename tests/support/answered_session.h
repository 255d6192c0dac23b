// Sessions on virtual time whose answers are compared: how they are set up, run to their end and read.
#pragma once

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_session.h"

namespace kvantage::test {

/// Eight KV heads of 32 channels and layer inputs of 256 numbers, half as long as a key and a value.
inline std::filesystem::path mha_model() { return source_directory() / "resources" / "reference-mha"; }

/// The model in `model` computes; contexts of `sentences` sentences; everything is loaded, never computed by choice.
/// locks: a folder of the session's own.
inline VirtualSessionOptions answering_options(const std::filesystem::path& model, const std::filesystem::path& locks,
                                               int sentences, std::uint64_t requests) {
  VirtualSessionOptions options;
  options.model = model;
  options.locks = locks;
  options.workload = small_workload(2, sentences, 5);
  options.hashed = false;
  options.settings.methods = {"knorm"};
  options.settings.removed_fractions = {0.5};
  options.settings.request_limit = requests;
  options.settings.compute_or_load = "off";
  return options;
}

/// Of the finished requests, by id.
inline std::vector<RequestRecord> records_of(const VirtualSession& session) {
  std::vector<RequestRecord> records;
  for (const auto& finished : session.all<events::RequestFinished>()) records.push_back(finished.record);
  std::ranges::sort(records, {}, &RequestRecord::id);
  return records;
}

/// Runs the session to its end; what failed ends the test program.
inline std::vector<RequestRecord> served_by(VirtualSession& session) {
  session.engine().start();
  session.wait();
  if (session.engine().state() != RunState::finished) qFatal("%s", session.engine().failure().message.c_str());
  return records_of(session);
}

inline void check_same_answers(const std::vector<RequestRecord>& got, const std::vector<RequestRecord>& expected) {
  QCOMPARE(got.size(), expected.size());
  for (std::size_t r = 0; r < got.size(); ++r) {
    QCOMPARE(got[r].question, expected[r].question);
    QCOMPARE(got[r].answer, expected[r].answer);
    QVERIFY(!got[r].cancelled);
  }
}

}  // namespace kvantage::test
