// SPDX-License-Identifier: Apache-2.0
#include "core/restore.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "core/finish.hpp"
#include "core/foreign.hpp"

namespace nettune::inline core {

namespace {

/// A record with its device's present address.
struct Located {
  const Record* record = nullptr;
  Address address;
  bool is_witness() const { return !record->cause.text.empty() && !record->settle; }
};

class Restorer {
 public:
  Restorer(const RestoreInput& input, const Providers& providers, const Contents& contents)
      : input_(input), providers_(providers), contents_(contents) {}

  Restored run() {
    locate_all();
    find_changed_by_others();
    // What still protects goes when all else, side effects included, is restored. So it comes first
    // in the order of writes.
    const auto usual = std::stable_partition(
        units_.begin(), units_.end(), [&](const auto& unit) { return ends_protection(unit); });
    restore_units(usual, units_.end());
    if (usual != units_.begin()) restore_units(units_.begin(), usual);
    note_foreign();
    for (auto& [address, why] : stays_) result_.notes.push_back(std::move(why));
    if (const auto synced = sync_directories(input_.disk, directories_); !synced)
      result_.not_restored.push_back({Address{"directory"}, {}, {}, {}, synced.error().text});
    read_back();
    return std::move(result_);
  }

 private:
  using Units = std::vector<std::vector<Located>>;

  /// Restores these units, then what they and those behind them change along.
  void restore_units(Units::const_iterator first, Units::const_iterator last) {
    const auto end = std::make_reverse_iterator(first);
    for (auto unit = std::make_reverse_iterator(last); unit != end; ++unit) restore_unit(*unit);
    // A setting that another write changes may have been changed again by that one's undo.
    // Restoring a side effect may change others, or bring back a setting that must be set once more
    // (the IPv6 of an interface).
    constexpr int kMostPasses = 4;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      wrote_some_ = false;
      for (auto unit = units_.crbegin(); unit != end; ++unit)
        if (std::any_of(unit->begin(), unit->end(), is_moved)) restore_moved(*unit);
      for (auto unit = witnesses_.rbegin(); unit != witnesses_.rend(); ++unit)
        restore_witnesses(*unit);
      if (!wrote_some_) break;
    }
  }

  static bool is_moved(const Located& one) { return one.record->settle; }

  bool ends_protection(const std::vector<Located>& unit) const {
    const Provider* const provider = providers_.find(unit.front().address.kind());
    return provider && std::ranges::any_of(unit, [&](const Located& one) {
             return provider->turn(one.address, one.record->after, one.record->before) ==
                    Turn::last;
           });
  }

  void locate_all() {
    std::map<std::string, std::size_t> unit_at;
    for (const Record& record : input_.records) {
      if (record.lifetime == Lifetime::runtime && !input_.same_boot) continue;
      const auto address = record.device.empty() ? std::optional<Address>(record.address)
                                                 : input_.locate(record.address, record.device);
      if (!address) {
        gone(record);
        continue;
      }
      if (is_foreign(record.address)) foreign_.push_back(record.address);
      Located located{&record, *address};
      const bool is_witness = located.is_witness();
      auto& units = is_witness ? witnesses_ : units_;
      const auto [found, is_new] =
          (is_witness ? witnesses_at_ : unit_at).emplace(record.unit, units.size());
      if (is_new) units.emplace_back();
      units[found->second].push_back(std::move(located));
    }
  }

  /// What belongs to others is restored only while it has the value that the kernel gave it. That
  /// is seen before anything is restored, since the restore of one changes others along.
  void find_changed_by_others() {
    const auto now = read_all(foreign_, providers_);
    for (const Record& record : input_.records) {
      const auto reading = now.find(record.address);
      if (reading == now.end() || !reading->second.has_value()) continue;
      const Value value = reading->second.value();
      if (value != record.before && (!record.after || value != record.after))
        others_.insert(record.address);
    }
  }

