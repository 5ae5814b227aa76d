// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "intake/import.hpp"
#include "profile/merge.hpp"

namespace nettune::intake {

/// Names a line of Account, in the order of add().
using LineId = std::size_t;

/// The lines of an import with their fates, and the keys that the profile gets of them. A later
/// line for the same key overrides an earlier one.
class Account {
 public:
  /// `parent` is the profile that the new one extends; null for none.
  Account(const Providers& providers, const profile::Merged* parent)
      : providers_(providers), parent_(parent) {}

  LineId add(std::string file, int line, std::string text);
  /// What the line means for the profile without being a key: translated, with this note.
  void accept(LineId line, std::string note);
  /// Not translated, or what of a line is not.
  void refuse(LineId line, std::string reason);

  /// A sysctl as the line has it: its key may be misspelled, and its value impossible.
  void set_sysctl(LineId line, std::string_view key, Relation relation, const std::string& value,
                  bool optional = false);
  /// Another setting; a device in its address stands for the set `set`.
  void set(LineId line, const Address& address, const std::string& value,
           const std::string& set = {});
  void overridden(LineId line, LineId by);
  void add_set(SetText set);
  bool has_set(std::string_view name) const;

  ImportedLine& operator[](LineId line) { return lines_[line]; }
  bool incomplete = false;

  /// Puts the entries and lines into `into`.
  void finish(Import& into);

 private:
  struct Target {
    LineId line = 0;
    Entry entry;
    bool already = false;
  };
  void put(LineId line, const std::string& id, Entry entry, const std::string& value,
           Relation relation);
  std::string of_parent(const std::string& id, Relation relation, const std::string& value) const;

  const Providers& providers_;
  const profile::Merged* parent_;
  std::vector<ImportedLine> lines_;
  std::vector<bool> has_reason_;  ///< of each line: something of it was refused
  std::vector<std::string> order_;
  std::map<std::string, Target> targets_;
  std::vector<SetText> sets_;
};

/// Reads the files of a format into the account. Errc::not_found for a file that does not exist.
Result<> read_tuned(node::Context& context, const ImportRequest& request, Account& account,
                    std::string& summary);
Result<> read_sysctl_files(node::Context& context, const ImportRequest& request, Account& account);
Result<> read_saptune(node::Context& context, const ImportRequest& request, Account& account,
                      std::string& summary);

/// ">4096" as a bound; what TuneD and saptune understand.
struct Assigned {
  Relation relation = Relation::exact;
  std::string value;
};
Assigned assigned(std::string_view text);

/// A word of a foreign file that can be part of an address.
bool is_plain_word(std::string_view word);

}  // namespace nettune::intake
