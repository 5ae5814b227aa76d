// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/doctor/machine.hpp"

/// Outputs that people have instead of a recorded tree. Each is parsed into the part of a machine
/// that it describes; what is not in it stays as it was.
namespace nettune::tools::doctor::probe {

void take_smi_xml(std::string_view text, Machine& machine);       // `nvidia-smi -q -x`
void take_topology(std::string_view text, Machine& machine);      // `nvidia-smi topo -m`
void take_smi_nvlink(std::string_view text, Machine& machine);    // `nvidia-smi nvlink --status`
void take_dcgmi_nvlink(std::string_view text, Machine& machine);  // `dcgmi nvlink --link-status`
void take_lspci(std::string_view text, Machine& machine);         // `lspci -D -nn -vvv`
void take_ibstat(std::string_view text, Machine& machine);        // `ibstat`
void take_devinfo(std::string_view text, Machine& machine);       // `ibv_devinfo -v`
/// `ethtool -S INTERFACE`, or NAME VALUE lines of an RDMA port's counters.
void take_counters(const std::string& device, std::string_view text, Machine& machine);
void take_shm_list(std::string_view text, Machine& machine);  // `ls -l /dev/shm`
/// PCI functions from the kernel's boot messages, if there is no other list.
void take_boot_lines(const KernelLog& log, Machine& machine);

}  // namespace nettune::tools::doctor::probe
