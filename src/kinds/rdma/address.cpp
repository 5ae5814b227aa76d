// SPDX-License-Identifier: Apache-2.0
#include "kinds/rdma/address.hpp"

#include "base/text.hpp"

namespace nettune::kinds::rdma {
namespace {

/// IB_DEVICE_NAME_MAX in include/uapi/rdma/rdma_user_ioctl_cmds.h, less the final NUL.
constexpr std::size_t kMaxDeviceBytes = 63;
/// A port number has 8 bits in every message of verbs; switches begin at 0, channel adapters at 1.
constexpr std::int64_t kMaxPort = 255;

bool is_device_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxDeviceBytes && name != "." && name != ".." &&
         !has_control_characters(name) && name.find_first_of("/: ") == name.npos;
}

bool take_property(std::string_view name, RdmaTarget& target) {
  if (name == "cma-roce-mode") {
    target.property = RdmaProperty::cma_roce_mode;
  } else if (name == "cma-roce-tos") {
    target.property = RdmaProperty::cma_roce_tos;
  } else if (name == "traffic-class") {
    target.property = RdmaProperty::traffic_class;
  } else if (name.starts_with("cc-")) {
    target.property = RdmaProperty::congestion;
    target.parameter = rdma::find_dcqcn(name.substr(3));
    return target.parameter != nullptr;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<RdmaTarget> rdma_target(const Address& address) {
  const std::string_view object = address.object();
  const std::size_t slash = object.find('/');
  if (!is_device_name(object.substr(0, slash)) || address.body() != address.rest())
    return std::nullopt;
  RdmaTarget target;
  target.device = std::string(object.substr(0, slash));
  if (slash == object.npos)
    return address.key() == "cma" ? std::optional(std::move(target)) : std::nullopt;
  const std::string_view digits = object.substr(slash + 1);
  const auto port = parse_int(digits);
  if (!port || *port < 1 || *port > kMaxPort || digits.front() == '0') return std::nullopt;
  target.port = static_cast<int>(*port);
  if (!take_property(address.key(), target)) return std::nullopt;
  return target;
}

Address rdma_group_address(std::string_view device) { return {cat("rdma:", device, ":cma")}; }

Address rdma_address(std::string_view device, int port, std::string_view property) {
  return {cat("rdma:", device, '/', port, ':', property)};
}

}  // namespace nettune::kinds::rdma
