// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/doctor_site.hpp"

#include <array>
#include <chrono>

#include "base/text.hpp"
#include "profile/source.hpp"

namespace nettune::tools::doctor::program {

namespace {

/// The faults that drain a node if the site does not name any.
constexpr auto kDrain = std::to_array<std::string_view>(
    {"gpu-count", "gpu-driver", "gpu-ecc", "gpu-fabric", "gpu-nvlink", "gpu-recovery",
     "gpu-row-remap", "gpu-xid", "pci-gone", "rdma-port"});

/// "2026-12-31", a day of the calendar.
bool is_day(const std::string& text) {
  const auto parts = split(text, '-');
  if (parts.size() != 3 || parts[0].size() != 4 || parts[1].size() != 2 || parts[2].size() != 2)
    return false;
  const auto year = parse_int(parts[0]);
  const auto month = parse_int(parts[1]);
  const auto day = parse_int(parts[2]);
  if (!year || !month || !day || *year < 0 || *month < 0 || *day < 0) return false;
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

Result<std::optional<int>> number_in(const toml::Node& table, std::string_view key, int least,
                                     int most) {
  const toml::Node* const node = table.find(key);
  if (!node) return std::nullopt;
  if (node->integer < least || node->integer > most)
    return toml::fail_at(node->origin, cat("doctor: ", key, " must be ", least, " to ", most,
                                           ", not ", node->integer));
  return static_cast<int>(node->integer);
}

Result<Owed> owed_of(const toml::Node& doctor) {
  Owed owed;
  const toml::Node* const table = doctor.find("owes");
  if (!table) return owed;
  owed.by = "the site file";
  constexpr int kMostGpus = 256;
  constexpr int kMostNvlinks = 64;
  TRY_ASSIGN(owed.gpus, number_in(*table, "gpus", 0, kMostGpus));
  TRY_ASSIGN(owed.nvlinks, number_in(*table, "nvlinks", 0, kMostNvlinks));
  if (const toml::Node* const ports = table->find("ports"))
    for (const toml::Node& port : ports->items) owed.ports.push_back(port.text);
  return owed;
}

}  // namespace

Result<DoctorSite> read_doctor_site(node::Context& context) {
  TRY_ASSIGN(const profile::Site read,
             profile::read_site(context.disk(), context.profile_sources()));
  DoctorSite site;
  if (const toml::Node* const drain = read.doctor.find("drain"))
    for (const toml::Node& rule : drain->items) site.drain.push_back(rule.text);
  else
    site.drain.assign(kDrain.begin(), kDrain.end());
  constexpr int kHour_s = 3600;
  constexpr int kLongestLook_s = 15;
  TRY_ASSIGN(const auto settle, number_in(read.doctor, "settle_s", 0, kHour_s));
  TRY_ASSIGN(const auto look, number_in(read.doctor, "look_again_s", 1, kLongestLook_s));
  site.settle_s = settle.value_or(site.settle_s);
  site.look_again_s = look.value_or(site.look_again_s);
  TRY_ASSIGN(site.owed, owed_of(read.doctor));
  const toml::Node* const ignores = read.doctor.find("ignore");
  if (!ignores) return site;
  for (const auto& [name, table] : ignores->entries) {
    const auto value = [&table = table](std::string_view key) {
      const toml::Node* const node = table.find(key);
      return node ? node->text : std::string();
    };
    Ignore ignore{value("id"), value("device"), value("until"), value("why")};
    if (!ignore.until.empty() && !is_day(ignore.until))
      return toml::fail_at(table.origin, cat("doctor.ignore.", name,
                                             ": until must be a day such as 2026-12-31, not \"",
                                             printable(ignore.until), "\""));
    site.ignores.push_back(std::move(ignore));
  }
  return site;
}

}  // namespace nettune::tools::doctor::program
