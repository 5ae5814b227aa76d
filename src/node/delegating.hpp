// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"

namespace nettune::node {

/// Forwards everything to another provider; subclasses override the differences.
class DelegatingProvider : public Provider {
 public:
  /// `inner` must outlive this.
  explicit DelegatingProvider(Provider& inner) : inner_(inner) {}

  std::string_view kind() const override { return inner_.kind(); }
  Result<Value> canonical(const Address& address, const Value& want) const override {
    return inner_.canonical(address, want);
  }
  std::vector<Reading> read(std::span<const Address> addresses) override {
    return inner_.read(addresses);
  }
  std::string unit(const Address& address) const override { return inner_.unit(address); }
  std::vector<Address> needs(const Address& address) const override {
    return inner_.needs(address);
  }
  std::vector<Address> given_back_after(const Address& address) const override {
    return inner_.given_back_after(address);
  }
  Effects effects(const Address& address, const Value& before, const Value& after) override {
    return inner_.effects(address, before, after);
  }
  void combine(std::span<const Write> unit, std::span<Effects* const> effects) override {
    inner_.combine(unit, effects);
  }
  std::string_view stays() const override { return inner_.stays(); }
  bool is_still(const Value& set, const Value& now) const override {
    return inner_.is_still(set, now);
  }
  Lifetime lifetime(const Address& address) const override { return inner_.lifetime(address); }
  bool lists(const Address& address, const std::string& value) override {
    return inner_.lists(address, value);
  }
  bool staged() const override { return inner_.staged(); }
  std::string directory(const Address& address) const override { return inner_.directory(address); }
  // Users of this wrapper only read.
  Result<> write(std::span<const Write>, const Contents&, const std::string&) override {
    return fail(Errc::denied, "this run only reads; it writes nothing");
  }

 private:
  Provider& inner_;
};

}  // namespace nettune::node