  /// What stays different in other network namespaces, and why.
  void note_foreign() {
    const auto now = read_all(foreign_, providers_);
    for (const Record& record : input_.records) {
      const auto reading = now.find(record.address);
      if (reading == now.end() || stays_.contains(record.address)) continue;
      const Reading& there = reading->second;
      if (there.has_value() && there.value() == record.before) continue;
      if (there.presence == Presence::not_applicable) continue;
      result_.notes.push_back(
          cat("residue: ", record.address.text, " is not restored to ",
              record.before.value_or("absent"), ": ",
              !there.has_value() ? there.why
              : there.value() == record.after
                  ? cat("it is still ", there.text, ", as the kernel set it")
              : record.after
                  ? cat("it is ", there.text, " now, not ", *record.after, " as the kernel set it")
                  : cat("whether the kernel set its ", there.text, " is unknown")));
    }
  }

  /// The device may only be renamed, or away for a moment.
  void gone(const Record& record) { owe(record, record.after, away_text(record.device)); }

  void owe(const Record& record, Value left_at, std::string why) {
    result_.owed.push_back({{record.address, record.device, record.before, std::move(left_at),
                             record.before, record.lifetime, record.cause},
                            std::move(why),
                            false});
  }

  void restore_unit(const std::vector<Located>& unit) {
    Provider* const provider = providers_.find(unit.front().address.kind());
    if (!provider) {
      for (const Located& one : unit) not_restored(one, {}, "this nettune does not know its kind");
      return;
    }
    if (!provider->stays().empty()) {
      for (const Located& one : unit)
        result_.notes.push_back(cat(one.address.text, " stays: ", provider->stays()));
      return;
    }
    if (provider->staged()) {
      discard(*provider, unit);
      return;
    }
    write_back(*provider, unit);
  }

  void restore_moved(const std::vector<Located>& unit) {
    Provider* const provider = providers_.find(unit.front().address.kind());
    if (provider && provider->stays().empty() && !provider->staged()) write_back(*provider, unit);
  }

  void write_back(Provider& provider, const std::vector<Located>& unit) {
    std::vector<Write> writes = different_ones(provider, unit);
    if (writes.empty()) return;
    // A side effect in the same unit is restored in the same step. Otherwise the kernel would pass
    // through a state that never existed (vm.dirty_bytes and vm.dirty_ratio both 0). A side effect
    // that cannot be written must not hold up the rest.
    std::vector<Write> together = writes;
    if (const auto found = witnesses_at_.find(unit.front().record->unit);
        found != witnesses_at_.end())
      for (Write& write : different_ones(provider, witnesses_[found->second]))
        together.push_back(std::move(write));
    const trace::Step step("undo ", together.front().address.text);
    auto written = provider.write(together, contents_, input_.transaction);
    if (written)
      writes = std::move(together);
    else if (together.size() > writes.size())
      written = provider.write(writes, contents_, input_.transaction);
    if (written) wrote_some_ = true;
    for (const Write& write : writes) {
      if (!written) failures_.insert_or_assign(write.address, written.error().text);
      remember(write);
    }
  }

  /// Each step once, however often it was written: the last time.
  void remember(const Write& write) {
    last_write_.insert_or_assign(write.address, wrote_.size());
    wrote_.push_back({write.address, write.before, write.after, {}, {}});
  }

  void discard(Provider& provider, const std::vector<Located>& unit) {
    std::vector<Write> writes;
    writes.reserve(unit.size());
    for (const Located& one : unit) {
      writes.push_back({one.address, one.record->before, one.record->after});
      directories_.insert(provider.directory(one.address));
    }
    auto discarded = provider.discard(writes, input_.transaction);
    if (discarded) discarded = take_out_placed(provider, unit);
    // Somebody replaced the directory; the prepared file went with it.
    if (!discarded && discarded.error().code == Errc::conflict)
      result_.notes.push_back(cat(unit.front().address.text, ": ", discarded.error().text));
    else if (!discarded)
      for (const Located& one : unit) not_restored(one, one.record->before, discarded.error().text);
  }

  /// A file that is in place already was committed by a COMMIT that the journal lost.
  Result<> take_out_placed(Provider& provider, const std::vector<Located>& unit) {
    std::vector<Write> writes = different_ones(provider, unit);
    std::map<Address, const Record*> records;
    for (const Located& one : unit) records.emplace(one.address, one.record);
    std::erase_if(writes, [&](const Write& write) {
      return records.at(write.address)->after != write.before;
    });
    if (writes.empty()) return {};
    TRY(provider.write(writes, contents_, input_.transaction));
    TRY(provider.place(writes, input_.transaction));
    for (const Write& write : writes) remember(write);
    return {};
  }

