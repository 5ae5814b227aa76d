// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/rdma/address.hpp"

namespace nettune::kinds::rdma {

/// Access to directories in configfs; tests substitute their own. They return errno, 0 for success.
struct RdmaCalls {
  std::function<int(const std::string&)> make_directory;
  std::function<int(const std::string&)> remove_directory;
  RdmaCalls();
};

/// The traffic settings of an RDMA device, by port:
///
///     rdma:DEV:cma                 "present": rdma_cm's group of files for the device in configfs
///     rdma:DEV/PORT:cma-roce-mode  "RoCE v2", "IB/RoCE v1"; of connections that rdma_cm makes
///     rdma:DEV/PORT:cma-roce-tos   0 to 255, the same
///     rdma:DEV/PORT:traffic-class  0 to 255, absent for none; of all queue pairs, OFED only
///     rdma:DEV/PORT:cc-NAME        a number; names are in kinds/rdma/dcqcn.cpp
///
/// The two cma values can be read only while the group exists, and making it is a change: so the
/// group is a setting, and the values do not exist yet without it. They outlive the group and end
/// with the device (cma_add_one, drivers/infiniband/core/cma.c, 6.1). Only devices in
/// /sys/class/infiniband are read: those of this network namespace if `rdma system` says exclusive.
/// Writing needs root, and for debugfs a kernel without lockdown.
class RdmaProvider final : public Provider {
 public:
  /// `sys` is the path of /sys, with configfs and debugfs in kernel/.
  explicit RdmaProvider(std::string sys, RdmaCalls calls = {})
      : sys_(std::move(sys)), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "rdma"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  /// The file of an address, or why there is none.
  struct File {
    std::string path;  ///< below sys_; "" for none
    Reading why_not;
  };
  static File file_of(const kernel::Directory& root, const RdmaTarget& target);
  Reading read_one(const kernel::Directory& root, const Address& address) const;
  void add_congestion_effects(const kernel::Directory& root, const RdmaTarget& target,
                              Effects& effects) const;
  Result<> write_one(const Write& write);

  std::string sys_;
  RdmaCalls calls_;
};

}  // namespace nettune::kinds::rdma
