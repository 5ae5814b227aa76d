// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::kinds::rdma {

/// A parameter of DCQCN, the congestion control of RoCE, as mlx5 names it.
struct DcqcnParameter {
  /// The file in debugfs below mlx5/PCI-ADDRESS/cc_params (mlx5_ib_dbg_cc_name in
  /// drivers/infiniband/hw/mlx5/cong.c, 6.1 and 6.12).
  std::string_view name;
  /// The file in sysfs below class/net/INTERFACE/ecn of OFED's driver (its en_ecn.c); "" if it has
  /// none.
  std::string_view ofed;
};

std::span<const DcqcnParameter> dcqcn_parameters();
/// Null for an unknown name.
const DcqcnParameter* find_dcqcn(std::string_view name);

}  // namespace nettune::kinds::rdma
