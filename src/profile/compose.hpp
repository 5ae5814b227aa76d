// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "intents/lossless.hpp"
#include "kinds/firewall/intent.hpp"
#include "profile/expand.hpp"
#include "profile/merge.hpp"
#include "profile/profile.hpp"

namespace nettune::profile {

/// What the boot files are made of, beside the sysctl settings themselves.
struct BootParts {
  std::vector<std::string> modules;
  std::string memlock;  ///< "" for none
  std::vector<std::string> services;
  std::set<std::string, std::less<>> outputs;  ///< where variables go, as [env] names it
  std::vector<std::string> env_services;       ///< and into which services
  /// Those that flush the rules of [firewall], too, and whether they can be reloaded.
  std::map<std::string, bool> firewall_services;
  /// As Sources::read_sysctls.
  std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls;
};

/// Collects what the sections of a merged profile yield.
class Composer {
 public:
  Composer(const Merged& merged, const Expander& expander, const facts::Facts& facts, Resolved& out)
      : merged_(merged), expander_(expander), facts_(facts), out_(out) {}

  const Merged& merged() const { return merged_; }
  const Expander& expander() const { return expander_; }
  const facts::Facts& facts() const { return facts_; }
  BootParts& boot() { return boot_; }

  /// Puts variables into an item's value, checks its type again, and shows it.
  Result<Expanded> value_of(const Item& item);
  /// For `show`: a value that is not the item's own text.
  void show(const Item& item, std::string value) {
    out_.shown.push_back({item.section, item.key, std::move(value), item.value.origin});
  }
  /// An error for an address that has a setting already.
  Result<> add(Setting setting);
  /// A file setting with its content.
  Result<> add_file(const std::string& path, std::string content, std::uint32_t mode,
                    const std::string& owner, const Origin& origin);
  /// The directories above a file are wanted too: a small system lacks some (/etc/profile.d), and
  /// the plan has to say that they are made.
  Result<> add_directories_above(const std::string& path, const Origin& origin);
  void give_jobs(JobVariable variable) { out_.desired.variables.push_back(std::move(variable)); }
  const std::vector<JobVariable>& job_variables() const { return out_.desired.variables; }
  void admit(Admission admission) { out_.desired.admissions.push_back(std::move(admission)); }
  void note(std::string text) { out_.desired.notes.push_back(std::move(text)); }
  /// The profile does not fit this node: nothing is touched.
  void misfit(const std::string& text, const Origin& origin);
  /// Says that a value could not be made because device sets are empty: a note where it is
  /// optional, a misfit where it is not.
  void left_out(const Item& item, const std::vector<std::string>& empty_sets, bool optional);
  /// The same of what went into a value; true where that was all right.
  bool is_whole(const Item& item, const Expanded& expanded, bool optional);
  const std::vector<Setting>& settings() const { return out_.desired.settings; }

 private:
  void leave_out(const Item& item, const std::string& why, bool optional);
  /// An element and the whole of the same list cannot both be decided.
  Result<> check_elements(const Setting& setting) const;

  const Merged& merged_;
  const Expander& expander_;
  const facts::Facts& facts_;
  BootParts boot_;
  Resolved& out_;
  std::map<Address, Origin> seen_;
};

/// "[sysctl] net.core.rmem_max", for messages.
std::string label(const Item& item);
/// The inner "value" of a table, or the node itself.
const Node& plain_value(const Node& node);

// One function a section; each adds its settings.
Result<> compose_sysctl(Composer& composer);
Result<> compose_tcp(Composer& composer);
Result<> compose_link(Composer& composer);
/// Of intents that were read before, since other sections refer to them.
Result<> compose_lossless(Composer& composer, const std::map<std::string, Lossless>& intents);
Result<> compose_firewall(Composer& composer, const std::map<std::string, FirewallIntent>& intents);
Result<> compose_ethtool(Composer& composer);
Result<> compose_rdma(Composer& composer);
Result<> compose_qdisc(Composer& composer);
Result<> compose_dcb(Composer& composer);
Result<> compose_modules(Composer& composer);
Result<> compose_limits(Composer& composer);
Result<> compose_files(Composer& composer);
Result<> compose_env(Composer& composer);
/// The files that make it hold at the next boot; last, since they are made from all the others.
Result<> compose_boot_files(Composer& composer);

/// The largest buffer of a TCP socket for a rate and a round-trip time: twice the bandwidth-delay
/// product, since the kernel counts its own overhead per packet into the buffer, rounded up to a
/// power of two; at least `floor_bytes`, at most what tcp_rmem and tcp_wmem can hold (INT_MAX).
std::int64_t tcp_buffer_bytes(double rate_gbps, double rtt_ms, std::int64_t floor_bytes);

}  // namespace nettune::profile
