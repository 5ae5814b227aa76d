// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/word_table.hpp"
#include "core/setting.hpp"

namespace nettune::inline core {

/// Different answers stay different (docs/design.md, promise 6).
enum class Presence {
  present,         ///< `text` is the value
  absent,          ///< not there, but possible: a file, a line, an element, a module
  missing,         ///< its interface or card is gone
  not_yet,         ///< exists after the address in `why` is written (module before sysctl)
  not_applicable,  ///< this node has no such knob; `why` explains
  not_permitted,   ///< it exists, but this process may not read or write it; `why` explains
  unknown,         ///< not read: a recorded node without this value
};
/// In JSON, printed and read.
inline constexpr auto kPresences = word_table<Presence>({
    {Presence::present, "present"},
    {Presence::absent, "absent"},
    {Presence::missing, "missing"},
    {Presence::not_yet, "not_yet"},
    {Presence::not_applicable, "not_applicable"},
    {Presence::not_permitted, "not_permitted"},
    {Presence::unknown, "unknown"},
});

/// How to judge an address that does not exist here.
enum class Naming {
  plain,
  doubtful,    ///< the name is unknown, or what provides it is not present
  misspelled,  ///< the name is unknown and one typo away from a known one
  impossible,  ///< never a valid name
};

struct Reading {
  Presence presence = Presence::unknown;
  std::string text;  ///< canonical value when present; also when not_permitted and still readable
  std::string why;   ///< a sentence, or for not_yet the address that must come first
  std::string content = {};       ///< file kinds only: the bytes behind the value's digest
  Naming naming = Naming::plain;  ///< for not_applicable, or a permanent not_yet
  /// For not_permitted: a foreign object is in its place or on its path. A failed read does not
  /// count.
  bool displaced = false;

  bool has_value() const { return presence == Presence::present || presence == Presence::absent; }
  Value value() const { return presence == Presence::present ? Value(text) : Value(); }
};

enum class Impact {
  none,
  link_bounce,
  queue_reopen,
  cuts_forwarded,  ///< this node's own traffic goes on
  may_cut,
};
enum class Undo { exact, residue, none };
/// How long a value lives: until reboot, in the device's firmware, or on disk.
enum class Lifetime { runtime, firmware, disk };

std::string_view impact_text(Impact impact);
std::string_view undo_text(Undo undo);
std::string_view lifetime_text(Lifetime lifetime);

/// Another setting that the kernel changes along with a write.
struct Witness {
  Address address;
  std::string device;  ///< as Setting::device
  /// The new value, if the kernel's source defines it. Otherwise the value read back is accepted
  /// and recorded.
  std::optional<std::string> predicted;
  std::string why;
};

/// For Effects::cuts: any interface.
inline constexpr std::string_view kEveryDevice = "*";

/// Harm that a write does unless another setting has a certain value once the plan is written, or
/// does not exist.
struct Hazard {
  Address unless;
  std::string value;    ///< the value of `unless` that prevents it
  std::string cuts;     ///< as Effects::cuts
  std::string residue;  ///< as Effects::residue; "" if undo is exact
};

/// When a write takes place among those of a plan; undo is in reverse.
enum class Turn {
  first,  ///< it begins to protect against side effects of other writes
  usual,
  last,  ///< it ends that
};

/// What a write from `before` to `after` does.
struct Effects {
  /// What a person must allow before this is written; "" for nothing.
  struct Ask {
    std::string flag = {};  ///< "--allow-no-trial"
    std::string why = {};
  };
  Impact impact = Impact::none;
  Undo undo = Undo::exact;
  std::string residue;  ///< what undo leaves behind, for Undo::residue and none
  std::vector<Witness> touches;
  /// Why this process may not write it; "" if it may.
  std::string not_permitted = {};
  /// That holds for every process, because of what is at the target now (a mount point, an
  /// immutable file). It may go away, so it holds up no undo: the value is owed.
  bool obstructed = false;
  /// Why the kernel will refuse the value; "" if it may take it. What is optional is tried anyway,
  /// unless `not_permitted` says the same.
  std::string impossible = {};
  /// The interfaces whose traffic this write can cut, for the guards, separated by blanks; "" for
  /// none, kEveryDevice for all.
  std::string cuts = {};
  std::string note;           ///< for what it takes effect, if not for all: "new login sessions"
  std::string disturbs = {};  ///< whose traffic `impact` concerns, a sentence
  Ask asks = {};
  std::vector<Hazard> hazards = {};  ///< the plan judges them, and adds them to the rest
};

/// The first words of Provider::takes_effect().
inline constexpr std::string_view kAtNextBoot = "at the next boot";

/// What became of a value that has its effect elsewhere than where it is written: at the next boot,
/// or when something is loaded or started again.
struct InEffect {
  enum class State {
    yes,
    no,      ///< another value is in effect
    unseen,  ///< nothing shows it
  };
  State state = State::yes;
  /// A sentence: what shows it, and the value that is in effect; or why nothing does.
  std::string shown_by = {};
  /// For no: it is arranged that the next boot has it, whenever it was written.
  bool due = false;
  /// For unseen: the kernel was given it, which is all that is seen.
  bool arrived = false;
};

/// One value to write.
struct Write {
  Address address;
  Value before;
  Value after;
  /// A restore of a value that another setting of the unit changed. If restoring that one changes
  /// it back too, it needs no write of its own, which might change hidden state.
  bool follows = false;
};

/// Finds file contents by the digest in a value.
class Contents {
 public:
  virtual ~Contents() = default;
  virtual Result<std::string> get(const std::string& sha256_hex) const = 0;
};

/// Reads and writes the settings of one kind, and knows what the kernel does around them. It knows
/// nothing of profiles, plans or journals. Implementations never print and never retry blindly;
/// errors name address, value and reason.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view kind() const = 0;

