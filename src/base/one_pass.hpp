// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/disk.hpp"

namespace nettune::inline base {

/// A disk for one pass of reads over many paths. On roots_disk() the way to each is walked only
/// from where it leaves the way to the one before (Trail in base/walk.hpp); others are used as they
/// are.
class OnePass {
 public:
  /// `disk` must outlive this.
  explicit OnePass(Disk& disk);
  Disk& disk() { return own_ ? *own_ : disk_; }

 private:
  Disk& disk_;
  std::unique_ptr<Disk> own_;
};

}  // namespace nettune::inline base
