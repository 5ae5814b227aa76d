// SPDX-License-Identifier: Apache-2.0
#include "owners/irqbalance.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "kernel/device_interrupts.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/irq/kind.hpp"
#include "owners/daemon.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kIrqbalanceUnit = "irqbalance.service";
/// EnvironmentFile= of irqbalance.service of Debian 12 (1.9.2-1), in this order.
constexpr const char* kIrqbalanceDefaults = "/usr/lib/irqbalance/defaults.env";
constexpr const char* kIrqbalanceFile = "/etc/default/irqbalance";
constexpr std::string_view kArgumentsVariable = "IRQBALANCE_ARGS=";

/// The running daemon has a socket with its process number there (init_socket, irqbalance.c). A
/// killed one leaves it behind.
std::optional<std::string> irqbalance_process(const conf::Files& files) {
  for (const std::string& name : files.names("/run/irqbalance", ".sock")) {
    constexpr std::string_view kPrefix = "irqbalance";
    if (!name.starts_with(kPrefix)) continue;
    const std::string pid = name.substr(kPrefix.size(), name.find('.') - kPrefix.size());
    const auto command = files.read(cat("/proc/", pid, "/comm"));
    if (parse_int(pid) && command && trim(command->text) == "irqbalance") return pid;
  }
  return std::nullopt;
}

/// The arguments in the files, and the line of the last one that has them.
struct IrqbalanceArguments {
  std::string text;
  int line = 0;  ///< of kIrqbalanceFile; 0 for none
};

IrqbalanceArguments stored(const conf::Files& files) {
  IrqbalanceArguments found;
  for (const char* const path : {kIrqbalanceDefaults, kIrqbalanceFile}) {
    const auto file = files.read(path);
    if (!file) continue;
    int number = 0;
    for (std::string_view line : split(file->text, '\n')) {
      ++number;
      line = trim(line);
      if (!line.starts_with(kArgumentsVariable)) continue;
      std::string_view value = trim(line.substr(kArgumentsVariable.size()));
      if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
          value.back() == value.front())
        value = value.substr(1, value.size() - 2);
      found = {std::string(value), path == kIrqbalanceFile ? number : 0};
    }
  }
  return found;
}

/// What concerns a claim of one device.
struct DeviceInterrupts {
  std::vector<int> interrupts;
  std::string module;
};

class InterruptClaims {
 public:
  InterruptClaims(std::vector<Banned> banned, std::string who, IrqbalanceArguments arguments,
                  const std::string& root)
      : banned_(std::move(banned)), who_(std::move(who)), arguments_(std::move(arguments)) {
    if (auto directory = kernel::Directory::open_node(root.empty() ? "/" : root))
      root_.emplace(*std::move(directory));
  }

  std::vector<Claim> claims(const Desired& desired, bool at_boot) {
    std::vector<Claim> claims;
    for (const Setting& setting : desired.settings) {
      if (!kinds::irq::kIrq.has(setting.address)) continue;
      const std::string name(setting.address.object());
      const DeviceInterrupts& device = device_of(name);
      const auto index = static_cast<std::size_t>(parse_int(setting.address.key()).value_or(0));
      if (index >= device.interrupts.size() || is_banned(device, device.interrupts[index]))
        continue;
      claims.push_back({setting.address, "irqbalance", kIrqbalanceFile, arguments_.line, "",
                        at_boot, sentence(name, device), true});
    }
    return claims;
  }

 private:
  const DeviceInterrupts& device_of(const std::string& name) {
    const auto found = devices_.find(name);
    if (found != devices_.end()) return found->second;
    DeviceInterrupts device;
    if (root_) {
      const std::string path = cat("sys/class/net/", name);
      device.interrupts = kernel::device_interrupts(*root_, path).value_or(std::vector<int>());
      device.module = root_->link_name(path + "/device/driver/module").value_or("");
    }
    return devices_.emplace(name, std::move(device)).first->second;
  }

  /// By the arguments of the daemon that runs, and by those of the next boot.
  bool is_banned(const DeviceInterrupts& device, int number) const {
    return std::ranges::all_of(banned_, [&](const Banned& banned) {
      return banned.interrupts.contains(number) || banned.modules.contains(device.module);
    });
  }

  std::string sentence(const std::string& name, const DeviceInterrupts& device) const {
    const std::string where = arguments_.line > 0 ? cat(kIrqbalanceFile, ":", arguments_.line)
                                                  : std::string(kIrqbalanceFile);
    const int first = device.interrupts.front();
    const int last = device.interrupts.back();
    std::string text =
        cat(who_, " moves the interrupts of ", name,
            " as their load changes, which reverts this setting; run systemctl disable --now ",
            kIrqbalanceUnit, ", or ban them in IRQBALANCE_ARGS (", where,
            ") with --banirq=N for each (now ", first, last > first ? cat(" to ", last) : "",
            "; a boot may change them)");
    if (!device.module.empty())
      text += cat(", or with --banmod=", printable(device.module), " for all of this driver");
    return text;
  }

  std::vector<Banned> banned_;
  std::string who_;
  IrqbalanceArguments arguments_;
  std::optional<kernel::Directory> root_;
  std::map<std::string, DeviceInterrupts> devices_;
};

}  // namespace

Banned banned_by(std::vector<std::string_view> arguments) {
  Banned banned;
  const auto take = [&](bool of_module, std::string_view value) {
    if (of_module)
      banned.modules.emplace(value);
    else if (const auto number = parse_int(value); number && *number >= 0)
      banned.interrupts.insert(static_cast<int>(*number));
  };
  constexpr std::array<std::pair<std::string_view, bool>, 4> kOptions = {
      {{"--banirq", false}, {"--banmod", true}, {"-i", false}, {"-m", true}}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const auto& [option, of_module] : kOptions) {
      if (!arguments[i].starts_with(option)) continue;
      std::string_view value = arguments[i].substr(option.size());
      const bool is_long = option.starts_with("--");
      if (value.empty() && i + 1 < arguments.size())
        value = arguments[++i];
      else if (is_long && !value.starts_with('='))
        continue;
      else if (is_long)
        value.remove_prefix(1);
      take(of_module, value);
      break;
    }
  }
  return banned;
}

std::vector<Claim> irqbalance_claims(const conf::Files& files, const Desired& desired,
                                     const std::string& root) {
  const bool any = std::ranges::any_of(
      desired.settings, [](const Setting& one) { return kinds::irq::kIrq.has(one.address); });
  if (!any) return {};
  const bool at_boot = starts_at_boot(files, kIrqbalanceUnit);
  const auto pid = irqbalance_process(files);
  if (!at_boot && !pid) return {};
  IrqbalanceArguments arguments = stored(files);
  std::vector<Banned> banned;
  if (at_boot) banned.push_back(banned_by(words(arguments.text)));
  if (const auto line = pid ? files.read(cat("/proc/", *pid, "/cmdline")) : std::nullopt)
    banned.push_back(banned_by(split(line->text, '\0')));
  return InterruptClaims(std::move(banned), daemon_words("irqbalance", at_boot, pid.has_value()),
                         std::move(arguments), root)
      .claims(desired, at_boot);
}

}  // namespace nettune::owners
