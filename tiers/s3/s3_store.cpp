#include "tiers/s3/s3_store.h"

#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "tiers/s3/s3_digest.h"
#include "tiers/s3/s3_etag.h"
#include "tiers/s3/s3_refusal.h"
#include "tiers/shared_store.h"

namespace kvantage::inline s3 {
namespace {

constexpr std::size_t removed_at_once = 64;

}  // namespace

S3Store::S3Store(std::string name, S3StoreOptions options)
    : name_(std::move(name)),
      options_(std::move(options)),
      names_(options_.access.url.prefix, options_.scope),
      workbench_(random_workbench()),
      link_(name_, options_.executor.clock()) {}

S3Store::~S3Store() {
  end_watch();
  if (!link_.up()) return;
  // Deleting what was erased last, and the sign of this workbench: left to the next one if the server does not respond
  // now.
  constexpr double patience_seconds = 2;
  const GiveUp give_up = [this, until = clock().seconds() + patience_seconds] { return clock().seconds() > until; };
  const auto client = ready(writer_);
  if (!client) return;
  Status done;
  while (done && !trash_->empty()) done = empty_trash(**client, give_up);
  if (!done) return;
  S3Request request{.method = "DELETE", .path = path_of(names_.workbenches() + workbench_)};
  (void)(*client)->exchange(request, give_up);
}

TierDescription S3Store::describe() const { return {name_, "S3", false, link_.note(options_.access.url.address())}; }

Expected<S3Client*> S3Store::ready(Client& slot) const {
  if (slot == nullptr) {
    KV_ASSIGN(slot, make_s3_client(options_.access, clock()));
  }
  return slot.get();
}

Expected<std::shared_ptr<StoredEntry>> S3Store::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                    const std::atomic<bool>& cancelled) {
  constexpr std::uint64_t max_object_bytes = std::uint64_t{5} << 30;  // of one PUT
  if (info.label.size() > max_label_bytes)
    return fail(ErrorCode::rejected_input, name_ + ": label of entry " + info.key.hex() + " is longer than 1 MiB");
  if (!link_.up()) return tl::unexpected(link_.unavailable());
  const GiveUp give_up = [&cancelled] { return cancelled.load(); };
  KV_ASSIGN(S3Client* const client, ready(writer_));
  if (const Status emptied = empty_trash(*client, give_up); !emptied)
    return tl::unexpected(link_.failed(emptied.error()));

  // The number of versions is 0: equal entries are equal objects.
  S3Object object{{}, {info, 0, checksum_of(bytes), checksum_of(bytes.first(info.header_bytes))}, nullptr, 0};
  auto head = encode_store_header(object.header);
  if (options_.seal_key) {
    auto seal = std::make_shared<const EntrySeal>(seal_of(bytes));
    const auto sealed = options_.seal_key->encode(names_.base(), head, *seal);
    head.insert(head.end(), sealed.begin(), sealed.end());
    object.seal = std::move(seal);
  }
  object.data_offset = head.size();
  if (head.size() + bytes.size() > max_object_bytes)
    return fail(ErrorCode::rejected_input,
                name_ + ": entry " + info.key.hex() + " is larger than " + format_bytes(max_object_bytes));

  S3Request request{.method = "PUT", .path = path_of(names_.entry(info.key))};
  request.body = {head, bytes};
  const std::string expected = md5_hex(request.body);
  versions_->putting(info.key);
  const auto etag = [&]() -> Expected<std::string> {
    if (!expected.empty() && versions_->knows(info.key, expected)) {
      const S3Request look{.method = "HEAD", .path = request.path, .headers = {if_match(expected)}};
      KV_ASSIGN(const auto there, client->exchange(look, give_up));
      if (there.is_success() && there.etag == expected) return expected;
    }
    return write(*client, std::move(request), info.key, expected, give_up);
  }();
  const bool newer = !etag && etag.error().code == ErrorCode::busy;
  const std::uint64_t number =
      versions_->put_done(info.key, etag ? *etag : std::string(), etag || newer ? std::string() : expected);
  if (newer) {
    (void)sync(*client, info.key, {}, give_up);  // it is used from now on; else the watch finds it
    return fail(ErrorCode::busy, "tier " + name_ + ": " + etag.error().message);
  }
  if (!etag) {
    if (!expected.empty()) trash_->add({info.key, 0, expected, false});  // it may have arrived without an answer
    if (etag.error().code == ErrorCode::no_space)
      return fail(ErrorCode::no_space, "tier " + name_ + ": " + etag.error().message);
    return tl::unexpected(link_.failed(etag.error()));
  }
  object.etag = *etag;
  return std::make_shared<S3Entry>(std::move(object), number, versions_, trash_);
}

