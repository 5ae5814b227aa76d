// SPDX-License-Identifier: Apache-2.0
#include "kernel/net_namespace.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

TEST(KernelNetNamespace, TheControlGroupNamesTheContainer) {
  const std::string id(64, 'a');
  const std::string cut(12, 'a');
  const auto of = [](const std::string& path) { return container_of("0::" + path + "\n"); };
  EXPECT_EQ(of("/system.slice/docker-" + id + ".scope"), "docker container " + cut);
  EXPECT_EQ(of("/docker/" + id), "docker container " + cut);
  EXPECT_EQ(of("/machine.slice/libpod-" + id + ".scope/container"), "podman container " + cut);
  EXPECT_EQ(of("/kubepods.slice/kubepods-burstable.slice/"
               "kubepods-burstable-pod0f0ee7ac_9b2a_4d53_8f5a_0e5c8d2d6a11.slice/cri-containerd-" +
               id + ".scope"),
            "pod 0f0ee7ac-9b2a-4d53-8f5a-0e5c8d2d6a11, container " + cut);
  EXPECT_EQ(of("/kubepods/besteffort/pod0f0ee7ac-9b2a-4d53-8f5a-0e5c8d2d6a11/" + id),
            "pod 0f0ee7ac-9b2a-4d53-8f5a-0e5c8d2d6a11, container " + cut);
  EXPECT_EQ(of("/machine.slice/machine-web.scope"), "machine web");
  EXPECT_EQ(of("/lxc.payload.db"), "LXC container db");
  EXPECT_EQ(of("/system.slice/named.service"), "service named");
  EXPECT_EQ(of("/user.slice/user-0.slice/session-1.scope"), "");
  EXPECT_EQ(of("/"), "");
  EXPECT_EQ(container_of("12:pids:/docker/" + id + "\n11:cpu:/docker/" + id + "\n0::/\n"),
            "docker container " + cut);
  EXPECT_EQ(container_of("no path"), "");
  EXPECT_EQ(of("/system.slice/docker-abc.scope"), "");
}

TEST(KernelNetNamespace, OneThatIsNotThereHasEnded) {
  bool ran = false;
  const auto done = in_net_namespace({1, "/proc/self/ns/net", {}}, [&]() -> Result<> {
    ran = true;
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::not_found) << "another namespace is behind the path";
  EXPECT_FALSE(in_net_namespace({1, "/dev/null", {}}, [] { return Result<>(); }));
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace nettune::kernel
