// SPDX-License-Identifier: Apache-2.0
#include "kinds/irq/provider.hpp"

#include <cerrno>
#include <cstring>

#include "base/cpu_list.hpp"
#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kernel/device_interrupts.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kinds::irq {
namespace {

constexpr std::int64_t kMostInterrupts = 2048;  // PCI_MSIX_FLAGS_QSIZE + 1, linux/pci_regs.h
constexpr std::string_view kManaged =
    "the kernel keeps this interrupt where it is (managed or bound to one CPU)";

/// The index of an address; nothing if it is not of this form.
std::optional<std::size_t> index_of(const Address& address) {
  const auto index = parse_int(address.key());
  if (!index || *index < 0 || *index >= kMostInterrupts || !address.element().empty() ||
      address.rest() != cat(address.object(), ':', *index))
    return std::nullopt;
  return static_cast<std::size_t>(*index);
}

std::string list_file(int number) { return cat(number, "/smp_affinity_list"); }

Reading not_applicable(std::string why) {
  return {Presence::not_applicable, "", std::move(why), {}};
}

/// The number of an interrupt; nothing if the device has fewer.
std::optional<int> number_at(const std::optional<std::vector<int>>& numbers, std::size_t index) {
  if (!numbers || index >= numbers->size()) return std::nullopt;
  return (*numbers)[index];
}

}  // namespace

std::string_view refusal_hint(int error, bool barred) {
  // irq_can_set_affinity_usr() is false: write_irq_affinity() returns EIO in Linux 6.1, and EPERM
  // in newer kernels (kernel/irq/proc.c).
  if (error == EIO || (error == EPERM && !barred)) return kManaged;
  // assign_vector_locked(), arch/x86/kernel/apic/vector.c
  if (error == ENOSPC) return "these CPUs have no free interrupt vector; give more CPUs";
  return {};
}

Result<Value> IrqProvider::canonical(const Address& address, const Value& want) const {
  if (!index_of(address))
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                   " is not an interrupt; write irq:IF:INDEX, from 0 on"));
  TRY(check_interface_name(address.object()));
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  const auto cpus = parse_cpu_list(*want);
  if (!cpus || cpu_count(*cpus) == 0)
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is not a list of CPUs such as \"0-7,16\""));
  return Value(cpu_list(*cpus));
}

IrqProvider::Numbers IrqProvider::numbers_of(std::string_view device) const {
  const auto sys = kernel::Directory::open(sys_);
  if (!sys) return std::nullopt;
  return kernel::device_interrupts(*sys, cat("class/net/", device));
}

std::string IrqProvider::no_effect(const Address& address, const Value& value, const Later&) {
  const auto index = index_of(address);
  const auto number =
      index && value ? number_at(numbers_of(address.object()), *index) : std::optional<int>();
  if (!number) return {};
  const auto list = parse_cpu_list(tree_.read(list_file(*number)).text);
  // What is yet to be written shows nothing.
  if (!list || cpu_list(*list) != *value) return {};
  const auto now = parse_cpu_list(tree_.read(cat(*number, "/effective_affinity_list")).text);
  if (!now || is_within(*now, *list)) return {};
  return cat("is not in effect: interrupt ", *number, " goes to CPU ", cpu_list(*now),
             " (effective_affinity_list)");
}

Reading IrqProvider::read_one(const Address& address, const Numbers& numbers) {
  const auto index = index_of(address);
  if (!index) return not_applicable("this is not an interrupt: write irq:IF:INDEX");
  const std::string device(address.object());
  if (!numbers) {
    const auto sys = kernel::Directory::open(sys_);
    if (!sys || !sys->exists(cat("class/net/", device)))
      return {Presence::missing, "", cat("there is no interface ", device), {}};
    return not_applicable(cat(device, " has no message-signaled interrupts"));
  }
  const auto number = number_at(numbers, *index);
  if (!number)
    return {Presence::missing, "", cat(device, " has only ", numbers->size(), " interrupts"), {}};
  const std::string file = list_file(*number);
  const auto raw = tree_.read(file);
  // The newest kernels make the directory with the first handler (register_irq_proc()).
  if (raw.error == ENOENT)
    return not_applicable(cat(proc_irq_, '/', file, " does not exist: nothing handles it"));
  if (raw.error != 0) return {Presence::not_permitted, "", tree_.read_barrier(file, raw.error), {}};
  const auto cpus = parse_cpu_list(raw.text);
  if (!cpus || cpu_count(*cpus) == 0)
    return not_applicable(cat(proc_irq_, '/', file, " has no list of CPUs"));
  // Newer kernels show it in the mode (register_irq_proc(), kernel/irq/proc.c).
  if (tree_.mode_of(file) == 0444)
    return not_applicable(cat("interrupt ", *number, " is at ", cpu_list(*cpus), ": ", kManaged));
  return {Presence::present, cpu_list(*cpus), "", {}};
}

std::vector<Reading> IrqProvider::read(std::span<const Address> addresses) {
  std::map<std::string, Numbers, std::less<>> of_devices;
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) {
    auto found = of_devices.find(address.object());
    if (found == of_devices.end())
      found = of_devices.emplace(address.object(), numbers_of(address.object())).first;
    readings.push_back(read_one(address, found->second));
  }
  return readings;
}

std::string IrqProvider::not_offered(const std::string& value) const {
  const auto sys = kernel::Directory::open(sys_);
  const auto cpus = parse_cpu_list(value);
  if (!sys || !cpus) return {};
  const auto of_file = [&](const char* name) {
    return parse_cpu_list(sys->line(cat("devices/system/cpu/", name)).value_or(""))
        .value_or(Cpus());
  };
  const Cpus present = of_file("present");
  if (!present.empty() && !is_within(*cpus, present))
    return cat("this node has only the CPUs ", cpu_list(present));
  // write_irq_affinity(), kernel/irq/proc.c: EINVAL.
  const Cpus online = of_file("online");
  if (!online.empty() && cpu_count(in_both(*cpus, online)) == 0)
    return cat("none of these CPUs is online; online are ", cpu_list(online));
  return {};
}

Effects IrqProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const auto index = index_of(address);
  const auto number =
      index ? number_at(numbers_of(address.object()), *index) : std::optional<int>();
  if (number) effects.not_permitted = tree_.write_barrier(list_file(*number));
  if (after) effects.impossible = not_offered(*after);
  check_way_back(effects, *this, address, before);
  return effects;
}

Result<> IrqProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    const auto index = index_of(write.address);
    if (!index || !write.after)
      return fail(Errc::invalid,
                  cat(printable(write.address.text), " cannot be removed, only set"));
    const auto number = number_at(numbers_of(write.address.object()), *index);
    if (!number)
      return fail(Errc::conflict, cat("setting ", write.address.text, " to ",
                                      printable(*write.after), ": it no longer exists"));
    const std::string file = list_file(*number);
    auto done = tree_.write(file, cat(proc_irq_, '/', file), *write.after);
    if (done) continue;
    Error error = std::move(done).error();
    if (const auto hint = refusal_hint(error.sys, !tree_.write_barrier(file).empty());
        !hint.empty())
      error.text += cat("; ", hint);
    return Failure(std::move(error));
  }
  return {};
}

}  // namespace nettune::kinds::irq