  std::vector<Write> different_ones(Provider& provider, const std::vector<Located>& unit) {
    std::vector<Address> addresses;
    addresses.reserve(unit.size());
    for (const Located& one : unit) addresses.push_back(one.address);
    const std::vector<Reading> now = provider.read(addresses);
    std::vector<Write> writes;
    for (std::size_t i = 0; i < unit.size(); ++i)
      if (now[i].has_value() && now[i].value() != unit[i].record->before &&
          !others_.contains(unit[i].address))
        writes.push_back({unit[i].address, now[i].value(), unit[i].record->before,
                          unit[i].is_witness() || is_moved(unit[i])});
    return writes;
  }

  /// A side effect usually returns along with its cause; otherwise it is written. One that cannot
  /// be written (a read-only list of the kernel) is reported and holds up nothing.
  void restore_witnesses(const std::vector<Located>& unit) {
    Provider* const provider = providers_.find(unit.front().address.kind());
    if (!provider || provider->staged()) return;
    for (const Located& one : unit) stays_.erase(one.address);
    const auto writes = different_ones(*provider, unit);
    if (writes.empty()) return;
    const auto written = provider->write(writes, contents_, input_.transaction);
    if (written) wrote_some_ = true;
    for (const Write& write : writes) {
      if (written) {
        remember(write);
      } else {
        stays_[write.address] =
            cat(write.address.text, " stays at ", write.before.value_or("absent"), " (it was ",
                write.after.value_or("absent"), "): ", written.error().text);
      }
    }
  }

  void read_back() {
    std::vector<Address> addresses;
    for (const auto& unit : units_)
      for (const Located& one : unit)
        if (const Provider* const provider = providers_.find(one.address.kind());
            provider && !is_foreign(one.address) && provider->stays().empty() &&
            !provider->staged())
          addresses.push_back(one.address);
    const auto readings = read_all(addresses, providers_);
    for (const auto& unit : units_) {
      for (const Located& one : unit) {
        const auto reading = readings.find(one.address);
        if (reading == readings.end()) continue;
        if (reading->second.presence == Presence::not_permitted)
          not_restored(one, {}, reading->second.why);
        else if (reading->second.presence == Presence::missing && !one.record->device.empty())
          gone(*one.record);
        // A setting that is no longer applicable took its value along.
        else if (reading->second.has_value() && reading->second.value() != one.record->before)
          not_restored(one, reading->second.value(), failures_[one.address]);
      }
    }
    for (std::size_t i = 0; i < wrote_.size(); ++i) {
      Step& step = wrote_[i];
      if (apart_.contains(step.address) || last_write_.at(step.address) != i) continue;
      step.now = step.wanted;
      result_.restored.push_back(std::move(step));
    }
  }

  void not_restored(const Located& one, Value now, std::string why) {
    apart_.insert(one.address);
    if (!one.record->device.empty()) {
      owe(*one.record, now ? now : one.record->after,
          why.empty() ? std::string("the driver accepted it but did not keep it") : std::move(why));
      return;
    }
    result_.not_restored.push_back(
        {one.address, one.record->after, one.record->before, std::move(now), std::move(why)});
  }

  const RestoreInput& input_;
  const Providers& providers_;
  const Contents& contents_;
  Units units_;
  Units witnesses_;  ///< by unit: ETS is set as a whole
  std::map<std::string, std::size_t> witnesses_at_;
  std::set<std::string> directories_;
  std::map<Address, std::string> failures_;
  std::vector<Address> foreign_;          ///< records in other network namespaces
  std::set<Address> others_;              ///< of these: changed by somebody else
  std::set<Address> apart_;               ///< differ from the old value
  std::map<Address, std::string> stays_;  ///< side effects that could not be restored, and why
  bool wrote_some_ = false;
  std::vector<Step> wrote_;
  std::map<Address, std::size_t> last_write_;  ///< positions in wrote_
  Restored result_;
};

}  // namespace

Restored restore(const RestoreInput& input, const Providers& providers, const Contents& contents) {
  return Restorer(input, providers, contents).run();
}

}  // namespace nettune::inline core
