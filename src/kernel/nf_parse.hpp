// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernel/nf_tables.hpp"

namespace nettune::kernel {

/// These parse the payloads of NFT_MSG_NEW* messages; nothing if the fixed header or a name is cut
/// off. Pure, for any bytes.
std::optional<NfTable> parse_nf_table(Bytes payload);
std::optional<NfChain> parse_nf_chain(Bytes payload);
std::optional<NfRule> parse_nf_rule(Bytes payload);
std::optional<NfSet> parse_nf_set(Bytes payload);  ///< without its elements
/// Adds the elements of a NFT_MSG_NEWSETELEM to `elements`.
void parse_nf_elements(Bytes payload, std::vector<NfElement>& elements);
std::optional<std::uint32_t> parse_nf_generation(Bytes payload);

}  // namespace nettune::kernel
