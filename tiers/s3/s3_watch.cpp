// The watch of S3Store: one thread that shows others that this workbench is there, detects their changes, and reaches
// the server again.
#include <algorithm>

#include "core/base/units.h"
#include "tiers/s3/s3_object.h"
#include "tiers/s3/s3_refusal.h"
#include "tiers/s3/s3_store.h"
#include "tiers/shared_store.h"

namespace kvantage::inline s3 {
namespace {

constexpr std::size_t heads_at_once = 64;
constexpr std::size_t max_objects = 500'000;                        // in one listing
constexpr std::uint64_t max_list_bytes = std::uint64_t{256} << 20;  // as sent
constexpr std::uint64_t max_label_bytes_of_all = std::uint64_t{256} << 20;
constexpr std::uint64_t max_page_bytes = std::uint64_t{4} << 20;
constexpr double pauses_per_look = 10;  // a listing that takes long is asked for less often

}  // namespace

Expected<RecoveredEntries> S3Store::recover() {
  const double until =
      clock().seconds() + options_.access.timeouts.connect_seconds + options_.access.timeouts.answer_seconds;
  const auto given_up = [this] { return options_.give_up && options_.give_up(); };
  const GiveUp give_up = [&] { return given_up() || clock().seconds() > until; };
  RecoveredEntries recovered;
  RecoveringEntries changes(recovered);
  const auto client = ready(watcher_);
  Status opened = client ? renew_lease(**client, give_up) : tl::unexpected(client.error());
  if (opened) {
    const auto others = others_live(**client, give_up);
    opened = others ? look(**client, changes, give_up) : tl::unexpected(others.error());
  }
  if (opened && unsealed_ > 0 && !options_.seal_key)
    opened = fail(ErrorCode::rejected_input,
                  options_.access.url.address() +
                      ": its entries are sealed; add seal_key_file=FILE with their key, or choose another prefix");
  const bool out_of_time = !opened && opened.error().code == ErrorCode::cancelled && !given_up();
  if (opened || (out_of_time && answered_)) {
    link_.set_up();
    return recovered;
  }
  if (out_of_time) opened = fail(ErrorCode::io, options_.access.url.address() + ": not opened in time");
  if (opened.error().code != ErrorCode::io && opened.error().code != ErrorCode::no_space)
    return fail(opened.error().code, "tier " + name_ + ": " + opened.error().message);
  link_.set_down(opened.error());
  return recovered;
}

Status S3Store::renew_lease(S3Client& client, const GiveUp& give_up) {
  const S3Request request{.method = "PUT", .path = path_of(names_.workbenches() + workbench_)};
  KV_ASSIGN(const auto reply, client.exchange(request, give_up));
  if (!reply.is_success()) return tl::unexpected(refusal_of(options_.access.url, reply, "writing to it"));
  answered_ = true;
  lease_due_seconds_ = clock().seconds() + options_.lease_seconds / 3;
  return {};
}

Expected<std::vector<ListedObject>> S3Store::list(S3Client& client, const std::string& folder,
                                                  const GiveUp& give_up) const {
  const S3Url& url = options_.access.url;
  std::vector<ListedObject> objects;
  std::uint64_t bytes = 0;
  for (std::string next;;) {
    S3Request request{.query = "encoding-type=url&list-type=2&max-keys=1000&prefix=" + s3_escaped(folder, false),
                      .max_reply_bytes = max_page_bytes};
    if (!next.empty()) request.query.insert(0, "continuation-token=" + s3_escaped(next, false) + "&");
    KV_ASSIGN(const auto reply, client.exchange(request, give_up));
    if (!reply.is_success()) return tl::unexpected(refusal_of(url, reply, "listing it"));
    bytes += reply.body.size();
    auto page = parse_list_page(reply.body);
    if (!page) return fail(ErrorCode::io, url.address() + ": " + page.error().message);
    for (ListedObject& object : page->objects) {
      if (!object.name.starts_with(folder))
        return fail(ErrorCode::io, url.address() + ": its list names objects outside the prefix; check the endpoint");
      // In order, each once: a server that goes in circles never ends.
      if (!objects.empty() && object.name <= objects.back().name)
        return fail(ErrorCode::io, url.address() + ": its list of objects is not in order; check the endpoint");
      objects.push_back(std::move(object));
    }
    if (page->next.empty()) return objects;
    if (page->objects.empty() || objects.size() > max_objects || bytes > max_list_bytes)
      return fail(ErrorCode::io, url.address() + ": its list of objects does not end; choose another prefix");
    next = std::move(page->next);
  }
}

Status S3Store::look(S3Client& client, StoreChanges& changes, const GiveUp& give_up) {
  const std::uint64_t before = versions_->now();
  KV_ASSIGN(const auto objects, list(client, names_.entries(), give_up));
  Listing listing;
  listing.reserve(objects.size());
  for (const ListedObject& object : objects)
    if (const auto key = names_.key_in(object.name)) listing.emplace(*key, ListedVersion{object.etag, object.bytes});
  const S3Versions::Difference difference = versions_->compare(before, listing);
  for (const auto& [key, number] : difference.vanished) changes.vanished(key, number);

  const S3ObjectReader reader(client, options_.access.url, names_, options_.seal_key.get());
  std::uint64_t label_bytes = 0;
  for (std::size_t begin = 0; begin < difference.appeared.size(); begin += heads_at_once) {
    const std::size_t count = std::min(heads_at_once, difference.appeared.size() - begin);
    std::vector<Digest128> keys;
    keys.reserve(count);
    for (std::size_t i = begin; i < begin + count; ++i) keys.push_back(difference.appeared[i].first);
    KV_ASSIGN(auto found, reader.read(keys, give_up));
    for (std::size_t i = 0; i < found.size(); ++i) {
      S3Object& object = found[i].object;
      if (found[i].state == FoundObject::State::absent) continue;
      if (found[i].state != FoundObject::State::usable) {  // not deleted either: it may be another program's
        if (const std::uint64_t held = versions_->ignored(keys[i], object.etag)) changes.vanished(keys[i], held);
        if (found[i].state == FoundObject::State::unsealed) ++unsealed_;
        continue;
      }
      label_bytes += object.header.info.label.size();
      if (label_bytes > max_label_bytes_of_all)
        return fail(ErrorCode::rejected_input, options_.access.url.address() +
                                                   ": the labels of its entries take more than " +
                                                   format_bytes(max_label_bytes_of_all) + "; choose another prefix");
      if (const std::uint64_t number = versions_->synced(keys[i], object.etag); number != 0)
        changes.appeared(std::make_shared<S3Entry>(std::move(object), number, versions_, trash_));
    }
  }
  return {};
}

void S3Store::watch(StoreChanges& changes) {
  changes_ = &changes;
  watch_ = options_.executor.start("s3 watch", ThreadPriority::transfers, [this, &changes] { watch_loop(changes); });
}

void S3Store::end_watch() {
  stopping_ = true;
  link_.wake();
  watch_.reset();
  changes_ = nullptr;
}

void S3Store::watch_loop(StoreChanges& changes) {
  const GiveUp give_up = [this] { return stopping_.load(); };
  double pause = options_.first_pause_seconds, look_seconds = 0;
  while (!stopping_) {
    const bool was_up = link_.up();
    const double watch_pause = std::clamp(pauses_per_look * look_seconds, options_.poll_seconds,
                                          std::max(options_.poll_seconds, options_.lease_seconds / 3));
    const double seconds = was_up ? watch_pause : pause;
    for (const double until = clock().seconds() + seconds; !stopping_ && link_.up() == was_up;) {
      const double left = until - clock().seconds();
      if (!(left > 0)) break;
      link_.wait(left);
    }
    if (stopping_) return;
    if (link_.up() != was_up) continue;  // another thread could not reach it
    const double begun = clock().seconds();
    const Status tended = tend(changes, give_up);
    look_seconds = clock().seconds() - begun;
    if (stopping_) return;
    if (!tended) {
      link_.set_down(tended.error());
      pause = link_.refused() ? options_.longest_pause_seconds
              : was_up        ? options_.first_pause_seconds
                              : std::min(2 * pause, options_.longest_pause_seconds);
      continue;
    }
    pause = options_.first_pause_seconds;
    if (was_up) continue;
    link_.set_up();
    changes.reachable_again();
  }
}

Status S3Store::tend(StoreChanges& changes, const GiveUp& give_up) {
  KV_ASSIGN(S3Client* const client, ready(watcher_));
  if (!link_.up() || clock().seconds() >= lease_due_seconds_) KV_TRY(renew_lease(*client, give_up));
  return look(*client, changes, give_up);
}

}  // namespace kvantage::inline s3
