// SPDX-License-Identifier: Apache-2.0
// The commit protocol against a disk that forgets: the machine dies at every operation, and what
// recover makes of it must be the old state or the new one. Then each sync and each record is
// taken away in turn, and the same search must find a state that is neither.
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <set>

#include "unit/support/crash_world.hpp"

namespace nettune::core {
namespace {

using namespace test;

/// Something that changes a world, once.
using Deed = std::function<Report(Session&)>;

struct Case {
  std::string name;
  std::function<World()> begin;
  Deed deed;
  Outcome outcome = Outcome::committed;
  /// A card is away or refuses: when it is in order again, it must get what it is owed.
  bool broken = false;
  bool forgets = false;  ///< what is older than the latest transactions goes
  /// Where everything goes back to, once what is broken is in order again.
  std::function<World()> ground = world_with_cards;
};

/// Counts operations on disk and kernel, and dies at one of them.
struct Countdown {
  int operations = 0;
  int die_at = -1;
  bool tear = false;
  ModelDisk* disk = nullptr;
  void step() {
    if (operations++ != die_at) return;
    disk->tear_next_append = tear;
    throw Crash{};
  }
};

/// What a mutation leaves out: every operation of one place in the code; "" for none.
using Mutation = std::string;

void arm(World& world, Session& session, Countdown& countdown, const Mutation& mutation) {
  countdown.disk = world.disk.get();
  world.disk->tear_next_append = false;
  world.disk->before_operation = [&](const std::string&) {
    countdown.step();
    return 0;
  };
  world.disk->pretend = [mutation](const std::string& operation) { return operation == mutation; };
  for (FakeProvider* const fake : session.fakes)
    fake->before_write = [&](const Address&) {
      countdown.step();
      return std::string();
    };
}

void disarm(World& world) {
  world.disk->before_operation = [](const std::string&) { return 0; };
  world.disk->pretend = [](const std::string&) { return false; };
  world.disk->tear_next_append = false;
}

/// The states that are allowed, and how to tell them apart.
struct Allowed {
  std::string old_live, new_live, old_disk, new_disk;
  std::uint64_t old_active = 0, new_active = 0;
  std::string old_debts, new_debts;  ///< of files
};

std::uint64_t active_number(Session& session) {
  const auto active = session.state.active();
  return active && *active ? (*active)->number : 0;
}

/// The files that must still become something else.
std::string owed_files(Session& session) {
  std::string all;
  for (const Debt& debt : session.debts())
    if (debt.owed.lifetime == Lifetime::disk)
      all += cat(debt.owed.address.text, debt.to_set ? " set\n" : " restored\n");
  return all;
}

Allowed allowed_states(const Case& one) {
  World world = one.begin();
  Allowed allowed;
  allowed.old_live = visible(world, true);
  allowed.old_disk = visible(world, false);
  {
    Session session(world);
    allowed.old_active = active_number(session);
    allowed.old_debts = owed_files(session);
  }
  Session session(world);
  const Report report = one.deed(session);
  EXPECT_EQ(report.outcome, one.outcome) << (report.error ? report.error->text : "");
  allowed.new_live = visible(world, true);
  allowed.new_disk = visible(world, false);
  allowed.new_active = active_number(session);
  allowed.new_debts = owed_files(session);
  return allowed;
}

/// Every generation has the file contents that it names (what was undone needs none any more); with
/// `exactly` there are no others.
std::string check_contents(World& world, bool exactly) {
  constexpr std::string_view kPrefix = "sha256:";
  std::set<std::string> named;
  const auto names = world.disk->list(kState + "/generations");
  for (const std::string& name : *names) {
    const std::string bytes = **world.disk->read(cat(kState, "/generations/", name), 1 << 20);
    for (auto at = bytes.find(kPrefix); at != std::string::npos; at = bytes.find(kPrefix, at + 1)) {
      const std::string digest = bytes.substr(at + kPrefix.size(), 64);
      named.insert(digest);
      const bool is_generation = name.find('.') == std::string::npos;
      if (is_generation && !*world.disk->info(cat(kState, "/blobs/", digest)))
        return cat("the contents of ", digest.substr(0, 8), " that ", name, " names are lost");
    }
  }
  const auto blobs = world.disk->list(kState + "/blobs");
  for (const std::string& blob : *blobs)
    if (exactly && !named.contains(blob))
      return cat("the contents of ", blob.substr(0, 8), " are still here, and nothing names them");
  return {};
}

/// What is wrong with a world after recover; "" when it is wholly old or wholly new.
std::string verdict(World& world, const Allowed& allowed, bool power, const Report& report) {
  Session session(world);
  if (report.outcome == Outcome::incomplete)
    return cat("recover gave up: ", report.error ? report.error->text : "");
  const auto journal = session.state.journal();
  if (!journal || journal->kind != JournalStatus::Kind::none) return "a journal is left";
  const auto history = session.state.history();
  if (!history) return cat("history: ", history.error().text);
  for (const Transaction& one : *history)
    if (!one.committed && !one.aborted) return cat("transaction ", one.number, " has no end");
  if (std::string lost = check_contents(world, false); !lost.empty()) return lost;
  const std::string now = visible(world, !power);
  const bool is_old = now == (power ? allowed.old_disk : allowed.old_live);
  const bool is_new = now == (power ? allowed.new_disk : allowed.new_live);
  const std::uint64_t active = active_number(session);
  if (!is_old && !is_new) return cat("neither old nor new:\n", now);
  const std::string owed = owed_files(session);
  if (is_new && active == allowed.new_active)
    return owed == allowed.new_debts ? "" : cat("in the new state these files are owed: ", owed);
  if (is_old && active == allowed.old_active)
    return owed == allowed.old_debts ? "" : cat("in the old state these files are owed: ", owed);
  return cat("the state is ", is_old ? "old" : "new", " but generation ", active, " is active");
}

/// What has been applied can be taken back, and what was taken back can be applied again:
/// everything that this needs is on the disk.
std::string check_way_back(World& world, Session& session, bool power) {
  const auto numbers = session.state.numbers();
  if (!numbers || numbers->empty()) return {};
  const std::uint64_t there = numbers->back();
  const std::string before = visible(world, false);
  const Report back = session.rollback(0);
  if (back.outcome != Outcome::committed && back.outcome != Outcome::unchanged)
    return cat("no way back: ", back.error ? back.error->text : "");
  if (visible(world, !power) != visible(fresh_world(), !power))
    return cat("the way back ends elsewhere:\n", visible(world, !power));
  const Report again = session.rollback(there);
  if (again.outcome != Outcome::committed && again.outcome != Outcome::unchanged)
    return cat("no way forth: ", again.error ? again.error->text : "");
  return visible(world, false) == before ? "" : "the way forth ends elsewhere";
}

/// A card, or a file, that is in order again gets what it is owed, and from there everything can go
/// back.
std::string check_debts(World& world, const Case& one, bool power) {
  world.kernel.away.clear();
  world.kernel.refusing.clear();
  world.disk->mounts.clear();
  Session session(world);
  const Report paid = session.pay();
  if (paid.outcome != Outcome::committed && paid.outcome != Outcome::unchanged)
    return cat("a debt is not paid: ", paid.error ? paid.error->text : "");
  if (const Debts left = session.debts(); !left.empty())
    return cat("still owed: ", left.front().owed.address.text, ": ", left.front().reason);
  const Report back = session.rollback(0);
  if (back.outcome != Outcome::committed && back.outcome != Outcome::unchanged)
    return cat("no way back: ", back.error ? back.error->text : "");
  const std::string now = visible(world, !power);
  return now == visible(one.ground(), !power) ? "" : cat("what was broken did not go back:\n", now);
}

/// Kills the process at operation `at` of the deed (no power cut), or cuts the power; then
/// recovers.
std::string die_and_recover(const Case& one, const Allowed& allowed, int at, bool power,
                            ModelDisk::Survive survive, unsigned seed, const Mutation& mutation,
                            bool& reached, int recover_at = -1) {
  World world = one.begin();
  std::mt19937 random(seed);
  Countdown countdown;
  countdown.die_at = at;
  countdown.tear = seed % 2 == 1;
  bool died = false;
  {
    Session session(world);
    arm(world, session, countdown, mutation);
    try {
      static_cast<void>(one.deed(session));
    } catch (const Crash&) {
      died = true;
    }
  }
  reached = died;
  disarm(world);
  const bool finished = !died;
  if (power) reboot(world, survive, random);

  if (finished) {
    // It had reported success: without any recover the new state must be there.
    Report nothing;
    nothing.outcome = Outcome::unchanged;
    const std::string text = verdict(world, allowed, power, nothing);
    if (!text.empty()) return cat("after success: ", text);
    Session session(world);
    if (active_number(session) != allowed.new_active) return "after success: it is gone";
    const auto history = session.state.history();
    if (one.outcome == Outcome::rolled_back && (!history || history->empty()))
      return "after a failure: history does not know of it";
    if (one.broken) return check_debts(world, one, power);
    if (one.forgets)
      if (const std::string left = check_contents(world, true); !left.empty())
        return cat("after success: ", left);
    return check_way_back(world, session, power);
  }

  if (recover_at >= 0) {
    // recover dies as well, and is run again.
    Countdown again;
    again.die_at = recover_at;
    again.tear = seed % 2 == 0;
    Session session(world);
    arm(world, session, again, {});
    bool died_again = false;
    try {
      static_cast<void>(session.recover());
    } catch (const Crash&) {
      died_again = true;
    }
    reached = died_again;
    disarm(world);
    if (died_again && power) reboot(world, survive, random);
  }
  Session session(world);
  const Report report = session.recover();
  std::string text = verdict(world, allowed, power, report);
  return text.empty() && one.broken ? check_debts(world, one, power) : text;
}

/// Tries every way to die; the first bad end, or "".
std::string search(const Case& one, const Allowed& allowed, const Mutation& mutation, int samples,
                   int* points = nullptr) {
  bool reached = true;
  for (int at = 0; reached; ++at) {
    for (unsigned seed = 0; seed < 2; ++seed) {
      const std::string text = die_and_recover(one, allowed, at, false, ModelDisk::Survive::all,
                                               seed, mutation, reached);
      if (points) ++*points;
      if (!text.empty()) return cat("killed at operation ", at, ": ", text);
    }
    for (int sample = 0; sample < samples; ++sample) {
      const auto survive = sample == 0   ? ModelDisk::Survive::none
                           : sample == 1 ? ModelDisk::Survive::all
                                         : ModelDisk::Survive::random;
      const std::string text = die_and_recover(one, allowed, at, true, survive,
                                               static_cast<unsigned>(sample), mutation, reached);
      if (points) ++*points;
      if (!text.empty()) return cat("power cut at operation ", at, ", sample ", sample, ": ", text);
    }
  }
  return {};
}

World world_with_first() {
  World world = fresh_world();
  Session session(world);
  EXPECT_EQ(session.apply(first_profile()).outcome, Outcome::committed);
  return world;
}

Desired with_content(const std::string& content) {
  Desired desired;
  desired.profile = content;
  desired.settings = {setting("live:b", content)};
  add_file(desired, "/etc/old", content);
  sort_settings(desired);
  return desired;
}

World world_that_forgets() {
  World world = fresh_world();
  world.keep = 2;
  Session session(world);
  for (const char* const content : {"first", "second", "third"})
    EXPECT_EQ(session.apply(with_content(content)).outcome, Outcome::committed);
  return world;
}

std::vector<Case> cases() {
  return {
      {"first apply", fresh_world, [](Session& session) { return session.apply(first_profile()); }},
      {"switch", world_with_first,
       [](Session& session) { return session.apply(second_profile()); }},
      {"rollback to the baseline", world_with_first,
       [](Session& session) { return session.rollback(0); }},
      {"an apply that fails and takes itself back", fresh_world,
       [](Session& session) {
         for (FakeProvider* const fake : session.fakes) {
           const auto before = fake->before_write;
           fake->before_write = [before](const Address& address) {
             const std::string text = before(address);
             return address.text == "live:list.y" ? "refused" : text;
           };
         }
         return session.apply(first_profile());
       },
       Outcome::rolled_back},
      {"an apply that pushes out the oldest", world_that_forgets,
       [](Session& session) { return session.apply(with_content("fourth")); }, Outcome::committed,
       false, true},
      {"confirm",
       [] {
         World world = fresh_world();
         Session session(world);
         ApplyOptions options;
         options.confirm_deadline_s = world.boottime_s + 60;
         EXPECT_EQ(session.apply(first_profile(), options).outcome, Outcome::waiting);
         return world;
       },
       [](Session& session) { return session.engine->confirm(); }},
  };
}

World world_with_cards_applied(const ApplyOptions& options = {}) {
  World world = world_with_cards();
  Session session(world);
  const Outcome outcome = session.apply(cards_profile(), options).outcome;
  EXPECT_EQ(outcome, options.confirm_deadline_s > 0 ? Outcome::waiting : Outcome::committed);
  return world;
}

World world_with_a_debt() {
  ApplyOptions options;
  options.confirm_deadline_s = 1060;
  World world = world_with_cards_applied(options);
  Session session(world);
  world.kernel.away = {"card1"};
  RecoverOptions expired;
  expired.expire_window = true;
  EXPECT_EQ(session.recover(expired).outcome, Outcome::rolled_back);
  EXPECT_EQ(session.debts().size(), 5U);
  world.kernel.away.clear();
  return world;
}

/// Refuses the host-wide value that comes last, and then one of the values that have to go back.
Report apply_in_vain(Session& session) {
  for (FakeProvider* const fake : session.fakes) {
    const auto before = fake->before_write;
    fake->before_write = [before, written = 0](const Address& address) mutable {
      const std::string text = before(address);
      if (address.text == "live:z") return std::string("refused");
      return address.text == "live:card1.pfc" && written++ > 0 ? std::string("refused") : text;
    };
  }
  Desired desired = cards_profile();
  desired.settings.push_back(setting("live:z", "1"));
  return session.apply(desired);
}

std::vector<Case> broken_cases() {
  return {
      {"a window that ends while a card is away",
       [] {
         ApplyOptions options;
         options.confirm_deadline_s = 1060;
         World world = world_with_cards_applied(options);
         world.kernel.away = {"card1"};
         world.boottime_s = 1060;
         return world;
       },
       [](Session& session) { return session.recover(); }, Outcome::rolled_back, true},
      {"rollback past a card that refuses",
       [] {
         World world = world_with_cards_applied();
         world.kernel.refusing = {"live:card1.pfc"};
         return world;
       },
       [](Session& session) { return session.rollback(0, {.per_device = true}); },
       Outcome::committed, true},
      {"rollback past a card that is away",
       [] {
         World world = world_with_cards_applied();
         world.kernel.away = {"card1"};
         return world;
       },
       [](Session& session) { return session.rollback(0, {.per_device = true}); },
       Outcome::committed, true},
      {"reapply past a card that refuses",
       [] {
         World world = world_with_cards_applied();
         for (const auto& [address, value] : world_with_cards().kernel.values)
           if (address.starts_with("live:")) world.kernel.values[address] = value;
         world.kernel.refusing = {"live:card1.pfc"};
         return world;
       },
       [](Session& session) {
         ApplyOptions options;
         options.action = kReapply;
         return session.apply(*session.engine->target(1), options, {.per_device = true});
       },
       Outcome::committed, true},
      {"an apply that leaves out a card", world_with_cards,
       [](Session& session) {
         return session.apply(cards_profile(), {}, {.without = {{"card1", "left out"}}});
       },
       Outcome::committed, true},
      {"an apply that fails, and a card that does not go back", world_with_cards, apply_in_vain,
       Outcome::rolled_back, true},
      {"a debt that is paid", world_with_a_debt, [](Session& session) { return session.pay(); },
       Outcome::committed, true},
  };
}

World with_mounts(World world, const std::set<std::string>& mounts) {
  world.disk->mounts = mounts;
  world.disk->shows_mounts = false;
  return world;
}

std::string names_of(const std::set<std::string>& mounts) {
  return join(std::vector<std::string>(mounts.begin(), mounts.end()), ", ");
}

/// A placement that fails for ever, at each target in turn and at all of them.
std::vector<Case> mounted_cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& what, std::function<World()> begin, Deed deed,
                       std::vector<std::string> targets) {
    std::vector<std::set<std::string>> obstacles;
    for (const std::string& target : targets) obstacles.push_back({target});
    obstacles.emplace_back(targets.begin(), targets.end());
    for (const auto& mounts : obstacles)
      all.push_back({cat(what, " past a mount at ", names_of(mounts)),
                     [begin, mounts] { return with_mounts(begin(), mounts); }, deed,
                     Outcome::committed, true, false, fresh_world});
  };
  add("first apply", fresh_world, [](Session& session) { return session.apply(first_profile()); },
      {"/etc/d/new", "/etc/nccl.conf", "/etc/old"});
  add("switch", world_with_first, [](Session& session) { return session.apply(second_profile()); },
      {"/etc/d", "/etc/d/new", "/etc/nccl.conf", "/etc/old"});
  add("rollback", world_with_first, [](Session& session) { return session.rollback(0); },
      {"/etc/d", "/etc/d/new", "/etc/nccl.conf", "/etc/old"});
  return all;
}

