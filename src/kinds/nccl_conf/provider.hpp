// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::kinds::nccl_conf {

/// Lines of /etc/nccl.conf, one setting per variable: nccl.conf:NCCL_IB_TC, value as NCCL reads it.
/// Foreign lines stay byte for byte. The pseudo address nccl.conf:(end) is the end of the file ("no
/// file", "empty", "newline", "no newline"): with it, undo restores the file from before the first
/// managed line byte for byte, including its absence.
class NcclConfProvider final : public Provider {
 public:
  NcclConfProvider(Disk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}

  std::string_view kind() const override { return "nccl.conf"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address&) const override { return "nccl.conf"; }
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  bool staged() const override { return true; }
  std::string directory(const Address&) const override { return parent_path(path_); }
  Result<> write(std::span<const Write> unit, const Contents&,
                 const std::string& transaction) override;
  Result<> place(std::span<const Write> unit, const std::string& transaction) override;
  Result<> discard(std::span<const Write> unit, const std::string& transaction) override;

 private:
  /// The current file; no content if there is none.
  struct Present {
    std::optional<std::string> content;
    std::uint32_t mode = 0644;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
  };
  Result<Present> load();

  Disk& disk_;
  std::string path_;
};

}  // namespace nettune::kinds::nccl_conf
