// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::kinds::file {

/// Whole files that nettune manages: file:/etc/sysctl.d/zz-nettune.conf with the value "sha256:HEX
/// mode 0644 owner 0:0". They are replaced by rename, never written through a symbolic link. Files
/// above 1 MiB and anything but regular files are left alone.
class FileProvider final : public Provider {
 public:
  explicit FileProvider(Disk& disk) : disk_(disk) {}

  std::string_view kind() const override { return "file"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value&, const Value&) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  bool staged() const override { return true; }
  std::string directory(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents& contents,
                 const std::string& transaction) override;
  Result<> place(std::span<const Write> unit, const std::string& transaction) override;
  Result<> discard(std::span<const Write> unit, const std::string& transaction) override;

 private:
  static Reading read_one(Disk& disk, const Address& address);
  Result<> place_one(const Write& write, const std::string& transaction);

  Disk& disk_;
};

}  // namespace nettune::kinds::file
