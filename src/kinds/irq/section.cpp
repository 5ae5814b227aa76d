// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/irq/kind.hpp"

namespace nettune::kinds::irq {
namespace {

constexpr std::string_view kNear = "near";
constexpr std::string_view kSpread = "spread";

/// The CPUs of each interrupt of a device, in the order of their indices.
std::vector<std::string> lists_for(std::string_view want, const Cpus& cpus, std::size_t count) {
  if (want != kSpread) return std::vector<std::string>(count, cpu_list(cpus));
  std::vector<std::string> lists;
  for (std::size_t cpu = 0; lists.size() < count; cpu = (cpu + 1) % cpus.size())
    if (cpus[cpu]) lists.push_back(std::to_string(cpu));
  return lists;
}

class Interrupts {
 public:
  explicit Interrupts(profile::Composer& composer) : composer_(composer) {}

  Result<> add(const profile::Item& item) {
    TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer_, item));
    if (!parts) return {};
    const std::string& want = parts->value.text;
    const auto given = parse_cpu_list(want);
    if (want != kNear && want != kSpread && (!given || cpu_count(*given) == 0))
      return toml::fail_at(parts->value.origin,
                           cat(profile::label(item), " cannot be ", toml::shown(parts->value),
                               "; it is \"near\", \"spread\", or a list such as \"0-15,32\""));
    for (const facts::NetDevice* const device : parts->devices)
      TRY(add_device(item, *parts, *device, given));
    return {};
  }

 private:
  Result<> add_device(const profile::Item& item, const common::DeviceItem& parts,
                      const facts::NetDevice& device, const std::optional<Cpus>& given) {
    if (!device.interrupts) {
      composer_.note(cat(profile::label(item), ": ", device.name,
                         " has no message-signaled interrupts, so nothing is set for it"));
      return {};
    }
    // Ports of one function share its interrupts.
    const auto [first, is_first] = first_.emplace(device.pci_address, device.name);
    if (!device.pci_address.empty() && !is_first && first->second != device.name) {
      composer_.note(cat(profile::label(item), ": ", device.name, " shares the interrupts of ",
                         first->second, ", where they are set"));
      return {};
    }
    const auto cpus = given ? given : parse_cpu_list(device.near_cpus);
    if (!cpus || cpu_count(*cpus) == 0) {
      const std::string why =
          cat(profile::label(item), ": the CPUs near ", device.name,
              " are not known, as the firmware does not report its NUMA node; give a list of CPUs");
      if (parts.optional)
        composer_.skip(why);
      else
        composer_.misfit(why, item.value.origin);
      return {};
    }
    const auto lists =
        lists_for(parts.value.text, *cpus, static_cast<std::size_t>(*device.interrupts));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      Setting setting = common::setting_for(item, parts, device, lists[i]);
      setting.address = {cat(kIrq.name, ':', device.name, ':', i)};
      TRY(composer_.add(std::move(setting)));
    }
    return {};
  }

  profile::Composer& composer_;
  /// The device under whose name the interrupts of a function are set, by PCI address.
  std::map<std::string, std::string> first_;
};

Result<> compose_irq(profile::Composer& composer) {
  Interrupts interrupts(composer);
  for (const profile::Item* const item : composer.merged().with_prefix("irq:"))
    composer.mistakes().take(interrupts.add(*item));
  return {};
}

constexpr auto kIrqRules = std::to_array<profile::Rule>({
    {"profile/irq", profile::kTable, "Interrupts, by device set"},
    {"profile/irq/*", profile::kTable, "Of every device in the set"},
    {"profile/irq/*/cpus",
     profile::kString | profile::kOptional,
     "CPUs that handle them: \"near\" (all of the device's NUMA node), \"spread\" (one of these "
     "for "
     "each interrupt, in turn), or a list: \"0-15,32\"",
     {},
     false,
     {.pattern = "^(near|spread|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)$"}},
});

}  // namespace

constinit const profile::Section kIrqSection = {.name = "irq",
                                                .rules = kIrqRules,
                                                .collect = profile::collect_of_devices,
                                                .compose = compose_irq};

}  // namespace nettune::kinds::irq
