// SPDX-License-Identifier: Apache-2.0
#include "kernel/sd_bus.hpp"

#include <cstring>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

/// A message comes from another program; this much of it is shown on one line.
constexpr std::size_t kMaxErrorBytes = 300;

}  // namespace

SdBus::SdBus() : DynamicLibrary("libsystemd.so.0", "libsystemd0") {
  get(open_system, "sd_bus_open_system");
  get(create, "sd_bus_new");
  get(set_address, "sd_bus_set_address");
  get(start, "sd_bus_start");
  get(close, "sd_bus_flush_close_unref");
  get(match_signal, "sd_bus_match_signal");
  get(process, "sd_bus_process");
  get(wait, "sd_bus_wait");
  get(call, "sd_bus_call");
  get(call_method, "sd_bus_call_method");
  get(new_call, "sd_bus_message_new_method_call");
  get(set_auto_start, "sd_bus_message_set_auto_start");
  get(append, "sd_bus_message_append");
  get(append_basic, "sd_bus_message_append_basic");
  get(append_strv, "sd_bus_message_append_strv");
  get(open_container, "sd_bus_message_open_container");
  get(close_container, "sd_bus_message_close_container");
  get(enter, "sd_bus_message_enter_container");
  get(exit, "sd_bus_message_exit_container");
  get(read, "sd_bus_message_read");
  get(read_basic, "sd_bus_message_read_basic");
  get(skip, "sd_bus_message_skip");
  get(unref_message, "sd_bus_message_unref");
  get(free_error, "sd_bus_error_free");
}

const SdBus& sd_bus_library() {
  static const SdBus loaded;
  return loaded;
}

std::string BusError::text(int code) const {
  return error_.message ? printable(message().substr(0, kMaxErrorBytes))
                        : std::string(std::strerror(-code));
}

}  // namespace nettune::kernel
