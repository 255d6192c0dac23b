// links: kv_base
// The shape of the tree, read from its include lines: arrows point down to core, siblings never meet.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

namespace include_test {

namespace fs = std::filesystem;

class IncludeTest : public QObject {
  Q_OBJECT
  struct Include {
    std::string file, folder, target;
  };
  static std::vector<Include> includes() {
    std::vector<Include> found;
    const fs::path root = KVANTAGE_SOURCE_DIR;
    const std::regex line_form("^\\s*#\\s*include\\s*[<\x22]([^>\x22]+)[>\x22]");
    for (const std::string folder : {"app", "core", "gpu", "tiers", "profiles", "ui"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        if (!std::set<std::string>{".h", ".cpp", ".inl", ".cu", ".cuh"}.contains(extension)) continue;
        std::ifstream stream(entry.path());
        std::string line;
        std::smatch match;
        while (std::getline(stream, line))
          if (std::regex_search(line, match, line_form))
            found.push_back({fs::relative(entry.path(), root).string(), folder, match[1].str()});
      }
    }
    return found;
  }
  /// "core/policy" of "core/policy/types.h"; deeper folders count to these.
  static std::string folder_of(const std::string& file) {
    const std::size_t first = file.find('/'), second = file.find('/', first + 1);
    return file.substr(0, second == std::string::npos ? first : second);
  }
  /// The folders that `folder` needs, in any number of steps.
  static std::set<std::string> needed_by(const std::string& folder,
                                         const std::map<std::string, std::set<std::string>>& arrows) {
    std::set<std::string> needed;
    std::vector<std::string> open{folder};
    while (!open.empty()) {
      const std::string from = open.back();
      open.pop_back();
      if (const auto found = arrows.find(from); found != arrows.end())
        for (const std::string& to : found->second)
          if (needed.insert(to).second) open.push_back(to);
    }
    return needed;
  }
  static bool starts_with_any(const std::string& text, std::initializer_list<const char*> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* p) { return text.rfind(p, 0) == 0; });
  }

 private slots:
  void theTreeIsRead() { QVERIFY(includes().size() > 300); }

  void arrowsPointDownToCore() {
    const std::map<std::string, std::set<std::string>> allowed{
        {"core", {"core"}},           {"gpu", {"core", "gpu"}},
        {"tiers", {"core", "tiers"}}, {"profiles", {"core", "profiles"}},
        {"ui", {"core", "ui"}},       {"app", {"app", "core", "gpu", "tiers", "profiles", "ui"}}};
    const std::set<std::string> folders{"app", "core", "gpu", "tiers", "profiles", "ui"};
    for (const Include& include : includes()) {
      const std::string first = include.target.substr(0, include.target.find('/'));
      if (include.target.find('/') == std::string::npos || !folders.contains(first)) continue;
      QVERIFY2(allowed.at(include.folder).contains(first), (include.file + " includes " + include.target).c_str());
    }
  }

  void coreKnowsNoWindowDatabaseOrSocket() {
    for (const Include& include : includes()) {
      if (include.folder != "core" || include.file.rfind("core/sqlite/", 0) == 0) continue;
      QVERIFY2(!starts_with_any(include.target, {"core/sqlite/", "Q", "Qt", "sqlite3", "valkey/", "openssl/",
                                                 "liburing", "cuda", "CLI/"}),
               (include.file + " includes " + include.target).c_str());
    }
  }

  void torchStaysInsideTheRuntime() {
    const std::set<std::string> torch_folders{"core/model", "core/compress", "core/train", "core/kv", "gpu/model"};
    for (const Include& include : includes()) {
      if (!starts_with_any(include.target, {"torch/", "ATen/", "c10/"})) continue;
      const fs::path folder = fs::path(include.file).parent_path();
      const std::string two = (*folder.begin() / *std::next(folder.begin())).string();
      QVERIFY2(torch_folders.contains(two), (include.file + " includes " + include.target).c_str());
      if (include.target.rfind("torch/", 0) == 0)
        QVERIFY2(two == "core/train", (include.file + " needs autograd").c_str());
    }
  }

  // kv_base is what window, tiers and database link: no torch on its include path, nothing of the runtime in it.
  void baseDoesNotReachIntoTheRuntime() {
    const std::initializer_list<const char*> runtime{
        "core/model/",  "core/kv/",   "core/compress/", "core/runtime/", "core/request/",
        "core/store/",  "core/cost/", "core/quality/",  "core/inspect/", "core/scheduler/",
        "core/engine/", "core/kvpr/", "core/load/",     "core/train/",   "core/experiments/model/"};
    const std::initializer_list<const char*> base{
        "core/base/",        "core/ports/",  "core/policy/",    "core/eviction/", "core/workload/",
        "core/trace/",       "core/report/", "core/simulator/", "core/sweep/",    "core/fits/",
        "core/experiments/", "ui/",          "tiers/",          "profiles/"};
    for (const Include& include : includes()) {
      if (!starts_with_any(include.file, base) || starts_with_any(include.file, {"core/experiments/model/"})) continue;
      QVERIFY2(!starts_with_any(include.target, runtime), (include.file + " includes " + include.target).c_str());
    }
  }

  void noFolderNeedsItselfThroughOthers() {
    std::map<std::string, std::set<std::string>> arrows;
    for (const Include& include : includes()) {
      if (include.target.rfind("core/", 0) != 0) continue;
      // Apart from the folders around them: a library below everything, and what runs a model.
      const auto name = [](const std::string& file) {
        for (const char* deeper : {"core/model/kernels", "core/experiments/model"})
          if (file.rfind(std::string(deeper) + "/", 0) == 0) return std::string(deeper);
        return folder_of(file);
      };
      if (name(include.file) != name(include.target)) arrows[name(include.file)].insert(name(include.target));
    }
    QVERIFY(arrows.size() > 10);
    for (const auto& [folder, ignored] : arrows)
      QVERIFY2(!needed_by(folder, arrows).contains(folder), (folder + " needs itself through others").c_str());
  }

  // A header and its source are one.
  void noFolderHoldsMoreThanFortyConcepts() {
    std::map<std::string, std::set<std::string>> concepts;
    for (const std::string folder : {"app", "core", "tiers", "profiles", "gpu"})
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(KVANTAGE_SOURCE_DIR) / folder))
        if (const fs::path extension = entry.path().extension(); extension == ".h" || extension == ".cpp")
          concepts[entry.path().parent_path().string()].insert(entry.path().stem().string());
    for (const auto& [folder, names] : concepts)
      QVERIFY2(names.size() <= 40, (folder + " holds " + std::to_string(names.size())).c_str());
  }

  void siblingsInCoreKeepTheirOrder() {
    // Lower number = lower layer; a file may include its own layer and those below.
    // core/model/kernels is a library of its own that includes nothing of ours: codecs ask it for the instruction set.
    const std::map<std::string, int> layer{{"kernels", 0},   {"base", 0},        {"eviction", 1},
                                           {"ports", 2},     {"policy", 1},      {"workload", 1},
                                           {"report", 3},    {"text", 1},        {"kv", 1},
                                           {"model", 2},     {"compress", 2},    {"train", 3},
                                           {"sqlite", 1},    {"trace", 1},       {"simulator", 2},
                                           {"sweep", 1},     {"fits", 3},        {"load", 4},
                                           {"kvpr", 4},      {"experiments", 3}, {"experiments/model", 5},
                                           {"runtime", 4},   {"request", 5},     {"store", 6},
                                           {"cost", 7},      {"quality", 7},     {"inspect", 7},
                                           {"scheduler", 8}, {"engine", 9}};
    for (const Include& include : includes()) {
      if (include.folder != "core" || include.target.rfind("core/", 0) != 0) continue;
      const auto name = [](const std::string& path) {
        const std::string rest = path.substr(5);
        if (rest.rfind("model/kernels/", 0) == 0) return std::string("kernels");
        if (rest.rfind("experiments/model/", 0) == 0) return std::string("experiments/model");
        return rest.substr(0, rest.find('/'));
      };
      const std::string from = name(include.file), to = name(include.target);
      QVERIFY2(layer.contains(from) && layer.contains(to), (include.file + " -> " + include.target).c_str());
      QVERIFY2(layer.at(to) <= layer.at(from), (include.file + " includes " + include.target).c_str());
    }
  }
};

KV_TEST_GUILESS_MAIN(IncludeTest)

}  // namespace include_test

#include "include_test.moc"