TEST(CoreCrash, AFileThatCannotBePlacedIsOwedWhereverItDies) {
  for (const Case& one : mounted_cases()) {
    SCOPED_TRACE(one.name);
    const Allowed allowed = allowed_states(one);
    EXPECT_EQ(search(one, allowed, {}, 6), "");
  }
}

TEST(CoreCrash, EveryDeathEndsOldOrNew) {
  int points = 0;
  std::vector<Case> all = cases();
  std::ranges::move(broken_cases(), std::back_inserter(all));
  for (const Case& one : all) {
    if (one.name == "confirm") continue;  // its old state is a window that is open: below
    SCOPED_TRACE(one.name);
    const Allowed allowed = allowed_states(one);
    EXPECT_EQ(search(one, allowed, {}, 24, &points), "");
  }
  RecordProperty("points", points);
  EXPECT_GT(points, 2000);
}

TEST(CoreCrash, RecoverMayDieToo) {
  std::vector<Case> all = cases();
  std::ranges::move(broken_cases(), std::back_inserter(all));
  for (const Case& one : all) {
    if (one.name == "confirm") continue;
    SCOPED_TRACE(one.name);
    const Allowed allowed = allowed_states(one);
    bool reached_deed = true;
    for (int at = 0; reached_deed; ++at) {
      World probe = one.begin();
      die_and_recover(one, allowed, at, false, ModelDisk::Survive::all, 0, {}, reached_deed);
      bool reached = true;
      for (int recover_at = 0; reached_deed && reached; ++recover_at) {
        EXPECT_EQ(die_and_recover(one, allowed, at, false, ModelDisk::Survive::all, 1, {}, reached,
                                  recover_at),
                  "")
            << "killed at " << at << ", recover killed at " << recover_at;
        bool ignored = false;
        for (unsigned seed = 0; seed < 3; ++seed)
          EXPECT_EQ(die_and_recover(one, allowed, at, true, ModelDisk::Survive::random, seed, {},
                                    ignored, recover_at),
                    "")
              << "power cut at " << at << ", recover cut at " << recover_at << ", seed " << seed;
        if (HasFailure()) return;
      }
    }
  }
}