  /// Checks an address and a wanted value offline. Returns the canonical text of the value: the one
  /// that read() returns once it is written.
  virtual Result<Value> canonical(const Address& address, const Value& want) const = 0;

  /// Reads all addresses in one pass (one dump per kind); returns one Reading per address, in
  /// order. Never writes.
  virtual std::vector<Reading> read(std::span<const Address> addresses) = 0;
  /// The name of a unit: what one kernel operation carries, or settings whose order depends on
  /// their new values. Addresses of one unit are written together.
  virtual std::string unit(const Address& address) const { return address.text; }

  /// Addresses that must be written before this one, if they are written at all.
  virtual std::vector<Address> needs(const Address&) const { return {}; }
  /// Addresses that must be restored before this one, if they are restored at all.
  virtual std::vector<Address> given_back_after(const Address& address) const {
    return needs(address);
  }

  virtual Effects effects(const Address& address, const Value& before, const Value& after) = 0;

  /// Why a value of this kind is never restored (a loaded module); "" if it is.
  virtual std::string_view stays() const { return {}; }

  /// Whether `now` is still the result of nettune's write of `set`. If so, rollback restores the
  /// old value; else the present value is somebody else's and stays.
  virtual bool is_still(const Value& set, const Value& now) const { return set == now; }

  virtual Lifetime lifetime(const Address&) const { return Lifetime::runtime; }

  /// When a value takes effect, if not as it is written; begins with kAtNextBoot where a boot
  /// brings it.
  virtual std::string takes_effect(const Address&) const { return {}; }
  /// Whether `written`, which is where such a value is written, is in effect; without a value,
  /// whether nothing of ours is. Never writes.
  virtual InEffect in_effect(const Address&, const Value& /*written*/) { return {}; }

  /// Whether the kernel lists `value` now among those that it accepts there. False if it has no
  /// such list. Asked only about a value that it refused.
  virtual bool lists(const Address&, const std::string& /*value*/) { return false; }

  /// True if write() prepares a unit beside its target and place() puts it there.
  virtual bool staged() const { return false; }

  /// Writes one unit. Returns when the effect has settled or its deadline has passed. The engine's
  /// read-back decides, not this result. `transaction` names temporaries of staged kinds.
  virtual Result<> write(std::span<const Write> unit, const Contents& contents,
                         const std::string& transaction) = 0;

  /// Staged kinds only. place() atomically moves what write() prepared to its target. It succeeds
  /// if that was done before. If the target is neither `before` nor `after` (somebody edited it),
  /// it leaves the target alone and returns Errc::conflict.
  virtual Result<> place(std::span<const Write>, const std::string& /*transaction*/) { return {}; }
  /// Staged kinds only: the directory in which write(), place() and discard() change entries. The
  /// engine makes it durable, once for all changes.
  virtual std::string directory(const Address&) const { return {}; }
  /// Removes what write() prepared, if anything.
  virtual Result<> discard(std::span<const Write>, const std::string& /*transaction*/) {
    return {};
  }

  virtual Turn turn(const Address&, const Value& /*before*/, const Value& /*after*/) const {
    return Turn::usual;
  }

  /// The values once a plan is written.
  using Later = std::function<Value(const Address&)>;
  /// Why `value` does nothing, given what else will hold; "" if it has an effect.
  virtual std::string no_effect(const Address&, const Value& /*value*/, const Later&) { return {}; }

  /// Corrects the effects of each write of one unit where all together do something else than each
  /// alone.
  virtual void combine(std::span<const Write>, std::span<Effects* const>) {}
};

/// Adds something that undo leaves behind.
void add_residue(Effects& effects, std::string_view text);
/// Adds interfaces to Effects::cuts.
void add_cut(Effects& effects, std::string_view interfaces);
/// Whether the write can cut this interface.
bool can_cut(const Effects& effects, std::string_view interface);
/// Marks a value that can never be written again: sets no undo, with the reason.
void set_no_way_back(Effects& effects, const Value& before, std::string_view why);
/// Does that if canonical() rejects `before`: an unknown mode, a number out of range. The provider
/// handles an absent value.
void check_way_back(Effects& effects, const Provider& provider, const Address& address,
                    const Value& before);

/// The providers of this build, looked up by the kind of an address.
class Providers {
 public:
  void add(std::unique_ptr<Provider> provider);
  /// Returns null for an unknown kind.
  Provider* find(std::string_view kind) const;
  /// The position of a kind in the order of writes: the order of add().
  std::size_t rank(std::string_view kind) const;
  const std::vector<std::unique_ptr<Provider>>& all() const { return providers_; }

 private:
  std::vector<std::unique_ptr<Provider>> providers_;
};

}  // namespace nettune::inline core
