// SPDX-License-Identifier: Apache-2.0
#include "node/summary.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "base/unique_fd.hpp"
#include "base/version.hpp"
#include "node/display_text.hpp"
#include "node/identity.hpp"
#include "node/output_file.hpp"

namespace nettune::node {

namespace {

using SummaryJson = nlohmann::ordered_json;
using check::kStandings;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;
constexpr std::size_t kMostPast = 20;
constexpr std::size_t kMostApart = 1000;
constexpr std::int64_t kClockSlack_s = 300;
constexpr std::string_view kDirectory = "/run/nettune";

// --- writing it as JSON ---

SummaryJson past_json(const Past& past) {
  return {{"number", past.number},   {"time_s", past.time_s},   {"who", past.who},
          {"action", past.action},   {"profile", past.profile}, {"settings", past.settings},
          {"changed", past.changed}, {"result", past.result},   {"reason", past.reason}};
}

SummaryJson pending_json(const Summary::Pending& pending) {
  return {{"what", pending.what}, {"profile", pending.profile}, {"settings", pending.settings},
          {"who", pending.who},   {"until_s", pending.until_s}, {"temporary", pending.temporary}};
}

SummaryJson hold_json(const Hold& hold) {
  return {
      {"who", hold.who}, {"since_s", hold.since_s}, {"why", hold.why}, {"until_s", hold.until_s}};
}

SummaryJson check_json(const Summary::Check& check) {
  SummaryJson apart = SummaryJson::array();
  for (const Summary::Apart& one : check.apart)
    apart.push_back({{"setting", one.setting}, {"origin", one.origin}, {"since_s", one.since_s}});
  SummaryJson waits = SummaryJson::array();
  for (const Summary::Waits& one : check.waits)
    waits.push_back({{"setting", one.setting},
                     {"state", kAwaitedStates.word(one.state)},
                     {"takes_effect", one.when}});
  return {{"time_s", check.time_s},
          {"exit", check.exit},
          {"verdict", kStandings.word(check.standing)},
          {"apart", std::move(apart)},
          {"not_in_effect", std::move(waits)},
          {"traffic_blocked", check.traffic_blocked},
          {"traffic_unknown", check.traffic_unknown}};
}

// --- reading it ---

Failure malformed() {
  return fail(Errc::corrupt, cat(kSummaryFile, " is not what nettune writes"));
}

/// Takes the members of an object. What is not exactly as expected fails the whole.
class Members {
 public:
  explicit Members(const SummaryJson& object) : object_(object), good_(object.is_object()) {}

  bool good() const { return good_; }

  void take(const char* name, std::string& into) {
    const SummaryJson* const member = find(name);
    if (member == nullptr || !member->is_string()) return fail();
    into = member->get<std::string>();
  }
  void take(const char* name, bool& into) {
    const SummaryJson* const member = find(name);
    if (member == nullptr || !member->is_boolean()) return fail();
    into = member->get<bool>();
  }
  template <class Integer>
  void take(const char* name, Integer& into) {
    const SummaryJson* const member = find(name);
    if (member == nullptr || !member->is_number_integer()) return fail();
    // As unsigned it would be larger than what is written.
    const auto number = member->get<std::int64_t>();
    if (number < 0 ||
        (member->is_number_unsigned() &&
         member->get<std::uint64_t>() >
             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) ||
        !std::in_range<Integer>(number))
      return fail();
    into = static_cast<Integer>(number);
  }
  /// `parse` takes the members of an object; null is nothing.
  template <class Part, class Parse>
  void take(const char* name, std::optional<Part>& into, Parse parse) {
    const SummaryJson* const member = find(name);
    if (member == nullptr) return fail();
    if (member->is_null()) return;
    Members members(*member);
    into = Part{};
    parse(members, *into);
    good_ = good_ && members.good();
  }
  template <class Part, class Parse>
  void take(const char* name, std::vector<Part>& into, std::size_t most, Parse parse) {
    const SummaryJson* const member = find(name);
    if (member == nullptr || !member->is_array() || member->size() > most) return fail();
    for (const SummaryJson& one : *member) {
      Members members(one);
      parse(members, into.emplace_back());
      good_ = good_ && members.good();
    }
  }
  void fail() { good_ = false; }

