// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/memory.hpp"

#include <nlohmann/json.hpp>

namespace nettune::tools::slurm {

using MemoryJson = nlohmann::ordered_json;

std::string memory_text(const Memory& memory) {
  MemoryJson drain = nullptr;
  if (memory.drain)
    drain = {{"rule", memory.drain->fault.rule},
             {"device", memory.drain->fault.device},
             {"reason", memory.drain->reason},
             {"by", memory.drain->by},
             {"flags", memory.drain->flags}};
  const MemoryJson document = {{"schema", 1},
                               {"rule", memory.fault.rule},
                               {"device", memory.fault.device},
                               {"seen", memory.seen},
                               {"drain", drain}};
  return document.dump(2, ' ', false, MemoryJson::error_handler_t::replace) + "\n";
}

Result<Memory> parse_memory(std::string_view text) {
  Memory memory;
  if (text.empty()) return memory;
  try {
    const MemoryJson document = MemoryJson::parse(text);
    if (document.at("schema") != 1) return fail(Errc::corrupt, "its schema is not 1");
    memory.fault = {document.at("rule"), document.at("device")};
    memory.seen = document.at("seen");
    if (const MemoryJson& drain = document.at("drain"); !drain.is_null())
      memory.drain = OwnDrain{{drain.at("rule"), drain.at("device")},
                              drain.at("reason"),
                              drain.at("by"),
                              drain.at("flags")};
  } catch (const MemoryJson::exception& error) {
    return fail(Errc::corrupt, error.what());
  }
  return memory;
}

}  // namespace nettune::tools::slurm