TEST(CoreCrash, AnUnconfirmedChangeIsGoneAfterAPowerCutAndStaysWithinItsWindow) {
  const Case one = cases().back();
  std::mt19937 random(1);
  World waiting = one.begin();
  {
    World rebooted = waiting.clone();
    reboot(rebooted, ModelDisk::Survive::all, random);
    Session session(rebooted);
    EXPECT_EQ(session.recover().outcome, Outcome::rolled_back);
    EXPECT_EQ(visible(rebooted, false), visible(fresh_world(), false));
  }
  {
    Session session(waiting);
    EXPECT_EQ(session.recover().outcome, Outcome::waiting);
  }
  waiting.boottime_s += 61;
  Session session(waiting);
  EXPECT_EQ(session.engine->confirm().outcome, Outcome::failed);
  EXPECT_EQ(session.recover().outcome, Outcome::rolled_back);
  EXPECT_EQ(visible(waiting, true), visible(fresh_world(), true));
}

TEST(CoreCrash, ConfirmIsAllOrNothing) {
  const Case one = cases().back();
  const Allowed allowed = allowed_states(one);
  const std::string before_apply = visible(fresh_world(), false);
  bool reached = true;
  for (int at = 0; reached; ++at) {
    for (int sample = 0; sample < 24; ++sample) {
      World world = one.begin();
      std::mt19937 random(static_cast<unsigned>(sample));
      Countdown countdown;
      countdown.die_at = at;
      reached = false;
      {
        Session session(world);
        arm(world, session, countdown, {});
        try {
          static_cast<void>(one.deed(session));
        } catch (const Crash&) {
          reached = true;
        }
      }
      disarm(world);
      reboot(world, ModelDisk::Survive::random, random);
      Session session(world);
      ASSERT_NE(session.recover().outcome, Outcome::incomplete);
      const std::string now = visible(world, false);
      const bool is_new = now == allowed.new_disk && active_number(session) == 1;
      const bool is_old = now == before_apply && active_number(session) == 0;
      EXPECT_TRUE(is_new || is_old) << "operation " << at << ", sample " << sample << "\n" << now;
    }
  }
}