 private:
  const SummaryJson* find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const SummaryJson& object_;
  bool good_;
};

void take_past(Members& from, Past& into) {
  from.take("number", into.number);
  from.take("time_s", into.time_s);
  from.take("who", into.who);
  from.take("action", into.action);
  from.take("profile", into.profile);
  from.take("settings", into.settings);
  from.take("changed", into.changed);
  from.take("result", into.result);
  from.take("reason", into.reason);
}

void take_pending(Members& from, Summary::Pending& into) {
  from.take("what", into.what);
  from.take("profile", into.profile);
  from.take("settings", into.settings);
  from.take("who", into.who);
  from.take("until_s", into.until_s);
  from.take("temporary", into.temporary);
}

void take_hold(Members& from, Hold& into) {
  from.take("who", into.who);
  from.take("since_s", into.since_s);
  from.take("why", into.why);
  from.take("until_s", into.until_s);
}

void take_check(Members& from, Summary::Check& into) {
  from.take("time_s", into.time_s);
  from.take("exit", into.exit);
  std::string word;
  from.take("verdict", word);
  const auto standing = kStandings.value(word);
  if (!standing) return from.fail();
  into.standing = *standing;
  from.take("apart", into.apart, kMostApart, [](Members& members, Summary::Apart& apart) {
    members.take("setting", apart.setting);
    members.take("origin", apart.origin);
    members.take("since_s", apart.since_s);
  });
  from.take("not_in_effect", into.waits, kMostApart, [](Members& members, Summary::Waits& waits) {
    members.take("setting", waits.setting);
    std::string state;
    members.take("state", state);
    const auto known = kAwaitedStates.value(state);
    if (!known) return members.fail();
    waits.state = *known;
    members.take("takes_effect", waits.when);
  });
  from.take("traffic_blocked", into.traffic_blocked);
  from.take("traffic_unknown", into.traffic_unknown);
}

/// Of a check: everything is as applied, and there is no more to say.
bool is_plain(const Summary::Check& check) {
  return check == Summary::Check{check.time_s, 0, check::Standing::in_sync};
}

// --- this node ---

bool is_of_this_node(Context& context) {
  return !context.recorded() && !context.image() &&
         context.locations().state_directory == Locations().state_directory;
}

/// The last ones. What `before` has need not be read again.
std::vector<Past> last_ones(Context& context, const std::vector<Past>& before) {
  const auto numbers = context.state().history_numbers();
  if (!numbers || numbers->empty()) return {};
  if (!before.empty() && before.back().number == numbers->back()) return before;
  std::vector<Past> past;
  const auto transactions = context.state().history();
  if (!transactions) return past;
  const std::size_t first = transactions->size() > kMostPast ? transactions->size() - kMostPast : 0;
  for (std::size_t i = first; i < transactions->size(); ++i) {
    past.push_back(past_of((*transactions)[i]));
    past.back().vars.clear();
  }
  return past;
}

Summary::Check check_part(const check::Checked& checked, std::int64_t now_s,
                          const std::optional<Summary::Check>& before) {
  Summary::Check part;
  part.time_s = now_s;
  part.exit = static_cast<int>(checked.exit);
  part.standing = checked.standing();
  const firewall::TrafficCounts traffic = firewall::count_traffic(checked.passages);
  part.traffic_blocked = traffic.dropped;
  part.traffic_unknown = traffic.unknown;
  part.waits = waits_of(checked.awaited);
  if (part.waits.size() > kMostApart) part.waits.resize(kMostApart);
  if (!checked.held) return part;
  for (const PlanItem& item : not_in_sync(*checked.held)) {
    if (part.apart.size() == kMostApart) break;
    Summary::Apart apart{item.setting.address.text, origin_text(item.setting.origin), now_s};
    if (before) {
      const auto same = std::ranges::find(before->apart, apart.setting, &Summary::Apart::setting);
      if (same != before->apart.end()) apart.since_s = same->since_s;
    }
    part.apart.push_back(std::move(apart));
  }
  return part;
}

/// Keeps other writers of the summary away. Not the lock of the state: an apply that finds that one
/// taken is refused. Nobody keeps this for long.
UniqueFd lock_directory() {
  const std::string path(kDirectory);
  constexpr int kHow = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd directory(::open(path.c_str(), kHow));
  if (!directory.valid() && errno == ENOENT && ::mkdir(path.c_str(), 0755) == 0) {
    static_cast<void>(::chmod(path.c_str(), 0755));  // the umask took bits away
    directory = UniqueFd(::open(path.c_str(), kHow));
  }
  struct stat status {};
  if (!directory.valid() || ::fstat(directory.get(), &status) != 0 || status.st_uid != 0 ||
      (status.st_mode & 0022U) != 0)
    return {};
  for (int tries = 0; tries < 20; ++tries) {
    if (::flock(directory.get(), LOCK_EX | LOCK_NB) == 0) return directory;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return {};
}

}  // namespace

Past past_of(const Transaction& transaction) {
  Past past;
  past.number = transaction.number;
  past.reason = transaction.reason;
  past.result = "damaged";
  if (transaction.damaged) return past;
  past.time_s = transaction.identity.time_s;
  past.who = transaction.identity.who;
  past.action = transaction.action;
  past.profile = transaction.profile;
  past.settings = transaction.settings.size();
  past.changed = static_cast<std::size_t>(std::ranges::count_if(
      transaction.records, [](const Record& record) { return record.cause.text.empty(); }));
  past.vars = transaction.vars;
  if (transaction.reason == kExpired)
    past.result = "expired";
  else if (transaction.reason == kEnded || transaction.reason == kEndedByReboot)
    past.result = "ended";
  else if (transaction.reason.starts_with(kNotConfirmed))
    past.result = "reverted";
  else
    past.result = transaction.aborted     ? "aborted"
                  : transaction.committed ? "committed"
                                          : "unfinished";
  return past;
}

std::vector<Summary::Waits> waits_of(const std::vector<Awaited>& awaited) {
  std::vector<Summary::Waits> waits;
  for (const Awaited& one : awaited)
    if (one.state != Awaited::State::unseen)
      waits.push_back({one.address.text, one.state, one.when});
  return waits;
}

Summary summarize(const StateView& state, const std::string& boot_id) {
  Summary summary;
  summary.time_s = std::time(nullptr);
  Summary::Lasting& lasting = summary.lasting;
  lasting.boot_id = boot_id;
  lasting.known = state.damaged.empty() && state.unreadable.empty();
  if (state.active) {
    lasting.generation = state.active->number;
    lasting.profile = state.active->profile;
    lasting.settings = state.active->settings.size();
    lasting.since_s = state.active->identity.time_s;
    lasting.who = state.active->identity.who;
    lasting.refused = state.active->refused.size();
  }
  if (state.is_open()) {
    const Transaction& open = state.journal.transaction;
    lasting.pending = {open.action,
                       open.profile,
                       open.settings.size(),
                       open.identity.who,
                       state.confirm_left_s ? summary.time_s + *state.confirm_left_s : 0,
                       open.temporary};
  }
  lasting.owed = without_side_effects(state.debts).size();
  lasting.unrecorded = state.unrecorded.size();
  lasting.lost = state.is_lost();
  lasting.hold = state.hold;
  lasting.exit = static_cast<int>(state.exit());
  return summary;
}

std::string summary_text(const Summary& summary) {
  const Summary::Lasting& lasting = summary.lasting;
  SummaryJson history = SummaryJson::array();
  for (const Past& past : lasting.history) history.push_back(past_json(past));
  const SummaryJson document = {
      {"schema", 1},
      {"kind", "summary"},
      {"nettune", NETTUNE_VERSION},
      {"build", build_info()},
      {"time_s", summary.time_s},
      {"boot_id", lasting.boot_id},
      {"known", lasting.known},
      {"generation", lasting.generation},
      {"profile", lasting.profile},
      {"settings", lasting.settings},
      {"since_s", lasting.since_s},
      {"who", lasting.who},
      {"pending", lasting.pending ? pending_json(*lasting.pending) : SummaryJson(nullptr)},
      {"owed", lasting.owed},
      {"unrecorded", lasting.unrecorded},
      {"refused", lasting.refused},
      {"state_lost", lasting.lost},
      {"hold", lasting.hold ? hold_json(*lasting.hold) : SummaryJson(nullptr)},
      {"exit", lasting.exit},
      {"check", summary.check ? check_json(*summary.check) : SummaryJson(nullptr)},
      {"history", std::move(history)}};
  return document.dump(2, ' ', false, SummaryJson::error_handler_t::replace) + "\n";
}

Result<Summary> parse_summary(std::string_view text) {
  if (text.size() > kLargest) return malformed();
  const SummaryJson document = SummaryJson::parse(text, nullptr, false);
  Members from(document);
  Summary summary;
  Summary::Lasting& lasting = summary.lasting;
  int schema = 0;
  std::string kind;
  from.take("schema", schema);
  from.take("kind", kind);
  if (schema != 1 || kind != "summary") return malformed();
  from.take("time_s", summary.time_s);
  from.take("boot_id", lasting.boot_id);
  from.take("known", lasting.known);
  from.take("generation", lasting.generation);
  from.take("profile", lasting.profile);
  from.take("settings", lasting.settings);
  from.take("since_s", lasting.since_s);
  from.take("who", lasting.who);
  from.take("pending", lasting.pending, take_pending);
  from.take("owed", lasting.owed);
  from.take("unrecorded", lasting.unrecorded);
  from.take("refused", lasting.refused);
  from.take("state_lost", lasting.lost);
  from.take("hold", lasting.hold, take_hold);
  from.take("exit", lasting.exit);
  from.take("check", summary.check, take_check);
  from.take("history", lasting.history, kMostPast, take_past);
  if (!from.good() || lasting.exit > 255 || (summary.check && summary.check->exit > 255))
    return malformed();
  return summary;
}

Result<Summary> read_summary(Context& context) {
  const std::string path(kSummaryFile);
  if (!is_of_this_node(context)) return fail(Errc::not_found, cat("there is no ", path));
  TRY_ASSIGN(const auto directory, context.disk().info(std::string(kDirectory)));
  TRY_ASSIGN(const auto file, context.disk().info(path));
  if (!directory || !file) return fail(Errc::not_found, cat("there is no ", path));
  const auto is_roots = [](const FileInfo& info) {
    return info.uid == 0 && (info.mode & 0022U) == 0;
  };
  if (!is_roots(*directory) || !is_roots(*file) || file->kind != FileInfo::Kind::regular)
    return fail(Errc::corrupt, cat(path, " may have been written by others than root"));
  TRY_ASSIGN(const auto text, context.disk().read(path, kLargest));
  if (!text) return fail(Errc::not_found, cat("there is no ", path));
  TRY_ASSIGN(Summary summary, parse_summary(*text));
  const auto sync = context.disk().info(std::string(kSyncFile));
  if (!summary.check || !is_plain(*summary.check) || !sync || !*sync || !is_roots(**sync))
    return summary;
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  summary.check->time_s =
      std::max(summary.check->time_s, (*sync)->mtime_ns / kNanosecondsPerSecond);
  summary.time_s = std::max(summary.time_s, summary.check->time_s);
  return summary;
}

std::string stale_reason(const Summary& summary, const std::string& boot_id, std::int64_t now_s) {
  if (summary.lasting.boot_id != boot_id) return "it is from another boot";
  if (summary.time_s > now_s + kClockSlack_s) return "it is from the future";
  if (now_s - summary.time_s > kSummaryFresh_s) return "it is older than 2 hours";
  return {};
}

namespace {

/// The summary of the node as it is, or as `checked` found it. `before` has what need not be read
/// again.
std::optional<Summary> present_summary(Context& context, const check::Checked* checked,
                                       const std::optional<Summary>& before) {
  const auto boot = boot_id(context.disk());
  if (!boot) return std::nullopt;
  std::optional<StateView> read;
  if (checked == nullptr) {
    auto state = context.look_at_state(OnDamage::tell);
    if (!state) return std::nullopt;
    state->at_work.reset();  // that is this process
    read = std::move(*state);
  }
  const StateView& state = checked != nullptr ? checked->state : *read;
  Summary summary = summarize(state, *boot);
  Summary::Lasting& lasting = summary.lasting;
  lasting.history = last_ones(context, before ? before->lasting.history : std::vector<Past>());
  const bool same_boot = before && before->lasting.boot_id == *boot;
  // It shows that the state was lost (signs.cpp).
  if (same_boot && !state.has_records && lasting.history.empty())
    lasting.history = before->lasting.history;
  const bool same = same_boot && before->lasting.generation == lasting.generation;
  if (checked != nullptr) {
    // A check that looked at nothing does not replace what the last one found.
    if (checked->standing() == check::Standing::not_checked && same && before->check)
      summary.check = before->check;
    else
      summary.check = check_part(*checked, summary.time_s, same ? before->check : std::nullopt);
  } else if (same && !state.is_open()) {
    summary.check = before->check;
    // Only a check looks for these.
    lasting.unrecorded = before->lasting.unrecorded;
    lasting.lost = before->lasting.lost;
    if ((lasting.unrecorded > 0 || lasting.lost) && lasting.exit == static_cast<int>(Exit::done))
      lasting.exit = static_cast<int>(Exit::drift);
  }
  return summary;
}

/// Most checks find what the one before found, and then nothing is read or written: as long as
/// kSyncFile is there, the summary says so, and its time is that of the last such check.
bool touch_sync(const check::Checked& checked) {
  return is_plain(check_part(checked, 0, {})) &&
         ::utimensat(AT_FDCWD, std::string(kSyncFile).c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

void make_sync() {
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(::open(std::string(kSyncFile).c_str(), kHow, 0644));
}

}  // namespace

std::optional<Summary> update_summary(Context& context, const check::Checked* checked) {
  if (!is_of_this_node(context)) return std::nullopt;
  if (checked != nullptr && touch_sync(*checked)) return std::nullopt;
  if (!context.is_root()) return std::nullopt;
  const trace::Step step("bring ", kSummaryFile, " up to date");
  bool is_strange = false;
  const auto written = [&]() -> std::optional<Summary> {
    auto read = read_summary(context);
    is_strange = !read && read.error().code == Errc::corrupt;
    return read ? std::optional(std::move(*read)) : std::nullopt;
  };
  if (checked == nullptr) {
    std::optional<Summary> before = written();
    auto now = present_summary(context, nullptr, before);
    if (before && now && before->lasting == now->lasting) return before;
    // Nothing was ever done here.
    Summary::Lasting nothing;
    if (now) nothing.boot_id = now->lasting.boot_id;
    if (!before && now && now->lasting == nothing) return now;
  }
  const UniqueFd lock = lock_directory();
  std::optional<Summary> summary = present_summary(context, checked, written());
  if (!lock.valid() || !summary) return summary;
  // Whoever changed the node since the check has written, or will.
  if (checked != nullptr && context.state_stamp().value_or("") != checked->stamp) return summary;
  const bool is_plain_check = summary->check && is_plain(*summary->check);
  if (!is_plain_check) static_cast<void>(::unlink(std::string(kSyncFile).c_str()));
  // What is there would keep its mode and owner.
  if (is_strange) static_cast<void>(::unlink(std::string(kSummaryFile).c_str()));
  const auto done = write_output_file(std::string(kSummaryFile), summary_text(*summary), 0644);
  // An old one would be believed.
  if (!done)
    for (const std::string_view file : {kSyncFile, kSummaryFile})
      static_cast<void>(::unlink(std::string(file).c_str()));
  if (done && checked != nullptr && is_plain_check) make_sync();
  return summary;
}

}  // namespace nettune::node
