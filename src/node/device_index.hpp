// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"

namespace nettune::node {

/// Follows interfaces within one boot by their index, which no rename changes. A name is all that
/// identifies an interface without a bus address, and two of them may swap names between the
/// beginning and the end of a transaction.
class DeviceIndexes {
 public:
  DeviceIndexes() = default;
  explicit DeviceIndexes(const facts::Facts& facts);
  /// Of with_indexes().
  static DeviceIndexes parse(std::string_view token);

  /// `address` under the present name of `device`. Nothing if its index is unknown or gone, or if
  /// the address has another name: an RDMA device may have the identity of its interface.
  std::optional<Address> locate(const Address& address, const std::string& device) const;

  /// `token` with the indexes of the devices that the plan changes and that have only a name.
  std::string with_indexes(std::string token, const Plan& plan) const;

 private:
  struct Interface {
    unsigned index = 0;
    std::string name;  ///< when its index was read
  };
  std::map<std::string, Interface> interfaces_;  ///< by identity
};

/// The token without the indexes.
std::string without_indexes(const std::string& token);

}  // namespace nettune::node