/// The places in the code that a deed's syncs and records come from.
void collect_sites(const Case& one, std::set<std::string>& sites) {
  World world = one.begin();
  Session session(world);
  world.disk->before_operation = [&](const std::string& site) {
    if (site.starts_with("sync") || site.starts_with("append ")) sites.insert(site);
    return 0;
  };
  static_cast<void>(one.deed(session));
}

/// Taking any one sync or record out of the code must be found by the very search that finds
/// nothing else.
TEST(CoreCrash, EverySyncAndEveryRecordIsNeeded) {
  std::vector<Case> all = cases();
  all.pop_back();  // confirm adds no place of its own
  const std::vector<Case> mounted = mounted_cases();
  all.push_back(mounted.front());
  all.push_back(mounted.back());
  std::set<std::string> sites;
  std::vector<Allowed> allowed;
  for (const Case& one : all) {
    collect_sites(one, sites);
    allowed.push_back(allowed_states(one));
  }
  std::string found_list;
  for (const std::string& site : sites) {
    // Most show at once; only the rest need many ways to die.
    std::string found;
    for (const int samples : {2, 8, 64})
      for (std::size_t i = 0; i < all.size() && found.empty(); ++i)
        found = search(all[i], allowed[i], site, samples);
    EXPECT_NE(found, "") << "without \"" << site << "\" nothing goes wrong";
    std::cout << "without \"" << site << "\": " << found.substr(0, found.find('\n')) << "\n";
  }
  EXPECT_GE(sites.size(), 15U);
}

}  // namespace
}  // namespace nettune::core