// Replaces the version that this workbench knows, and no other: what somebody has stored meanwhile stays.
Expected<std::string> S3Store::write(S3Client& client, S3Request request, const Digest128& key,
                                     const std::string& expected, const GiveUp& give_up) {
  constexpr int most_tries = 4;
  constexpr long conflict = 409, other_version = 412;
  const S3Url& url = options_.access.url;
  auto [known, lost] = versions_->replaceable(key);
  S3Reply reply;
  for (int tries = 0; tries < most_tries; ++tries) {
    request.headers.clear();
    if (conditional_) request.headers.push_back(known.empty() ? std::string(if_none_match) : if_match(known));
    KV_ASSIGN(reply, client.exchange(request, give_up));
    if (conditional_ && lacks_header(reply)) {
      const std::string reason = refusal_text(reply);
      request.headers.clear();
      KV_ASSIGN(reply, client.exchange(request, give_up));
      conditional_ = !reply.is_success();  // else it was not the condition
      if (!conditional_) link_.limit("writes are not conditional: " + reason);
    }
    if (reply.is_success() && reply.etag.empty())
      return fail(ErrorCode::io, url.address() + ": no ETag came back for a stored object");
    if (reply.is_success()) return reply.etag;
    if (is_absent(reply) && !known.empty()) {  // deleted meanwhile
      known.clear();
    } else if (reply.status == other_version) {
      KV_ASSIGN(const auto there, client.exchange({.method = "HEAD", .path = request.path}, give_up));
      if (!there.is_success() && !is_absent(there))
        return tl::unexpected(refusal_of(url, there, "looking at an entry"));
      if (there.is_success() && !expected.empty() && there.etag == expected) return expected;  // an equal one
      if (there.is_success() && (lost.empty() || there.etag != lost))
        return fail(ErrorCode::busy, url.address() + ": another KVantage process stored a newer version meanwhile");
      known = there.is_success() ? std::exchange(lost, {}) : std::string();
    } else if (reply.status != conflict) {
      return tl::unexpected(refusal_of(url, reply, "storing an entry"));
    }
  }
  return fail(ErrorCode::busy,
              refusal_of(url, reply, "storing an entry").message + "; tried " + std::to_string(most_tries) + " times");
}

void S3Store::settle() {
  if (!link_.up() || trash_->empty()) return;
  const GiveUp give_up = [this] { return stopping_.load(); };
  const auto client = ready(writer_);
  if (!client) return;
  if (const Status emptied = empty_trash(**client, give_up); !emptied) (void)link_.failed(emptied.error());
}

// Of others than this one. A workbench is gone once its sign has not changed for the length of a lease.
Expected<bool> S3Store::others_live(S3Client& client, const GiveUp& give_up) {
  KV_ASSIGN(const auto signs, list(client, names_.workbenches(), give_up));
  const double now = clock().seconds();
  constexpr double forgotten_leases = 10;
  std::unordered_map<std::string, std::pair<std::string, double>> seen;
  std::vector<S3Request> removals;
  bool live = false;
  for (const ListedObject& sign : signs) {
    const std::string_view id = std::string_view(sign.name).substr(names_.workbenches().size());
    if (id == workbench_ || !Digest128::from_hex(id)) continue;  // another one's object is no sign, and stays
    const auto before = workbenches_.find(sign.name);
    const bool same = before != workbenches_.end() && before->second.first == sign.modified;
    const double since = same ? before->second.second : now;
    seen.emplace(sign.name, std::pair(sign.modified, since));
    live = live || now - since <= options_.lease_seconds;
    if (now - since > forgotten_leases * options_.lease_seconds && removals.size() < removed_at_once)
      removals.push_back({.method = "DELETE", .path = path_of(sign.name)});
  }
  workbenches_ = std::move(seen);
  KV_TRY(client.exchange_all(removals, give_up));  // refused: the sign stays, and nobody minds
  return live;
}

Status S3Store::empty_trash(S3Client& client, const GiveUp& give_up) {
  if (trash_->empty()) return {};
  KV_ASSIGN(const bool shared, others_live(client, give_up));
  std::vector<S3Trash::Item> items = trash_->take(removed_at_once);
  std::erase_if(items, [&](const S3Trash::Item& item) {
    return (shared && !item.forced) || versions_->used_again(item.key, item.number, item.etag);
  });
  const Status removed = remove(client, items, give_up);
  if (!removed)
    for (S3Trash::Item& item : items) trash_->add(std::move(item));
  return removed;
}

// Only the versions that are meant: another workbench may have stored another one.
Status S3Store::remove(S3Client& client, std::span<const S3Trash::Item> items, const GiveUp& give_up) {
  constexpr long other_version = 412;
  std::vector<S3Request> looks, removals;
  looks.reserve(items.size());
  removals.reserve(items.size());
  for (const S3Trash::Item& item : items)
    looks.push_back({.method = "HEAD", .path = path_of(names_.entry(item.key)), .headers = {if_match(item.etag)}});
  KV_ASSIGN(const auto there, client.exchange_all(looks, give_up));
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i].is_success() && there[i].etag == items[i].etag)
      removals.push_back({.method = "DELETE", .path = looks[i].path});
    else if (!there[i].is_success() && !is_absent(there[i]) && there[i].status != other_version)
      return tl::unexpected(refusal_of(options_.access.url, there[i], "looking at an entry"));
  }
  KV_ASSIGN(const auto gone, client.exchange_all(removals, give_up));
  for (const S3Reply& reply : gone)
    if (!reply.is_success() && !is_absent(reply))
      return tl::unexpected(refusal_of(options_.access.url, reply, "deleting an entry"));
  return {};
}

}  // namespace kvantage::inline s3
