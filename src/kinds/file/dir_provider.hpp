// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::kinds::file {

/// Directories that managed files need: dir:/etc/nettune, value "present". A directory is made at
/// once (0755), since temporaries must go into it, and removed when the transaction is undone. It
/// is removed only if it is empty.
class DirProvider final : public Provider {
 public:
  explicit DirProvider(Disk& disk) : disk_(disk) {}

  std::string_view kind() const override { return "dir"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address&, const Value&, const Value&) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  bool staged() const override { return true; }
  std::string directory(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;
  Result<> place(std::span<const Write> unit, const std::string&) override;
  Result<> discard(std::span<const Write> unit, const std::string&) override;

 private:
  static Reading read_one(Disk& disk, const Address& address);

  Disk& disk_;
};

}  // namespace nettune::kinds::file
