// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"

namespace nettune {

/// Different answers stay different (docs/design.md, promise 6).
enum class Presence {
  present,         ///< `text` is the value
  absent,          ///< it is not there, and could be: a file, a line, an element, a module
  missing,         ///< the object that should carry it is gone: an interface, a card
  not_yet,         ///< it will exist once the address in `why` is written (module before sysctl)
  not_applicable,  ///< this node has no such knob; `why` says so
  not_permitted,   ///< it exists, but this process may not read or write it; `why` says so
  unknown,         ///< nobody looked: a recorded node without this value
};

/// What is to be thought of an address of which nothing is here.
enum class Naming {
  plain,
  doubtful,    ///< nobody knows it, or what brings it is not here
  misspelled,  ///< nobody knows it, and it is one slip away from one that is known
  impossible,  ///< it can never name a value
};

struct Reading {
  Presence presence = Presence::unknown;
  std::string text;  ///< canonical value when present; also when not_permitted and still readable
  std::string why;   ///< a sentence, or for not_yet the address that must come first
  std::string content = {};       ///< file kinds only: the bytes behind the value's digest
  Naming naming = Naming::plain;  ///< where it is not_applicable, or not_yet and stays so
  /// Where it is not_permitted: something of somebody else is in its place, or on the way to it. A
  /// read that failed is not that.
  bool displaced = false;

  bool has_value() const { return presence == Presence::present || presence == Presence::absent; }
  Value value() const { return presence == Presence::present ? Value(text) : Value(); }
};

enum class Impact { none, link_bounce, queue_reopen, may_cut };
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
  /// The value that it will take, where the kernel's source says so; else whatever is read back is
  /// accepted and remembered.
  std::optional<std::string> predicted;
  std::string why;
};

/// In Effects::cuts: not one interface, but any.
inline constexpr std::string_view kEveryDevice = "*";

/// What a write to an address from `before` to `after` means.
struct Effects {
  Impact impact = Impact::none;
  Undo undo = Undo::exact;
  std::string residue;  ///< what undo leaves behind, for Undo::residue and none
  std::vector<Witness> touches;
  /// Why this process may not write it; empty when it may.
  std::string not_permitted = {};
  /// The interface whose traffic this write can cut, "" for none, kEveryDevice for all: guards look
  /// at it.
  std::string cuts = {};
  std::string note;  ///< when it takes effect, if not at once: "new login sessions"
};

/// One value on its way into the system.
struct Write {
  Address address;
  Value before;
  Value after;
  /// It goes back, and was moved by another of its unit. If that moves it back, too, it needs no
  /// write of its own, which may change what a reading does not show.
  bool follows = false;
};

/// Looks up file contents by the digest in a value.
class Contents {
 public:
  virtual ~Contents() = default;
  virtual Result<std::string> get(const std::string& sha256_hex) const = 0;
};

/// Knows how to read and write settings of one kind, and what the kernel does around them. It
/// knows nothing of profiles, plans or journals. Implementations never print and never retry
/// blindly; errors name address, value and reason.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view kind() const = 0;

  /// Checks an address and a wanted value offline and returns the value's canonical text: the one
  /// that read() gives back once it has been written.
  virtual Result<Value> canonical(const Address& address, const Value& want) const = 0;

  /// Reads all addresses in one pass (one dump a kind), one Reading per address, in order.
  /// Never writes anything.
  virtual std::vector<Reading> read(std::span<const Address> addresses) = 0;
  /// Name of what one operation carries, or of what has an order of its own that depends on where
  /// the values go; addresses with the same unit are written together.
  virtual std::string unit(const Address& address) const { return address.text; }

  /// Addresses that must be written before this one, if they are written at all.
  virtual std::vector<Address> needs(const Address&) const { return {}; }
  /// Addresses that must be given back before this one, if they are given back at all.
  virtual std::vector<Address> given_back_after(const Address& address) const {
    return needs(address);
  }

  virtual Effects effects(const Address& address, const Value& before, const Value& after) = 0;

  /// Why undo and rollback never take a value of this kind back (a loaded module); empty when they
  /// do.
  virtual std::string_view stays() const { return {}; }

  /// Whether `now` is still what nettune made when it wrote `set`: then rollback takes it back,
  /// else somebody else's value stays.
  virtual bool is_still(const Value& set, const Value& now) const { return set == now; }

  virtual Lifetime lifetime(const Address&) const { return Lifetime::runtime; }

  /// True when a unit is prepared beside its target by write() and becomes visible only by place().
  virtual bool staged() const { return false; }

  /// Writes one unit. Returns when the effect has settled or its deadline has passed; the engine's
  /// read-back decides, not this result. `transaction` names temporaries of staged kinds.
  virtual Result<> write(std::span<const Write> unit, const Contents& contents,
                         const std::string& transaction) = 0;

  /// Staged kinds only. place(): atomically puts what write() prepared where it belongs;
  /// succeeds when that has happened already; when the target is neither `before` nor `after`
  /// (somebody edited it meanwhile) it leaves that alone and says so with Errc::conflict.
  virtual Result<> place(std::span<const Write>, const std::string& /*transaction*/) { return {}; }
  /// Staged kinds only: the directory whose entries write(), place() and discard() change. They
  /// leave it to the engine to make that durable, once for all that was done there.
  virtual std::string directory(const Address&) const { return {}; }
  /// Removes what write() prepared, if anything.
  virtual Result<> discard(std::span<const Write>, const std::string& /*transaction*/) {
    return {};
  }

  /// Corrects the effects of each write of one unit where all together do something else than each
  /// alone.
  virtual void combine(std::span<const Write>, std::span<Effects* const>) {}
};

/// A value that can never be written again: `effects` have no undo, and say why.
void set_no_way_back(Effects& effects, const Value& before, std::string_view why);
/// So where `before` is a value that canonical() does not take: a mode that nobody knows, a number
/// outside of what there can be. Absent is the provider's own matter.
void check_way_back(Effects& effects, const Provider& provider, const Address& address,
                    const Value& before);

/// The providers of this build, looked up by the kind of an address.
class Providers {
 public:
  void add(std::unique_ptr<Provider> provider);
  /// Null for a kind that nobody knows.
  Provider* find(std::string_view kind) const;
  /// Position of a kind in the order of writes: the order of add().
  std::size_t rank(std::string_view kind) const;
  const std::vector<std::unique_ptr<Provider>>& all() const { return providers_; }

 private:
  std::vector<std::unique_ptr<Provider>> providers_;
};

}  // namespace nettune
