#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/default_database.h"
#include "core/base/counted.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/policy/plan_text.h"
#include "tiers/ssd/store_folder.h"
#include "tiers/uring_device.h"

namespace kvantage::cli {
namespace {

struct StoreArguments {
  std::string folder;
  bool json = false, quiet = false, erase_bad = false;
};

/// Method and removed fraction in an entry's label from the engine; "?" for entries of other programs.
using Form = std::pair<std::string, double>;
Form form_of(const StoreHeader& header) {
  const auto label = parse_json(header.info.label, "label");
  const auto method = label ? json_field<std::string>(*label, "method", "label") : tl::unexpected(label.error());
  const auto removed = label ? json_field<double>(*label, "removed_fraction", "label") : tl::unexpected(label.error());
  return method && removed ? Form{*method, *removed} : Form{"?", 0};
}

std::string shown(const Form& form) {
  return form.second == 0 ? form.first : form.first + ", " + short_number(100 * form.second) + " % removed";
}

/// A key of the JSON output.
std::string key_of(const Form& form) {
  return form.second == 0 ? form.first : form.first + ", " + short_number(form.second) + " removed";
}

Expected<std::vector<std::filesystem::path>> folders_of(const StoreArguments& arguments) {
  const std::filesystem::path root =
      arguments.folder.empty() ? cache_directory() / "stores" : std::filesystem::path(arguments.folder);
  std::error_code ignored;
  if (!std::filesystem::is_directory(root, ignored))
    return fail(ErrorCode::rejected_input,
                root.string() + ": no such folder; give the folder of a store or of one of its tiers");
  auto folders = find_store_folders(root);
  SessionOptions options;
  options.store = root;
  if (folders.empty() && !has_store_folders(root) && !is_there(wiring::default_database(options)))
    return fail(ErrorCode::rejected_input,
                root.string() + ": holds no store; give the folder of a store or of one of its tiers");
  return folders;
}

Status show_stat(const StoreArguments& arguments) {
  KV_ASSIGN(const auto folders, folders_of(arguments));
  OrderedJson list = OrderedJson::array();
  if (!arguments.json && folders.empty()) std::printf("the store is empty\n");
  for (const auto& folder : folders) {
    KV_ASSIGN(const auto listing, list_store_folder(folder));
    struct Count {
      std::size_t entries = 0;
      std::uint64_t bytes = 0;
    };
    std::map<Form, Count> methods;
    for (const FolderListing::Entry& entry : listing.entries) {
      Count& count = methods[form_of(entry.header)];
      ++count.entries;
      count.bytes += entry.header.info.bytes;
    }
    if (arguments.json) {
      OrderedJson by_method = OrderedJson::object();
      for (const auto& [method, count] : methods)
        by_method[key_of(method)] = {{"entries", count.entries}, {"bytes", count.bytes}};
      list.push_back({{"folder", folder.string()},
                      {"entries", listing.entries.size()},
                      {"entry_bytes", listing.entry_bytes()},
                      {"file_bytes", listing.file_bytes},
                      {"disk_bytes", listing.disk_bytes},
                      {"segments", listing.segments},
                      {"reusable_bytes", listing.reusable_bytes()},
                      {"index_bytes", listing.index_bytes},
                      {"unreadable_files", listing.unreadable_files},
                      {"unreadable", listing.unreadable},
                      {"by_method", std::move(by_method)}});
      continue;
    }
    std::printf("%s\n  %s of %s in %s of %s (%s reusable), index %s, %s on disk\n", folder.c_str(),
                counted(listing.entries.size(), "entry").c_str(), format_bytes(listing.entry_bytes()).c_str(),
                counted(listing.segments, "segment").c_str(), format_bytes(listing.file_bytes).c_str(),
                format_bytes(listing.reusable_bytes()).c_str(), format_bytes(listing.index_bytes).c_str(),
                format_bytes(listing.disk_bytes).c_str());
    if (listing.unreadable_files > 0)
      std::printf("  %s cannot be read\n", counted(listing.unreadable_files, "segment").c_str());
    for (const std::string& why : listing.unreadable) std::printf("    %s\n", why.c_str());
    for (const auto& [method, count] : methods)
      std::printf("  %-40s %14s  %s\n", shown(method).c_str(), counted(count.entries, "entry").c_str(),
                  format_bytes(count.bytes).c_str());
  }
  if (arguments.json) print_json(list);
  return {};
}

Expected<bool> run_check(const StoreArguments& arguments) {
  KV_ASSIGN(const auto folders, folders_of(arguments));
  OrderedJson list = OrderedJson::array();
  if (!arguments.json && folders.empty()) std::printf("the store is empty\n");
  bool clean = true;
  for (const auto& folder : folders) {
    const auto progress = [&](std::uint64_t done, std::uint64_t all) {
      if (!arguments.quiet)
        stderr_progress().show("verifying " + folder.filename().string(), static_cast<double>(done),
                               static_cast<double>(all));
      return !interrupted();
    };
    const auto checked = check_store_folder(folder, make_file_device(), arguments.erase_bad, progress);
    stderr_progress().clear();
    KV_ASSIGN(const auto check, checked);
    const bool erased = std::ranges::all_of(check.bad, &FolderCheck::Bad::erased);
    clean = clean && (check.clean() || (erased && check.lost_entries == 0 && check.unreadable_files == 0));
    if (arguments.json) {
      OrderedJson bad = OrderedJson::array();
      for (const FolderCheck::Bad& entry : check.bad)
        bad.push_back({{"key", entry.key}, {"reason", entry.reason}, {"bytes", entry.bytes}});
      list.push_back({{"folder", folder.string()},
                      {"good_entries", check.good_entries},
                      {"good_bytes", check.good_bytes},
                      {"swept", check.swept},
                      {"lost_entries", check.lost_entries},
                      {"unreadable_segments", check.unreadable_files},
                      {"unreadable", check.unreadable},
                      {"index_rebuilt", check.rebuilt},
                      {"file_bytes", check.file_bytes},
                      {"reusable_bytes", check.reusable_bytes},
                      {"bad", std::move(bad)}});
      continue;
    }
    std::printf("%s\n  %s of %s intact; %s removed\n  segments of %s, %s of it reusable\n", folder.c_str(),
                counted(check.good_entries, "entry").c_str(), format_bytes(check.good_bytes).c_str(),
                counted(check.swept, "unfinished or replaced entry").c_str(), format_bytes(check.file_bytes).c_str(),
                format_bytes(check.reusable_bytes).c_str());
    for (const FolderCheck::Bad& entry : check.bad)
      std::printf("  bad: %s, %s (%s)%s\n", entry.key.c_str(), format_bytes(entry.bytes).c_str(), entry.reason.c_str(),
                  entry.erased ? ", erased" : "");
    if (check.rebuilt) std::printf("  the index was damaged or lost; it was rebuilt from the segments\n");
    if (check.lost_entries > 0)
      std::printf("  %s lost: segment missing or truncated\n", counted(check.lost_entries, "entry").c_str());
    if (check.unreadable_files > 0)
      std::printf("  %s cannot be read, left unchanged\n", counted(check.unreadable_files, "segment").c_str());
    for (const std::string& why : check.unreadable) std::printf("    %s\n", why.c_str());
    if (!check.bad.empty() && !arguments.erase_bad)
      std::printf("  --erase-bad removes them; requests recompute them\n");
  }
  if (arguments.json) print_json(list);
  return clean;
}

Status run_compact(const StoreArguments& arguments) {
  KV_ASSIGN(const auto folders, folders_of(arguments));
  OrderedJson list = OrderedJson::array();
  if (!arguments.json && folders.empty()) std::printf("the store is empty\n");
  for (const auto& folder : folders) {
    KV_ASSIGN(const auto done, compact_store_folder(folder, make_file_device(), [] { return !interrupted(); }));
    if (arguments.json) {
      list.push_back({{"folder", folder.string()},
                      {"file_bytes_before", done.file_bytes_before},
                      {"file_bytes_after", done.file_bytes_after},
                      {"moved_entries", done.moved_entries},
                      {"moved_bytes", done.moved_bytes},
                      {"bad_entries", done.bad_entries}});
      continue;
    }
    std::printf("%s\n  segments of %s, %s before; %s of %s moved\n", folder.c_str(),
                format_bytes(done.file_bytes_after).c_str(), format_bytes(done.file_bytes_before).c_str(),
                counted(done.moved_entries, "entry").c_str(), format_bytes(done.moved_bytes).c_str());
    if (done.bad_entries > 0)
      std::printf("  %s with a wrong checksum left in place; kvantage-cli store check --erase-bad removes them\n",
                  counted(done.bad_entries, "entry").c_str());
  }
  if (arguments.json) print_json(list);
  return {};
}

CLI::App& add_command(CLI::App& store, const char* name, const char* what,
                      const std::shared_ptr<StoreArguments>& arguments) {
  CLI::App& command = *store.add_subcommand(name, what);
  command.add_option("FOLDER", arguments->folder,
                     "Folder of a store or of a tier (default: the store in the cache folder)");
  add_json_option(command, arguments->json);
  return command;
}

}  // namespace

void add_store_stat(CLI::App& store, CommandResult& result) {
  auto arguments = std::make_shared<StoreArguments>();
  add_command(store, "stat", "Show what a store contains, by tier and method; changes nothing", arguments)
      .callback([arguments, &result] {
        const Status status = show_stat(*arguments);
        result.exit_code = status ? 0 : report_error(status.error());
      });
}

void add_store_check(CLI::App& store, CommandResult& result) {
  auto arguments = std::make_shared<StoreArguments>();
  CLI::App& command = add_command(
      store, "check", "Verify the checksum of every entry and remove unfinished writes; exit code 1 if an entry is bad",
      arguments);
  command.add_flag("--erase-bad", arguments->erase_bad, "Remove entries that fail");
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command.callback([arguments, &result] {
    note_interrupts();
    const auto clean = run_check(*arguments);
    result.exit_code = clean ? (*clean ? 0 : 1) : report_error(clean.error());
  });
}

void add_store_compact(CLI::App& store, CommandResult& result) {
  auto arguments = std::make_shared<StoreArguments>();
  add_command(store, "compact", "Compact entries and release the free space between them; the store must not be in use",
              arguments)
      .callback([arguments, &result] {
        note_interrupts();
        const Status status = run_compact(*arguments);
        result.exit_code = status ? 0 : report_error(status.error());
      });
}

}  // namespace kvantage::cli
