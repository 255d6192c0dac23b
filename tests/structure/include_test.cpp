// links: core_base
// The shape of the tree, read from its include lines and from what each folder's library links: arrows point down to
// core, siblings never meet, and a folder links the folders that it includes, neither less nor more.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
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
  /// What the library of a folder links, as CMake has it: other folders by their path, other libraries by their name.
  static std::map<std::string, std::set<std::string>> links() {
    std::map<std::string, std::set<std::string>> found;
    std::map<std::string, std::string> paths;  // by the library's name
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;
    std::ifstream stream(fs::path(KVANTAGE_BINARY_DIR) / "folders.txt");
    for (std::string line; std::getline(stream, line);) {
      std::istringstream words(line);
      std::string path, library;
      words >> path;
      rows.push_back({path, {}});
      while (words >> library) rows.back().second.push_back(library);
      std::string name = path;
      std::ranges::replace(name, '/', '_');
      paths[name] = path;
    }
    for (const auto& [path, libraries] : rows) {
      found[path];
      for (const std::string& library : libraries)
        found[path].insert(paths.contains(library) ? paths[library] : library);
    }
    return found;
  }
  static std::string parent_of(const std::string& file) { return fs::path(file).parent_path().string(); }
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
    const std::set<std::string> torch_folders{"core/model", "core/compress", "core/train",
                                              "core/kv",    "gpu/model",     "app/method_worker"};
    for (const Include& include : includes()) {
      if (!starts_with_any(include.target, {"torch/", "ATen/", "c10/"})) continue;
      const fs::path folder = fs::path(include.file).parent_path();
      const std::string two = (*folder.begin() / *std::next(folder.begin())).string();
      QVERIFY2(torch_folders.contains(two), (include.file + " includes " + include.target).c_str());
      if (include.target.rfind("torch/", 0) == 0)
        QVERIFY2(two == "core/train" || folder == "app/method_worker/program",  // which runs TorchScript
                 (include.file + " needs autograd").c_str());
    }
  }

  void aFolderLinksWhatItIncludes() {
    const auto linked = links();
    QVERIFY(linked.size() > 40);
    std::map<std::string, std::set<std::string>> included;
    for (const Include& include : includes()) {
      const std::string from = parent_of(include.file), to = parent_of(include.target);
      if (!linked.contains(from) || !linked.contains(to) || from == to) continue;
      QVERIFY2(linked.at(from).contains(to), (include.file + " includes " + include.target + ", but " + from +
                                              " does not link " + to + " (CMakeLists.txt)")
                                                 .c_str());
      included[from].insert(to);
    }
    for (const auto& [folder, libraries] : linked)
      for (const std::string& library : libraries)
        if (linked.contains(library))
          QVERIFY2(included[folder].contains(library), (folder + " links " + library + " for nothing").c_str());
  }

  void everyFolderIsALibrary() {
    const auto linked = links();
    const std::set<std::string> programs{"app"};  // gpu and ui have libraries of other names
    for (const Include& include : includes()) {
      const std::string folder = parent_of(include.file);
      if (include.folder == "gpu" || include.folder == "ui" || programs.contains(folder)) continue;
      QVERIFY2(linked.contains(folder), (folder + " has no library").c_str());
    }
  }

  // core/base is kvantage itself; the command line and the window have kvantage::cli and kvantage.
  void everyFolderHasANamespaceOfItsOwn() {
    std::map<std::string, std::set<std::string>> names, folders;
    const std::regex form("^namespace kvantage::inline (\\w+) \\{");
    for (const auto& [folder, ignored] : links()) {
      if (folder == "core/base" || folder.starts_with("app/cli")) continue;
      for (const auto& entry : fs::directory_iterator(fs::path(KVANTAGE_SOURCE_DIR) / folder)) {
        if (entry.path().extension() != ".h") continue;
        std::ifstream stream(entry.path());
        std::smatch match;
        for (std::string line; std::getline(stream, line);)
          if (std::regex_search(line, match, form)) {  // further ones hold declarations of other folders
            names[folder].insert(match[1].str());
            break;
          }
      }
      for (const std::string& name : names[folder]) folders[name].insert(folder);
      QVERIFY2(names[folder].size() == 1,
               (folder + " has " + std::to_string(names[folder].size()) + " namespaces").c_str());
    }
    for (const auto& [name, of] : folders) QVERIFY2(of.size() == 1, ("several folders share " + name).c_str());
  }

  void noFolderNeedsItselfThroughOthers() {
    const auto linked = links();
    for (const auto& [folder, ignored] : linked)
      QVERIFY2(!needed_by(folder, linked).contains(folder), (folder + " needs itself through others").c_str());
  }

  // What window (kv_reports), tiers and database link: no torch on its include path, nothing that runs a model in it.
  void whatTheWindowLinksNeedsNoTorch() {
    const auto linked = links();
    for (const std::string folder : {"core/experiments", "core/fits", "core/policy/explain", "core/ports",
                                     "core/report", "core/report/formats", "core/report/serving", "core/simulator",
                                     "core/sweep", "core/trace", "core/workload", "profiles", "tiers", "tiers/kinds"}) {
      const std::set<std::string> needed = needed_by(folder, linked);
      QVERIFY2(linked.contains(folder) && !needed.contains("kvantage::torch") && !needed.contains("core/model"),
               folder.c_str());
    }
    for (const Include& include : includes())
      if (include.folder == "ui" && linked.contains(parent_of(include.target)))
        QVERIFY2(!needed_by(parent_of(include.target), linked).contains("kvantage::torch"),
                 (include.file + " includes " + include.target).c_str());
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

  // A folder a mode, and in Live a folder a view.
  void noFolderOfTheWindowHoldsMoreThanFortyFiles() {
    std::map<std::string, int> files;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(KVANTAGE_SOURCE_DIR) / "ui"))
      if (entry.is_regular_file()) ++files[entry.path().parent_path().string()];
    QVERIFY(files.size() > 20);
    for (const auto& [folder, count] : files)
      QVERIFY2(count <= 40, (folder + " holds " + std::to_string(count)).c_str());
  }
};

KV_TEST_GUILESS_MAIN(IncludeTest)

}  // namespace include_test

#include "include_test.moc"
