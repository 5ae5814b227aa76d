// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "conf/unit_files.hpp"
#include "facts/facts.hpp"
#include "profile/expand.hpp"
#include "profile/merge.hpp"
#include "profile/profile.hpp"

namespace nettune::profile {

/// The input of the boot files, besides the sysctl settings.
struct BootParts {
  std::vector<std::string> modules;
  std::vector<conf::Limit> limits;
  std::vector<std::string> services;
  std::set<std::string, std::less<>> outputs;  ///< the values of [env] outputs
  std::vector<std::string> env_services;       ///< the services that get the variables
  /// Services that also flush the rules of [firewall], and whether they can be reloaded.
  std::map<std::string, bool> firewall_services;
  std::vector<std::string> kernel_arguments;  ///< those that the site allows beside the known ones
  bool acs_with_guests = false;               ///< the site allows [acs] beside guests
  /// As Sources::read_sysctls.
  std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls;
};

/// Reads a file that a profile refers to with the trust rules of profiles, and records it as a
/// source. Errors carry the origin of the reference.
using ReadFile = std::function<Result<std::string>(const std::string& path, const Origin& origin)>;

/// Collects the settings that the sections of a merged profile yield.
class Composer {
 public:
  Composer(const Merged& merged, const Expander& variables_alone, const Expander& expander,
           ReadFile read_file, const facts::Facts& facts, Resolved& out, Mistakes& mistakes)
      : merged_(merged),
        variables_alone_(variables_alone),
        expander_(expander),
        read_file_(std::move(read_file)),
        facts_(facts),
        out_(out),
        mistakes_(mistakes) {}

  const Merged& merged() const { return merged_; }
  const Expander& expander() const { return expander_; }
  /// The expander with variables and no device sets.
  const Expander& variables_alone() const { return variables_alone_; }
  const ReadFile& read_file() const { return read_file_; }
  const facts::Facts& facts() const { return facts_; }
  BootParts& boot() { return boot_; }
  /// Where a section that makes each of its settings alone puts what is wrong with one.
  Mistakes& mistakes() { return mistakes_; }

  /// Inserts variables into an item's value, checks its type again, and shows it.
  Result<Expanded> value_of(const Item& item);
  /// Shows a value that is not the item's own text.
  void show(const Item& item, std::string value) {
    out_.shown.push_back({item.section, item.key, std::move(value), item.value.origin});
  }
  /// An address that already has a setting is an error.
  Result<> add(Setting setting);
  /// A file setting with its content.
  Result<> add_file(const std::string& path, std::string content, std::uint32_t mode,
                    const std::string& owner, const Origin& origin);
  /// The directories above a file are also wanted: a small system lacks some (/etc/profile.d), and
  /// the plan must say that they are made.
  Result<> add_directories_above(const std::string& path, const Origin& origin);
  void give_jobs(JobVariable variable) { out_.desired.variables.push_back(std::move(variable)); }
  const std::vector<JobVariable>& job_variables() const { return out_.desired.variables; }
  void admit(Admission admission) { out_.desired.admissions.push_back(std::move(admission)); }
  void note(std::string text) { out_.desired.notes.push_back(std::move(text)); }
  /// A note on an optional part of the profile, for which this node has nothing.
  void skip(std::string text) {
    out_.desired.skipped.push_back(text);
    note(std::move(text));
  }
  /// The profile does not match this node: nothing is changed.
  void misfit(const std::string& text, const Origin& origin);
  /// Reports that a value could not be made because device sets are empty: a note if it is
  /// optional, otherwise a misfit.
  void left_out(const Item& item, const std::vector<std::string>& empty_sets, bool optional);
  /// Does the same for an expanded value; true if it was complete.
  bool is_whole(const Item& item, const Expanded& expanded, bool optional);
  const std::vector<Setting>& settings() const { return out_.desired.settings; }

 private:
  void leave_out(const Item& item, const std::string& why, bool optional);
  /// An element and the whole of the same list cannot both be set.
  Result<> check_elements(const Setting& setting) const;

  const Merged& merged_;
  const Expander& variables_alone_;
  const Expander& expander_;
  ReadFile read_file_;
  const facts::Facts& facts_;
  BootParts boot_;
  Resolved& out_;
  Mistakes& mistakes_;
  std::map<Address, Origin> seen_;
};

/// "[sysctl] net.core.rmem_max", for messages.
std::string label(const Item& item);
/// The inner "value" of a table, or the node itself.
const toml::Node& plain_value(const toml::Node& node);

}  // namespace nettune::profile
